import { eachLimit, type KeyLimits, type MintedCredential } from '@ceiba/domain';
import { and, eq, sql } from 'drizzle-orm';
import { writeAudit } from '../audit/write.ts';
import type { Executor } from '../connection/database.ts';
import { inTransaction, type VerbContext } from '../context.ts';
import { checked, LIMIT_NAMES } from '../input.ts';
import { lockProject } from '../project/lock.ts';
import { apiKeys, plans, subscriptions } from '../tables.ts';
import { countsAgainstCap } from './cap.ts';

export interface CreateApiKeyInput extends Partial<KeyLimits> {
  projectId: string;
  displayName: string;
  /** Only its digest and its prefix are stored. */
  minted: MintedCredential;
  expiresAt?: Date | null;
}

export type CreateApiKeyResult =
  | { kind: 'created'; apiKeyId: string; displayName: string; keyPrefix: string }
  | { kind: 'plan_limit_reached'; activeKeyCap: number }
  | { kind: 'not_found' };

/** Creates a key unless the project has as many active keys as its plan allows. */
export async function createApiKey(
  ctx: VerbContext,
  given: CreateApiKeyInput,
): Promise<CreateApiKeyResult> {
  const input = checked(given, ['displayName', 'expiresAt', ...LIMIT_NAMES]);
  return inTransaction(ctx, async (tx) => {
    const project = await lockProject(tx, input.projectId);
    if (project === undefined) return { kind: 'not_found' };
    const activeKeyCap = await capOf(tx, input.projectId);
    if ((await countAgainstCap(tx, input.projectId)) >= activeKeyCap) {
      return { kind: 'plan_limit_reached', activeKeyCap };
    }
    const limits = eachLimit((limit) => input[limit] ?? null);
    const [row] = await tx
      .insert(apiKeys)
      .values({
        projectId: input.projectId,
        displayName: input.displayName,
        keyPrefix: input.minted.prefix,
        keyDigest: input.minted.digest,
        expiresAt: input.expiresAt ?? null,
        ...limits,
      })
      .returning({ apiKeyId: apiKeys.id });
    if (row === undefined) throw new Error('an insert returned no row');
    const created = {
      apiKeyId: row.apiKeyId,
      displayName: input.displayName,
      keyPrefix: input.minted.prefix,
    };
    await writeAudit(tx, ctx, {
      action: 'api_key.create',
      target: { id: row.apiKeyId, label: input.displayName },
      projectId: input.projectId,
      ownerId: project.ownerId,
      after: {
        displayName: input.displayName,
        keyPrefix: input.minted.prefix,
        expiresAt: input.expiresAt?.toISOString() ?? null,
        ...limits,
      },
    });
    return { kind: 'created', ...created };
  });
}

async function capOf(tx: Executor, projectId: string): Promise<number> {
  const [row] = await tx
    .select({ activeKeyCap: plans.activeKeyCap })
    .from(subscriptions)
    .innerJoin(plans, eq(plans.id, subscriptions.planId))
    .where(eq(subscriptions.projectId, projectId));
  return row?.activeKeyCap ?? 0;
}

async function countAgainstCap(tx: Executor, projectId: string): Promise<number> {
  const [row] = await tx
    .select({ count: sql<number>`count(*)::int` })
    .from(apiKeys)
    .where(and(eq(apiKeys.projectId, projectId), countsAgainstCap('api_keys')));
  return row?.count ?? 0;
}
