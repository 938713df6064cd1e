import type { DenialDetail, DenialReason } from '@ceiba/contract/sets';
import {
  type CredentialState,
  type CustomerFacts,
  compilePolicies,
  credentialState,
  decide,
  explainMatch,
  type Labels,
  lookupDigestOf,
  type MatchExplanation,
  type Scope,
  scopeName,
  windowOfPeriod,
} from '@ceiba/domain';
import { isApiKey } from '../api-key/get.ts';
import { type ApiKeyRow, getApiKeyRow } from '../api-key/row.ts';
import type { Database, Executor } from '../connection/database.ts';
import { listPolicies, type PolicyRecord } from '../policy/list.ts';
import { getSubscription, type Subscription } from '../subscription/get.ts';
import { apiKeys } from '../tables.ts';
import { readNow } from '../time.ts';
import { readPeriodUse } from '../usage/period-totals.ts';
import { type LookupItem, lookupMany } from './lookup.ts';

export interface SimulationInput {
  projectId: string;
  /** A key of the project, or the text that a caller would send: null or blank means no key. */
  credential: { apiKeyId: string } | { presented: string | null };
  method: string;
  path: string;
}

/** A counter that the request would be charged to, as of the last flush. */
export type SimulatedScope = Omit<Scope, 'id'> & {
  /** What was used of its period. */
  used: number;
  /** When the count last grew; null before the period's first allowed request. */
  countedAt: Date | null;
};

/** The decision that the Runtime would make, and what each check saw. */
export interface Simulation {
  /** Null when the request would be allowed, unless this minute's rate is used up. */
  denialReason: DenialReason | null;
  /** Which state denies, where the reason covers several. */
  denialDetail: DenialDetail | null;
  credential: CredentialState;
  /** Null when the project has no such key. */
  apiKey: ApiKeyRow | null;
  /** Whether the text is the secret that a rotation of the key has replaced, within its overlap. */
  byPreviousSecret: boolean;
  /** The labels of the policies that the key may call; null for all. */
  keyScopes: Labels;
  /** The key's, if it has one. */
  customer: CustomerFacts | null;
  match: MatchExplanation<PolicyRecord>;
  /** The policies that other readings of the request match, which have to be open as well. */
  otherPolicies: readonly PolicyRecord[];
  /** What the call costs its quotas. */
  cost: number;
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
  const key = await digestOfCredential(db, projectId, credential);
  const [row] = await lookupMany(db, [{ projectId, ...key }]);
  if (row === undefined) throw new Error('a lookup did not return one row');
  if (row.project === null) return null;
  const policies = await listPolicies(db, projectId);
  const match = explainMatch(policies, method, path);
  const otherPolicies = match.winner
    ? compilePolicies(policies).others(match.winner, method, path)
    : [];
  const presented = 'apiKeyId' in credential ? 'presented' : credentialState(credential.presented);
  const judgement = decide({
    projectId,
    defaultKeyRateLimitPerMinute: row.project.defaultKeyRateLimitPerMinute,
    credential: presented,
    apiKey: row.apiKey,
    customer: row.customer,
    policy: match.winner,
    otherPolicies,
    subscription: row.subscription,
  });
  const cost = judgement.kind === 'charge' ? judgement.call.cost : (match.winner?.cost ?? 1);
  const { scopes, at } = await readScopes(
    db,
    projectId,
    judgement.kind === 'charge' ? judgement.call.scopes : [],
  );
  return {
    denialReason: judgement.kind === 'deny' ? judgement.denialReason : quotaReason(scopes, cost),
    denialDetail: judgement.kind === 'deny' ? judgement.denialDetail : null,
    byPreviousSecret: row.apiKey?.byPreviousSecret ?? false,
    keyScopes: row.apiKey?.scopes ?? null,
    customer: row.customer,
    credential: presented,
    apiKey: row.apiKey && (await getApiKeyRow(db, { projectId, apiKeyId: row.apiKey.apiKeyId })),
    match,
    otherPolicies,
    cost,
    subscription: await getSubscription(db, projectId),
    scopes,
    at,
  };
}

/** Compares as the charge does: a call that costs nothing needs no quota. */
const quotaReason = (scopes: readonly SimulatedScope[], cost: number) =>
  cost > 0 && scopes.some(({ quota, used }) => quota !== null && used + cost > quota.value)
    ? 'quota_exceeded'
    : null;

async function digestOfCredential(
  db: { orm: Executor },
  projectId: string,
  credential: SimulationInput['credential'],
): Promise<Omit<LookupItem, 'projectId'>> {
  if ('presented' in credential) {
    return lookupDigestOf(credential.presented) ?? { apiKeyDigest: null };
  }
  const [row] = await db.orm
    .select({ keyDigest: apiKeys.keyDigest })
    .from(apiKeys)
    .where(isApiKey({ projectId, apiKeyId: credential.apiKeyId }));
  return { apiKeyDigest: row?.keyDigest ?? null };
}

async function readScopes(
  db: Database,
  projectId: string,
  charged: readonly Scope[],
): Promise<{ scopes: SimulatedScope[]; at: Date }> {
  const at = await readNow(db);
  const items = charged.map((scope) => ({
    projectId,
    number: windowOfPeriod(scope.period).numberAt(at.getTime()),
    scope: scopeName(scope),
  }));
  const uses = await readPeriodUse(db, items);
  const scopes = charged.map(({ id: _, ...scope }, index) => {
    const { total = 0, countedAt = null } = uses[index] ?? {};
    return { ...scope, used: total, countedAt };
  });
  return { scopes, at };
}
