import type { DenialReason } from '@ceiba/contract';
import {
  type CredentialState,
  credentialState,
  decide,
  explainMatch,
  lookupDigestOf,
  type MatchExplanation,
  type Scope,
  scopeName,
} from '@ceiba/domain';
import { sql } from 'drizzle-orm';
import { isApiKey } from '../api-key/get.ts';
import { type ApiKeyRow, getApiKeyRow } from '../api-key/row.ts';
import { arrayOf } from '../bulk.ts';
import type { Database, Executor } from '../connection/database.ts';
import { listPolicies, type PolicyRecord } from '../policy/list.ts';
import { getSubscription, type Subscription } from '../subscription/get.ts';
import { apiKeys } from '../tables.ts';
import { monthNumber, toMs } from '../time.ts';
import { lookupMany } from './lookup.ts';

export interface SimulationInput {
  projectId: string;
  /** A key of the project, or the text that a caller would send: null or blank means no key. */
  credential: { apiKeyId: string } | { presented: string | null };
  method: string;
  path: string;
}

/** A counter that the request would be charged to, as of the last flush. */
export type SimulatedScope = Omit<Scope, 'id'> & {
  usedThisMonth: number;
  /** When the count last grew; null before the month's first allowed request. */
  countedAt: Date | null;
};

/** The decision that the Runtime would make, and what each check saw. */
export interface Simulation {
  /** Null when the request would be allowed, unless this minute's rate is used up. */
  denialReason: DenialReason | null;
  credential: CredentialState;
  /** Null when the project has no such key. */
  apiKey: ApiKeyRow | null;
  match: MatchExplanation<PolicyRecord>;
  subscription: Subscription | null;
  /** Empty when an earlier check denies. Only Redis knows the minute's rate. */
  scopes: SimulatedScope[];
  /** By the database's clock. */
  at: Date;
}

/**
 * Simulates a decision of the Runtime, from the same lookup by the same rule, without charging or
 * recording it.
 *
 * @returns null when there is no such project
 */
export async function readSimulation(
  db: Database,
  { projectId, credential, method, path }: SimulationInput,
): Promise<Simulation | null> {
  const apiKeyDigest = await digestOfCredential(db, projectId, credential);
  const [row] = await lookupMany(db, [{ projectId, apiKeyDigest }]);
  if (row === undefined) throw new Error('a lookup did not return one row');
  if (row.project === null) return null;
  const match = explainMatch(await listPolicies(db, projectId), method, path);
  const presented = 'apiKeyId' in credential ? 'presented' : credentialState(credential.presented);
  const judgement = decide({
    projectId,
    defaultKeyRateLimitPerMinute: row.project.defaultKeyRateLimitPerMinute,
    credential: presented,
    apiKey: row.apiKey,
    policy: match.winner,
    subscription: row.subscription,
  });
  const { scopes, at } = await readScopes(
    db,
    projectId,
    judgement.kind === 'charge' ? judgement.call.scopes : [],
  );
  return {
    denialReason: judgement.kind === 'deny' ? judgement.denialReason : quotaReason(scopes),
    credential: presented,
    apiKey: row.apiKey && (await getApiKeyRow(db, { projectId, apiKeyId: row.apiKey.apiKeyId })),
    match,
    subscription: await getSubscription(db, projectId),
    scopes,
    at,
  };
}

/** Compares as the charge does: a quota of 0 allows nothing. */
const quotaReason = (scopes: readonly SimulatedScope[]) =>
  scopes.some(
    ({ limits: { month }, usedThisMonth }) => month !== null && usedThisMonth >= month.value,
  )
    ? 'quota_exceeded'
    : null;

/** @returns null when there is no key to look up */
async function digestOfCredential(
  db: { orm: Executor },
  projectId: string,
  credential: SimulationInput['credential'],
): Promise<Buffer | null> {
  if ('presented' in credential) return lookupDigestOf(credential.presented);
  const [row] = await db.orm
    .select({ keyDigest: apiKeys.keyDigest })
    .from(apiKeys)
    .where(isApiKey({ projectId, apiKeyId: credential.apiKeyId }));
  return row?.keyDigest ?? null;
}

async function readScopes(
  db: { orm: Executor },
  projectId: string,
  charged: readonly Scope[],
): Promise<{ scopes: SimulatedScope[]; at: Date }> {
  const names = charged.map(scopeName);
  const rows = await db.orm.execute<{
    scope: string | null;
    used: number;
    countedAtMs: number | null;
    nowMs: number;
  }>(sql`
    select m.scope, coalesce(m.used, 0) as used, ${toMs(sql`m.counted_at`)} as "countedAtMs",
      ${toMs(sql`now()`)} as "nowMs"
    from (values (1)) as one left join (
      select scope, sum(count)::float8 as used, max(updated_at) as counted_at from usage_months
      where project_id = ${projectId} and month = ${monthNumber()}
        and scope = any(${arrayOf(names)}::text[])
      group by scope
    ) m on true`);
  const scopes = charged.map(({ id: _, ...scope }, index) => {
    const row = rows.find((found) => found.scope === names[index]);
    const countedAt = row?.countedAtMs == null ? null : new Date(row.countedAtMs);
    return { ...scope, usedThisMonth: row?.used ?? 0, countedAt };
  });
  return { scopes, at: new Date(rows[0]?.nowMs ?? Number.NaN) };
}
