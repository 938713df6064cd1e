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
  /** How many of a hundred allowed decisions the decision log keeps. */
  loggedAllowsPercent: number;
  /** Whether the decision log keeps paths. */
  logsPaths: boolean;
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
  disabled: boolean;
  neverUsed: boolean;
  rateLimitPerMinute: number | null;
  monthlyQuota: number | null;
}

/**
 * One row per project, then one row per key: a batch of one project reads the project once. One
 * statement sees both as they were at the same moment.
 *
 * Times are compared here, by the database's clock, and returned as booleans (consistency rule 3).
 * The parameters are text so that the driver needs no type lookups. They hold only UUIDs and
 * hexadecimal digits, so the casts cannot fail (rule 4): the projects, and each key's project and
 * digest.
 */
export const LOOKUP_STATEMENT = `
  select ${SERVER_EVIDENCE}, asked.position::int as "project",
    p.secret_digest as "secretDigest",
    case when p.previous_secret_expires_at > now() then p.previous_secret_digest end
      as "previousSecretDigest",
    p.policy_revision as "policyRevision",
    p.default_key_rate_limit_per_minute as "defaultKeyRateLimitPerMinute",
    p.logged_allows_percent as "loggedAllowsPercent", p.logs_paths as "logsPaths",
    ${admitsNow('s')} as "admits",
    plan.id as "planId", plan.name as "planName",
    plan.rate_limit_per_minute as "planRateLimitPerMinute",
    plan.monthly_quota as "planMonthlyQuota",
    null as "key", null as "apiKeyId", null as "displayName", null as "keyPrefix",
    null as "status", null as "expired", null as "disabled", null as "neverUsed",
    null as "rateLimitPerMinute", null as "monthlyQuota"
  from unnest(($1::text)::uuid[]) with ordinality as asked(id, position)
  left join projects p on p.id = asked.id
  left join subscriptions s on s.project_id = p.id
  left join plans plan on plan.id = s.plan_id
  union all
  select null, null, null, null,
    null, null, null, null, null, null,
    null, null, null, null, null,
    asked.position::int, k.id, k.display_name, k.key_prefix,
    k.status, coalesce(k.expires_at <= now(), false), k.disabled_at is not null,
    k.last_used_at is null,
    k.rate_limit_per_minute, k.monthly_quota
  from unnest(($2::text)::uuid[], ($3::text)::bytea[]) with ordinality
    as asked(project_id, key_digest, position)
  left join api_keys k on k.project_id = asked.project_id and k.key_digest = asked.key_digest`;

/** The parameters of {@link LOOKUP_STATEMENT}. */
export const lookupParameters = (
  projectIds: readonly string[],
  keys: readonly LookupItem[],
): string[] => [
  `{${projectIds.join(',')}}`,
  `{${keys.map(({ projectId }) => projectId).join(',')}}`,
  `{${keys.map(({ apiKeyDigest }) => `"\\\\x${apiKeyDigest?.toString('hex')}"`).join(',')}}`,
];

/**
 * Reads what a batch of decisions needs, as one statement to the primary.
 *
 * @returns one entry per item, in order; undefined if the answer did not have exactly one row for its
 *   project and one for its key (consistency rule 1)
 * @throws NotPrimaryError when the server is in recovery; a `PostgresError` on an SQL error
 */
export async function lookupMany(
  db: Database,
  items: readonly LookupItem[],
): Promise<(LookupRow | undefined)[]> {
  const projectIds = [...new Set(items.map(({ projectId }) => projectId))];
  const withKey = items.filter(({ apiKeyDigest }) => apiKeyDigest !== null);
  const rows = await db.sql.unsafe<StatementRow[]>(
    LOOKUP_STATEMENT,
    lookupParameters(projectIds, withKey),
    { prepare: true },
  );
  const projectAt = new Placed<ProjectPart>();
  const keyAt = new Placed<LookupApiKey | null>();
  for (const row of rows) {
    if (row.project === null) {
      keyAt.put(row.key, row.apiKeyId === null ? null : apiKeyOf(row, row.apiKeyId));
    } else {
      requirePrimary(db, row);
      projectAt.put(row.project, projectPartOf(row));
    }
  }
  const byId = new Map(projectIds.map((id, index) => [id, projectAt.at(index + 1)]));
  let keysSeen = 0;
  return items.map(({ projectId, apiKeyDigest }) => {
    const project = byId.get(projectId);
    const apiKey = apiKeyDigest === null ? null : keyAt.at(++keysSeen);
    return project && apiKey !== undefined ? { ...project, apiKey } : undefined;
  });
}

/** Values by their position in a parameter, from 1; what is put twice is not there. */
class Placed<T> {
  readonly #values: (T | undefined)[] = [];
  readonly #seen: boolean[] = [];

  put(position: number, value: T): void {
    this.#values[position] = this.#seen[position] ? undefined : value;
    this.#seen[position] = true;
  }

  at(position: number): T | undefined {
    return this.#values[position];
  }
}

/** What the decisions of one project share. */
type ProjectPart = Pick<LookupRow, 'project' | 'subscription'>;

/**
 * The columns of a project are null in the row of a key, and the other way around. Without a project,
 * plan or key, the columns of that one are null; one column of each is checked.
 */
interface StatementRow
  extends ServerEvidence,
    Omit<LookupProject, 'secretDigest'>,
    Omit<LookupApiKey, 'apiKeyId'> {
  /** The position of the project, or of the key, in the parameters. */
  project: number | null;
  key: number;
  secretDigest: Buffer | null;
  admits: boolean | null;
  planId: string | null;
  planName: string;
  planRateLimitPerMinute: number;
  planMonthlyQuota: number;
  apiKeyId: string | null;
}

const projectPartOf = (row: StatementRow): ProjectPart => ({
  project: row.secretDigest === null ? null : projectOf(row, row.secretDigest),
  subscription: row.planId === null ? null : subscriptionOf(row, row.planId),
});

const projectOf = (row: StatementRow, secretDigest: Buffer): LookupProject => ({
  secretDigest,
  previousSecretDigest: row.previousSecretDigest,
  policyRevision: row.policyRevision,
  defaultKeyRateLimitPerMinute: row.defaultKeyRateLimitPerMinute,
  loggedAllowsPercent: row.loggedAllowsPercent,
  logsPaths: row.logsPaths,
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
  disabled: row.disabled,
  neverUsed: row.neverUsed,
  rateLimitPerMinute: row.rateLimitPerMinute,
  monthlyQuota: row.monthlyQuota,
});
