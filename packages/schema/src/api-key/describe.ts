import { writeAudit } from '../audit/write.ts';
import { inTransaction, isUnchanged, type VerbContext } from '../context.ts';
import { checked } from '../input.ts';
import { apiKeys } from '../tables.ts';
import { type ApiKeyRef, isApiKey } from './get.ts';
import { lockApiKey } from './lock.ts';

export interface DescribeApiKeyInput extends ApiKeyRef {
  displayName?: string;
  /** The empty text removes it. */
  note?: string;
}

export type DescribeApiKeyResult = { kind: 'updated' | 'unchanged' | 'not_found' };

/**
 * Changes the name and the note of a key of any status; absent fields keep their values. Hosts get
 * the new name with the next decision.
 */
export async function describeApiKey(
  ctx: VerbContext,
  input: DescribeApiKeyInput,
): Promise<DescribeApiKeyResult> {
  const { projectId, apiKeyId, displayName, note } = checked(input, ['displayName', 'note']);
  return inTransaction(ctx, async (tx) => {
    const key = await lockApiKey(tx, { projectId, apiKeyId });
    if (key === undefined) return { kind: 'not_found' };
    const before = { displayName: key.displayName, note: key.note };
    const after = {
      displayName: displayName ?? before.displayName,
      note: note ?? before.note,
    };
    if (isUnchanged(before, after)) return { kind: 'unchanged' };
    await tx.update(apiKeys).set(after).where(isApiKey({ projectId, apiKeyId }));
    await writeAudit(tx, ctx, {
      action: 'api_key.update',
      target: { id: apiKeyId, label: after.displayName },
      projectId,
      ownerId: key.ownerId,
      before,
      after,
    });
    return { kind: 'updated' };
  });
}
