import type { Outcome } from '@ceiba/contract/sets';
import { MS_PER_DAY, MS_PER_HOUR } from '@ceiba/domain';
import { arrayOf, bulk, upsertTotals } from '../bulk.ts';
import type { Database } from '../connection/database.ts';
import { LOCKS } from '../locks.ts';
import { type COST_KINDS, NO_ID } from '../tables.ts';

/** Decisions of one hour; `count` is their total in the incarnation. */
export interface UsageHourCount {
  projectId: string;
  /** Whole hours since 1970-01-01T00:00Z. */
  hour: number;
  apiKeyId: string | null;
  policyId: string | null;
  outcome: Outcome;
  incarnation: string;
  count: number;
}

/** What allowed requests of one month cost; `scope` as `scopeName` of domain names it. */
export interface UsageMonthCount {
  projectId: string;
  /** Year × 12 + month, January being 0, in UTC. */
  month: number;
  scope: string;
  incarnation: string;
  count: number;
}

/** What allowed requests of one day cost, where a quota limits days; `scope` ends in `@0`. */
export interface UsageDayCount {
  projectId: string;
  /** Whole days since 1970-01-01. */
  day: number;
  scope: string;
  incarnation: string;
  count: number;
}

/** How the cost of a key's allowed calls in an hour differs from their number. */
export interface UsageCostCount {
  projectId: string;
  /** Whole hours since 1970-01-01T00:00Z. */
  hour: number;
  apiKeyId: string;
  kind: (typeof COST_KINDS)[number];
  incarnation: string;
  count: number;
}

export interface LastUse {
  apiKeyId: string;
  /** The prefix of the secret, where it was one that a rotation has replaced. */
  previousPrefix?: string | undefined;
  at: Date;
}

/** A use of the secret that a rotation of the project has replaced. */
export interface SecretUse {
  projectId: string;
  secretDigest: Buffer;
  at: Date;
}

export interface UsageBatch {
  hours: readonly UsageHourCount[];
  months: readonly UsageMonthCount[];
  days: readonly UsageDayCount[];
  costs: readonly UsageCostCount[];
  lastUsed: readonly LastUse[];
  secretsUsed: readonly SecretUse[];
}

/**
 * Writes counts in one transaction. They are totals that only grow, so writing a batch twice, or an
 * older one after a newer one, changes nothing (rules confirmed-flush and month-totals). Each
 * statement locks its rows in key order, so that two flushes cannot deadlock. If a day was already
 * rolled up, its totals become invalid (`roll-up.ts`). What a batch leaves out has no rows.
 *
 * @returns the projects of the batch that exist; counts of others are dropped
 */
export async function recordUsage(
  db: Database,
  {
    hours = [],
    months = [],
    days = [],
    costs = [],
    lastUsed = [],
    secretsUsed = [],
  }: Partial<UsageBatch>,
): Promise<{ knownProjectIds: Set<string> }> {
  return db.sql.begin('isolation level read committed', async (sql) => {
    if (hours.length > 0) {
      await sql.unsafe(SHARE_LOCK, [], PREPARED);
      await sql.unsafe(UPSERT_HOURS, HOURS.parameters(hours), PREPARED);
    }
    if (months.length > 0) {
      await sql.unsafe(UPSERT_MONTHS, MONTHS.parameters(months), PREPARED);
    }
    if (days.length > 0) {
      await sql.unsafe(UPSERT_DAYS, DAYS.parameters(days), PREPARED);
    }
    if (costs.length > 0) {
      await sql.unsafe(UPSERT_COSTS, COSTS.parameters(costs), PREPARED);
    }
    if (lastUsed.length > 0) {
      await sql.unsafe(TOUCH_KEYS, LAST_USES.parameters(lastUsed), PREPARED);
    }
    const ofPrevious = lastUsed.filter(({ previousPrefix }) => previousPrefix !== undefined);
    if (ofPrevious.length > 0) {
      await sql.unsafe(TOUCH_PREVIOUS, LAST_USES.parameters(ofPrevious), PREPARED);
    }
    if (secretsUsed.length > 0) {
      await sql.unsafe(TOUCH_SECRETS, SECRET_USES.parameters(secretsUsed), PREPARED);
    }
    const ids = new Set([...hours, ...months, ...days, ...costs].map((row) => row.projectId));
    const known = await sql.unsafe<{ id: string; isUncalled: boolean }[]>(
      KNOWN_PROJECTS,
      [arrayOf([...ids])],
      PREPARED,
    );
    const uncalled = new Set(known.filter((row) => row.isUncalled).map((row) => row.id));
    const first = hours.filter((row) => row.outcome === 'allowed' && uncalled.has(row.projectId));
    if (first.length > 0) {
      await sql.unsafe(NOTE_FIRST_ALLOWED, HOURS.parameters(first), PREPARED);
    }
    return { knownProjectIds: new Set(known.map((row) => row.id)) };
  });
}

const PREPARED = { prepare: true };

/** All flushes share this lock; `roll-up.ts` takes it exclusively. */
const SHARE_LOCK = `select pg_advisory_xact_lock_shared(${LOCKS.usageWriters})`;

export const HOURS = bulk<UsageHourCount>({
  project_id: ['uuid', (row) => row.projectId],
  hour: ['timestamptz', (row) => new Date(row.hour * MS_PER_HOUR)],
  api_key_id: ['uuid', (row) => row.apiKeyId ?? NO_ID],
  policy_id: ['uuid', (row) => row.policyId ?? NO_ID],
  outcome: ['text', (row) => row.outcome],
  incarnation: ['text', (row) => row.incarnation],
  count: ['bigint', (row) => row.count],
});

export const MONTHS = bulk<UsageMonthCount>({
  project_id: ['uuid', (row) => row.projectId],
  month: ['int', (row) => row.month],
  scope: ['text', (row) => row.scope],
  incarnation: ['text', (row) => row.incarnation],
  count: ['bigint', (row) => row.count],
});

export const DAYS = bulk<UsageDayCount>({
  project_id: ['uuid', (row) => row.projectId],
  day: ['date', (row) => new Date(row.day * MS_PER_DAY)],
  scope: ['text', (row) => row.scope],
  incarnation: ['text', (row) => row.incarnation],
  count: ['bigint', (row) => row.count],
});

const COSTS = bulk<UsageCostCount>({
  project_id: ['uuid', (row) => row.projectId],
  hour: ['timestamptz', (row) => new Date(row.hour * MS_PER_HOUR)],
  api_key_id: ['uuid', (row) => row.apiKeyId],
  kind: ['text', (row) => row.kind],
  incarnation: ['text', (row) => row.incarnation],
  count: ['bigint', (row) => row.count],
});

const LAST_USES = bulk<LastUse>({
  api_key_id: ['uuid', (use) => use.apiKeyId],
  previous_prefix: ['text', (use) => use.previousPrefix ?? null],
  at: ['timestamptz', (use) => use.at],
});

const SECRET_USES = bulk<SecretUse>({
  project_id: ['uuid', (use) => use.projectId],
  secret_digest: ['bytea', (use) => use.secretDigest],
  at: ['timestamptz', (use) => use.at],
});

/** Writes the hours, then invalidates the totals of their days, which are locked in order too. */
const UPSERT_HOURS = `
  with written as (
    ${upsertTotals('usage_hours', HOURS)}
    returning project_id, (hour at time zone 'UTC')::date as day
  ), late as materialized (
    select rolled.project_id, rolled.day
    from (select distinct project_id, day from written order by 1, 2) as changed
    cross join lateral (
      select r.project_id, r.day from usage_rolled_days r
      where r.project_id = changed.project_id and r.day = changed.day for no key update
    ) as rolled
  )
  update usage_rolled_days r set rolled_at = null, late_writes = r.late_writes + 1
  from late where r.project_id = late.project_id and r.day = late.day`;

const SINCE = { sets: 'updated_at = now(), ' };
const UPSERT_MONTHS = upsertTotals('usage_months', MONTHS, SINCE);
const UPSERT_DAYS = upsertTotals('usage_quota_days', DAYS, SINCE);
const UPSERT_COSTS = upsertTotals('usage_cost_hours', COSTS);

/**
 * Skips keys that another transaction has locked, because waiting would delay all counts: their time
 * is updated after their next use. Locks the others in the order of their ids.
 */
const TOUCH_KEYS = `
  with use as (
    select api_key_id, max(at) as at from ${LAST_USES.rows()} group by api_key_id
  ), locked as (
    select k.id from api_keys k join use on use.api_key_id = k.id
    where k.last_used_at is null or k.last_used_at < use.at
    order by k.id for no key update of k skip locked
  )
  update api_keys set last_used_at = greatest(api_keys.last_used_at, use.at)
  from use join locked on locked.id = use.api_key_id
  where api_keys.id = locked.id`;

/** As {@link TOUCH_KEYS}; a secret that another rotation has replaced since has no place any more. */
const TOUCH_PREVIOUS = `
  with locked as (
    select k.id, row.at from api_keys k join ${LAST_USES.rows()} on row.api_key_id = k.id
    where k.previous_prefix = row.previous_prefix
      and (k.previous_last_used_at is null or k.previous_last_used_at < row.at)
    order by k.id for no key update of k skip locked
  )
  update api_keys set previous_last_used_at = locked.at from locked where api_keys.id = locked.id`;

/** As {@link TOUCH_PREVIOUS}, once a minute: every decision reads the row of its project. */
const TOUCH_SECRETS = `
  with locked as (
    select p.id, row.at from projects p join ${SECRET_USES.rows()} on row.project_id = p.id
    where p.previous_secret_digest = row.secret_digest
      and (p.previous_secret_last_used_at is null
        or p.previous_secret_last_used_at < row.at - interval '1 minute')
    order by p.id for no key update of p skip locked
  )
  update projects set previous_secret_last_used_at = locked.at from locked where projects.id = locked.id`;

const KNOWN_PROJECTS = `
  select id, first_allowed_at is null as "isUncalled" from projects
  where id = any(($1::text)::uuid[])`;

/**
 * Notes when projects were first allowed a call: now, or the end of the hour that it was counted in,
 * where that is over. Skips projects that another transaction has locked, as {@link TOUCH_KEYS} skips
 * keys: the flush after their next call notes it.
 */
const NOTE_FIRST_ALLOWED = `
  with first as (
    select project_id, min(hour) + interval '1 hour' as ended_at from ${HOURS.rows()}
    group by project_id
  ), locked as (
    select p.id, first.ended_at from projects p join first on first.project_id = p.id
    where p.first_allowed_at is null order by p.id for no key update of p skip locked
  )
  update projects set first_allowed_at = least(now(), locked.ended_at)
  from locked where projects.id = locked.id`;
