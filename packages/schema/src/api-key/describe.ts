import { eq } from 'drizzle-orm';
import { writeAudit } from '../audit/write.ts';
import { inTransaction, isUnchanged, type VerbContext } from '../context.ts';
import { apiKeys, projects } from '../tables.ts';
import { type ApiKeyRef, isApiKey } from './get.ts';

export interface DescribeApiKeyInput extends ApiKeyRef {
  displayName?: string;
  /** At most 500 characters; the empty text removes it. */
  note?: string;
}

export type DescribeApiKeyResult = { kind: 'updated' | 'unchanged' | 'not_found' };

/**
 * Changes the name and the note of a key of any status; absent fields keep their values. Hosts get
 * the new name with the next decision.
 */
export function describeApiKey(
  ctx: VerbContext,
  { projectId, apiKeyId, displayName, note }: DescribeApiKeyInput,
): Promise<DescribeApiKeyResult> {
  return inTransaction(ctx, async (tx) => {
    const [found] = await tx
      .select({
        displayName: apiKeys.displayName,
        note: apiKeys.note,
        ownerId: projects.ownerId,
      })
      .from(apiKeys)
      .innerJoin(projects, eq(projects.id, apiKeys.projectId))
      .where(isApiKey({ projectId, apiKeyId }))
      .for('no key update', { of: apiKeys });
    if (found === undefined) return { kind: 'not_found' };
    const { ownerId, ...before } = found;
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
      ownerId,
      before,
      after,
    });
    return { kind: 'updated' };
  });
}
