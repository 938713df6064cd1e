import type { ApiKeyStatus, SubscriptionStatus } from '@ceiba/contract/sets';
import type { Labels } from '@ceiba/domain';
import { bulk } from '../bulk.ts';
import type { Database } from '../connection/database.ts';
import { requirePrimary, SERVER_EVIDENCE } from '../connection/server.ts';
import { policyRevisionOf } from '../policy/revision.ts';
import { isUnsampled } from '../project/unsampled.ts';
import { admitsNow } from '../subscription/admits.ts';
import { column, type RowPart, rowPart } from './row-part.ts';

/** One project, and optionally one of its keys. */
export interface LookupItem {
  /** A UUID; anything else fails the whole statement. */
  projectId: string;
  /** SHA-256, 32 bytes; null reads the project alone. */
  apiKeyDigest: Buffer | null;
  /** Whether it is asked only where the project accepts imported keys. */
  isForeign?: boolean;
}

/** What a decision is based on, as the primary had it when the statement ran. */
export interface LookupRow {
  project: PartOf<typeof PROJECT> | null;
  subscription: (PartOf<typeof SUBSCRIPTION> & { plan: PartOf<typeof PLAN> }) | null;
  apiKey: PartOf<typeof API_KEY> | null;
  /** The customer of the key. */
  customer: (PartOf<typeof CUSTOMER> & { plan: PartOf<typeof CUSTOMER_PLAN> | null }) | null;
}

type PartOf<P> = P extends RowPart<infer Values> ? Values : never;

/** Before the parts are the position in the parameters and the evidence about the server. */
const FIRST = 4;

/** Columns that the driver would return as text, because a bigint need not fit into a number. */
function quotaColumn(sql: string) {
  return column<number | null>(`${sql}::float8`);
}

/** The driver parses no arrays. */
function labelsColumn(sql: string) {
  return column<Labels>(`to_json(${sql})`);
}

function limitColumns(of: (name: string) => string) {
  return {
    rateLimitPerMinute: column<number | null>(of('rate_limit_per_minute')),
    dailyQuota: quotaColumn(of('daily_quota')),
    monthlyQuota: quotaColumn(of('monthly_quota')),
  };
}

/** The first column of a part is null where there is no such row. */
const PROJECT = rowPart(FIRST, {
  secretDigest: column<Buffer>('p.secret_digest'),
  /** Null unless a previous secret is still valid. */
  previousSecretDigest: column<Buffer | null>(
    'case when p.previous_secret_expires_at > now() then p.previous_secret_digest end',
  ),
  policyRevision: column<string>(policyRevisionOf('p.id')),
  defaultKeyRateLimitPerMinute: column<number | null>('p.default_key_rate_limit_per_minute'),
  /** How many of a hundred allowed decisions the decision log keeps. */
  loggedAllowsPercent: column<number>('p.logged_allows_percent'),
  /** Whether the decision log samples none of its allows. */
  isUnsampled: column<boolean>(isUnsampled('p')),
  /** Whether the decision log keeps paths. */
  logsPaths: column<boolean>('p.logs_paths'),
});

const SUBSCRIPTION = rowPart(PROJECT.end, {
  status: column<SubscriptionStatus>('s.status'),
  admits: column<boolean>(admitsNow('s')),
});

const PLAN = rowPart(SUBSCRIPTION.end, {
  planId: column<string>('plan.id'),
  name: column<string>('plan.name'),
  rateLimitPerMinute: column<number>('plan.rate_limit_per_minute'),
  monthlyQuota: column<number>('plan.monthly_quota::float8'),
  dailyQuota: quotaColumn('plan.daily_quota'),
});

/** Of the row of a key by either of its secrets. */
const ofKey = (name: string) => `coalesce(k.${name}, o.${name})`;

const API_KEY = rowPart(PLAN.end, {
  apiKeyId: column<string>(ofKey('id')),
  displayName: column<string>(ofKey('display_name')),
  /** Of the secret that was presented. */
  keyPrefix: column<string>('coalesce(k.key_prefix, o.previous_prefix)'),
  status: column<ApiKeyStatus>(ofKey('status')),
  expired: column<boolean>(`coalesce(${ofKey('expires_at')} <= now(), false)`),
  disabled: column<boolean>(`${ofKey('disabled_at')} is not null`),
  neverUsed: column<boolean>(`${ofKey('last_used_at')} is null`),
  /** Found by the secret before its last rotation. */
  byPreviousSecret: column<boolean>('o.id is not null'),
  scopes: labelsColumn(ofKey('scopes')),
  ...limitColumns(ofKey),
});

const CUSTOMER = rowPart(API_KEY.end, {
  customerId: column<string>('c.id'),
  externalId: column<string>('c.external_id'),
  suspended: column<boolean>('c.suspended_at is not null'),
  billingDay: column<number>('c.billing_day'),
  ...limitColumns((name) => `c.${name}`),
});

const CUSTOMER_PLAN = rowPart(CUSTOMER.end, {
  planId: column<string>('cp.id'),
  name: column<string>('cp.name'),
  status: column<SubscriptionStatus>('c.subscription_status'),
  admits: column<boolean>(admitsNow('c', 'subscription_status')),
  scopes: labelsColumn('cp.scopes'),
  ...limitColumns((name) => `cp.${name}`),
});

const PROJECTS = bulk<string>({ id: ['uuid', (projectId) => projectId] });

const KEYS = bulk<LookupItem>({
  project_id: ['uuid', ({ projectId }) => projectId],
  key_digest: ['bytea', ({ apiKeyDigest }) => apiKeyDigest],
  is_foreign: ['boolean', ({ isForeign }) => String(isForeign ?? false)],
});

/**
 * What is asked per key. A foreign text asks for null, which finds nothing, unless the project accepts
 * imported keys. A subquery of its own, so that Postgres computes the digest once.
 */
const askedKeys = (after: number) => `(
  select row.position, row.project_id, case when not row.is_foreign then row.key_digest
    else (select row.key_digest from projects f where f.id = row.project_id and f.accepts_imported_keys)
  end as digest
  from ${KEYS.rows(after)} offset 0
) row`;

/**
 * One row per project, then one row per key: a batch of one project reads the project once. One
 * statement sees both as they were at the same moment. A key is `k` by its secret, or else `o` by the
 * one before (rule one-key): one join with `or` would read the whole table.
 *
 * Times are compared here, by the database's clock, and returned as booleans (rule database-time).
 * The parameters hold only UUIDs and digests, so the casts cannot fail (rule poisoned-item).
 */
export const LOOKUP_STATEMENT = `
  select row.position::int, ${SERVER_EVIDENCE}, ${PROJECT.sql}, ${SUBSCRIPTION.sql},
    ${PLAN.sql}, ${API_KEY.nulls}, ${CUSTOMER.nulls}, ${CUSTOMER_PLAN.nulls}
  from ${PROJECTS.rows()}
  left join projects p on p.id = row.id
  left join subscriptions s on s.project_id = p.id
  left join plans plan on plan.id = s.plan_id
  union all
  select row.position::int, null, null, null, ${PROJECT.nulls}, ${SUBSCRIPTION.nulls},
    ${PLAN.nulls}, ${API_KEY.sql}, ${CUSTOMER.sql}, ${CUSTOMER_PLAN.sql}
  from ${askedKeys(PROJECTS.names.length)}
  left join api_keys k on k.project_id = row.project_id and k.key_digest = row.digest
  left join api_keys o on o.project_id = row.project_id and o.previous_expires_at > now()
    and o.previous_digest = case when k.id is null then row.digest end
  left join customers c on c.project_id = row.project_id and c.id = ${ofKey('customer_id')}
  left join customer_plans cp on cp.project_id = c.project_id and cp.id = c.plan_id`;

/** The parameters of {@link LOOKUP_STATEMENT}. */
export const lookupParameters = (
  projectIds: readonly string[],
  keys: readonly LookupItem[],
): string[] => [...PROJECTS.parameters(projectIds), ...KEYS.parameters(keys)];

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
  const keyAt = new Placed<KeyPart>();
  for (const row of rows as unknown as StatementRow[]) {
    const [position, inRecovery, server, isSynchronous] = row;
    if (inRecovery === null) {
      keyAt.put(position, keyPartOf(row));
    } else {
      requirePrimary(db, { inRecovery, server, isSynchronous });
      projectAt.put(position, projectPartOf(row));
    }
  }
  const byId = new Map(projectIds.map((id, index) => [id, projectAt.at(index + 1)]));
  let keysSeen = 0;
  return items.map(({ projectId, apiKeyDigest }) => {
    const project = byId.get(projectId);
    const key = apiKeyDigest === null ? NO_KEY : keyAt.at(++keysSeen);
    if (project === undefined || key === undefined) return undefined;
    const { project: found, subscription } = project;
    return { project: found, subscription, apiKey: key.apiKey, customer: key.customer };
  });
}

/**
 * A list of columns: as an object with so many properties, a row would cost several times as much.
 * The columns of a project and the evidence are null in the row of a key.
 */
type StatementRow = [
  position: number,
  inRecovery: boolean | null,
  server: string,
  isSynchronous: boolean,
  ...parts: unknown[],
];

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

type KeyPart = Pick<LookupRow, 'apiKey' | 'customer'>;

const NO_KEY: KeyPart = { apiKey: null, customer: null };

function keyPartOf(row: StatementRow): KeyPart {
  const apiKey = API_KEY.read(row);
  const customer = CUSTOMER.read(row);
  if (customer === null) return { apiKey, customer };
  // What is spread comes last: V8 gives each copy that then gets another property a shape of its own.
  return { apiKey, customer: { plan: CUSTOMER_PLAN.read(row), ...customer } };
}

function projectPartOf(row: StatementRow): ProjectPart {
  const project = PROJECT.read(row);
  if (project) {
    requireDigest(project.secretDigest);
    if (project.previousSecretDigest) requireDigest(project.previousSecretDigest);
  }
  const subscription = SUBSCRIPTION.read(row);
  const plan = PLAN.read(row);
  if (subscription === null || plan === null) return { project, subscription: null };
  return {
    project,
    subscription: { status: subscription.status, admits: subscription.admits, plan },
  };
}

/** @throws Error for an answer that was misread, which must not look like a wrong secret */
function requireDigest(bytes: Buffer): void {
  if (bytes.length !== DIGEST_BYTES) throw new Error('the digest of a secret is not 32 bytes long');
}

/** Of SHA-256. */
const DIGEST_BYTES = 32;
