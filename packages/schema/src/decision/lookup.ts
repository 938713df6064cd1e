import type { ApiKeyStatus, SubscriptionStatus } from '@ceiba/contract/sets';
import type { Database } from '../connection/database.ts';
import { requirePrimary, SERVER_EVIDENCE } from '../connection/server.ts';
import { policyRevisionOf } from '../policy/revision.ts';
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
  subscription: { admits: boolean; status: SubscriptionStatus; plan: LookupPlan } | null;
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
 * Times are compared here, by the database's clock, and returned as booleans (rule database-time).
 * The parameters are text so that the driver needs no type lookups. They hold only UUIDs and
 * hexadecimal digits, so the casts cannot fail (rule poisoned-item): the projects, and each key's
 * project and digest.
 */
export const LOOKUP_STATEMENT = `
  select asked.position::int, null, ${SERVER_EVIDENCE},
    p.secret_digest,
    case when p.previous_secret_expires_at > now() then p.previous_secret_digest end,
    ${policyRevisionOf('p.id')}, p.default_key_rate_limit_per_minute, p.logged_allows_percent, p.logs_paths,
    ${admitsNow('s')}, s.status, plan.id, plan.name, plan.rate_limit_per_minute,
    plan.monthly_quota, null, null, null, null, null, null, null, null, null
  from unnest(($1::text)::uuid[]) with ordinality as asked(id, position)
  left join projects p on p.id = asked.id
  left join subscriptions s on s.project_id = p.id
  left join plans plan on plan.id = s.plan_id
  union all
  select null, asked.position::int, null, null, null,
    null, null, null, null, null, null, null, null, null, null, null, null,
    k.id, k.display_name, k.key_prefix, k.status, coalesce(k.expires_at <= now(), false),
    k.disabled_at is not null, k.last_used_at is null, k.rate_limit_per_minute, k.monthly_quota
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
 *   project and one for its key (rule fresh-lookup)
 * @throws NotPrimaryError when the server is in recovery; a `PostgresError` on an SQL error
 */
export async function lookupMany(
  db: Database,
  items: readonly LookupItem[],
): Promise<(LookupRow | undefined)[]> {
  const projectIds = [...new Set(items.map(({ projectId }) => projectId))];
  const withKey = items.filter(({ apiKeyDigest }) => apiKeyDigest !== null);
  const parameters = lookupParameters(projectIds, withKey);
  const rows = await db.sql.unsafe(LOOKUP_STATEMENT, parameters, { prepare: true }).values();
  const projectAt = new Placed<ProjectPart>();
  const keyAt = new Placed<LookupApiKey | null>();
  for (const row of rows as unknown as StatementRow[]) {
    const [projectPosition, keyPosition, inRecovery, server, isSynchronous] = row;
    if (projectPosition === null) {
      keyAt.put(keyPosition, apiKeyOf(row.slice(FIRST_OF_KEY) as KeyColumns));
    } else {
      requirePrimary(db, { inRecovery, server, isSynchronous });
      const columns = row.slice(FIRST_OF_PROJECT, FIRST_OF_KEY) as ProjectColumns;
      projectAt.put(projectPosition, projectPartOf(columns));
    }
  }
  const byId = new Map(projectIds.map((id, index) => [id, projectAt.at(index + 1)]));
  let keysSeen = 0;
  return items.map(({ projectId, apiKeyDigest }) => {
    const project = byId.get(projectId);
    const apiKey = apiKeyDigest === null ? null : keyAt.at(++keysSeen);
    if (project === undefined || apiKey === undefined) return undefined;
    return { project: project.project, subscription: project.subscription, apiKey };
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
 * A list of columns: as an object with so many properties, a row would cost several times as much.
 * The columns of a project are null in the row of a key, and the other way around. Without a project,
 * plan or key, the columns of that one are null; one column of each is checked.
 */
type StatementRow = [
  /** Positions in the parameters. */
  project: number | null,
  key: number,
  ...evidence: [inRecovery: boolean, server: string, isSynchronous: boolean],
  ...projectColumns: ProjectColumns,
  ...keyColumns: KeyColumns,
];

const FIRST_OF_PROJECT = 5;
type ProjectColumns = [
  secretDigest: Buffer | null,
  previousSecretDigest: Buffer | null,
  policyRevision: string,
  defaultKeyRateLimitPerMinute: number | null,
  loggedAllowsPercent: number,
  logsPaths: boolean,
  admits: boolean | null,
  status: SubscriptionStatus,
  planId: string | null,
  planName: string,
  rateLimitPerMinute: number,
  monthlyQuota: number,
];

const FIRST_OF_KEY = 17;
type KeyColumns = [
  apiKeyId: string | null,
  displayName: string,
  keyPrefix: string,
  status: ApiKeyStatus,
  expired: boolean,
  disabled: boolean,
  neverUsed: boolean,
  rateLimitPerMinute: number | null,
  monthlyQuota: number | null,
];

function projectPartOf([
  secretDigest,
  previousSecretDigest,
  policyRevision,
  defaultKeyRateLimitPerMinute,
  loggedAllowsPercent,
  logsPaths,
  admits,
  status,
  planId,
  name,
  rateLimitPerMinute,
  monthlyQuota,
]: ProjectColumns): ProjectPart {
  const project = secretDigest && {
    secretDigest: digest(secretDigest),
    previousSecretDigest: previousSecretDigest && digest(previousSecretDigest),
    policyRevision,
    defaultKeyRateLimitPerMinute,
    loggedAllowsPercent,
    logsPaths,
  };
  if (planId === null) return { project, subscription: null };
  const plan = { planId, name, rateLimitPerMinute, monthlyQuota };
  return { project, subscription: { admits: admits === true, status, plan } };
}

/** @throws Error for an answer that was misread, which must not look like a wrong secret */
function digest(bytes: Buffer): Buffer {
  if (bytes.length !== DIGEST_BYTES) throw new Error('the digest of a secret is not 32 bytes long');
  return bytes;
}

/** Of SHA-256. */
const DIGEST_BYTES = 32;

function apiKeyOf([
  apiKeyId,
  displayName,
  keyPrefix,
  status,
  expired,
  disabled,
  neverUsed,
  rateLimitPerMinute,
  monthlyQuota,
]: KeyColumns): LookupApiKey | null {
  if (apiKeyId === null) return null;
  return {
    apiKeyId,
    displayName,
    keyPrefix,
    status,
    expired,
    disabled,
    neverUsed,
    rateLimitPerMinute,
    monthlyQuota,
  };
}
