import { eachLimit, type KeyLimits, type MintedCredential } from '@ceiba/domain';
import { and, eq, sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import type { VerbContext } from '../context.ts';
import { checked, LIMIT_NAMES } from '../input.ts';
import { changingProject } from '../project/change.ts';
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
  const { projectId, displayName, minted, expiresAt = null } = input;
  return changingProject(ctx, projectId, lockProject, async (tx, _, audit) => {
    const activeKeyCap = await capOf(tx, projectId);
    if ((await countAgainstCap(tx, projectId)) >= activeKeyCap) {
      return { kind: 'plan_limit_reached', activeKeyCap };
    }
    const shown = { displayName, keyPrefix: minted.prefix };
    const limits = eachLimit((limit) => input[limit] ?? null);
    const [row] = await tx
      .insert(apiKeys)
      .values({ projectId, ...shown, keyDigest: minted.digest, expiresAt, ...limits })
      .returning({ apiKeyId: apiKeys.id });
    if (row === undefined) throw new Error('an insert returned no row');
    const { apiKeyId } = row;
    const after = { ...shown, expiresAt: expiresAt?.toISOString() ?? null, ...limits };
    await audit('api_key.create', { id: apiKeyId, label: displayName }, { after });
    return { kind: 'created', apiKeyId, ...shown };
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
