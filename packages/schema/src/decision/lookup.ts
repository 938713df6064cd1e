import type { ApiKeyStatus } from '@ceiba/contract/sets';
import type { Database } from '../connection/database.ts';
import { requirePrimary, SERVER_EVIDENCE, type ServerEvidence } from '../connection/server.ts';
import { admitsNow } from '../subscription/admits.ts';

/** One project, and optionally one of its keys. */
export interface LookupItem {
  /** A UUID; anything else fails the whole statement. */
  projectId: string;
  /** SHA-256, 32 bytes; null reads the project alone. */
  apiKeyDigest: Buffer | null;
}

/** What a decision is based on, as the primary had it when the statement ran. */
export interface LookupRow {
  project: LookupProject | null;
  subscription: { admits: boolean; plan: LookupPlan } | null;
  apiKey: LookupApiKey | null;
}

interface LookupProject {
  secretDigest: Buffer;
  /** Null unless a previous secret is still valid. */
  previousSecretDigest: Buffer | null;
  policyRevision: string;
  defaultKeyRateLimitPerMinute: number | null;
}

interface LookupPlan {
  planId: string;
  name: string;
  rateLimitPerMinute: number;
  monthlyQuota: number;
}

interface LookupApiKey {
  apiKeyId: string;
  displayName: string;
  keyPrefix: string;
  status: ApiKeyStatus;
  expired: boolean;
  neverUsed: boolean;
  rateLimitPerMinute: number | null;
  monthlyQuota: number | null;
}

/**
 * Times are compared here, by the database's clock, and returned as booleans (consistency rule 3).
 * The parameters are text so that the driver needs no type lookups. They hold only UUIDs and
 * hexadecimal digits, so the casts cannot fail (rule 4).
 */
export const LOOKUP_STATEMENT = `
  select ${SERVER_EVIDENCE}, item.position::int as "position",
    p.secret_digest as "secretDigest",
    case when p.previous_secret_expires_at > now() then p.previous_secret_digest end
      as "previousSecretDigest",
    p.policy_revision as "policyRevision",
    p.default_key_rate_limit_per_minute as "defaultKeyRateLimitPerMinute",
    ${admitsNow('s')} as "admits",
    plan.id as "planId", plan.name as "planName",
    plan.rate_limit_per_minute as "planRateLimitPerMinute",
    plan.monthly_quota as "planMonthlyQuota",
    k.id as "apiKeyId", k.display_name as "displayName", k.key_prefix as "keyPrefix", k.status,
    coalesce(k.expires_at <= now(), false) as "expired", k.last_used_at is null as "neverUsed",
    k.rate_limit_per_minute as "rateLimitPerMinute", k.monthly_quota as "monthlyQuota"
  from unnest(($1::text)::uuid[], ($2::text)::bytea[]) with ordinality
    as item(project_id, key_digest, position)
  left join projects p on p.id = item.project_id
  left join subscriptions s on s.project_id = p.id
  left join plans plan on plan.id = s.plan_id
  left join api_keys k on k.project_id = p.id and k.key_digest = item.key_digest`;

/**
 * Reads what a batch of decisions needs, as one statement to the primary.
 *
 * @returns one entry per item, in order; undefined if the answer did not have exactly one row for it
 *   (consistency rule 1)
 * @throws NotPrimaryError when the server is in recovery; a `PostgresError` on an SQL error
 */
export async function lookupMany(
  db: Database,
  items: readonly LookupItem[],
): Promise<(LookupRow | undefined)[]> {
  const projectIds = `{${items.map((item) => item.projectId).join(',')}}`;
  const digests = `{${items.map((item) => bytesLiteral(item.apiKeyDigest)).join(',')}}`;
  const rows = await db.sql.unsafe<StatementRow[]>(LOOKUP_STATEMENT, [projectIds, digests], {
    prepare: true,
  });
  const found: (LookupRow | undefined)[] = new Array(items.length).fill(undefined);
  const seen = new Set<number>();
  for (const row of rows) {
    requirePrimary(db, row);
    const index = row.position - 1;
    found[index] = seen.has(index) ? undefined : toLookupRow(row);
    seen.add(index);
  }
  return found;
}

const bytesLiteral = (bytes: Buffer | null) =>
  bytes === null ? 'NULL' : `"\\\\x${bytes.toString('hex')}"`;

/** Without a project, plan or key, the columns of that one are null; one column of each is checked. */
interface StatementRow
  extends ServerEvidence,
    Omit<LookupProject, 'secretDigest'>,
    Omit<LookupApiKey, 'apiKeyId'> {
  position: number;
  secretDigest: Buffer | null;
  admits: boolean | null;
  planId: string | null;
  planName: string;
  planRateLimitPerMinute: number;
  planMonthlyQuota: number;
  apiKeyId: string | null;
}

function toLookupRow(row: StatementRow): LookupRow {
  return {
    project: row.secretDigest === null ? null : projectOf(row, row.secretDigest),
    subscription: row.planId === null ? null : subscriptionOf(row, row.planId),
    apiKey: row.apiKeyId === null ? null : apiKeyOf(row, row.apiKeyId),
  };
}

const projectOf = (row: StatementRow, secretDigest: Buffer): LookupProject => ({
  secretDigest,
  previousSecretDigest: row.previousSecretDigest,
  policyRevision: row.policyRevision,
  defaultKeyRateLimitPerMinute: row.defaultKeyRateLimitPerMinute,
});

const subscriptionOf = (row: StatementRow, planId: string) => ({
  admits: row.admits === true,
  plan: {
    planId,
    name: row.planName,
    rateLimitPerMinute: row.planRateLimitPerMinute,
    monthlyQuota: row.planMonthlyQuota,
  },
});

const apiKeyOf = (row: StatementRow, apiKeyId: string): LookupApiKey => ({
  apiKeyId,
  displayName: row.displayName,
  keyPrefix: row.keyPrefix,
  status: row.status,
  expired: row.expired,
  neverUsed: row.neverUsed,
  rateLimitPerMinute: row.rateLimitPerMinute,
  monthlyQuota: row.monthlyQuota,
});
