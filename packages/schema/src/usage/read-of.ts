import { LIMIT_DENIALS } from '@ceiba/contract/sets';
import {
  MS_PER_DAY,
  nextStep,
  startOfStep,
  stepsOf,
  USAGE_RANGE_DAYS_MAX,
  type UsageRange,
  type UsageStep,
  wholeSteps,
} from '@ceiba/domain';
import { type SQL, sql } from 'drizzle-orm';
import { getApiKey } from '../api-key/get.ts';
import { arrayOf } from '../bulk.ts';
import type { Database, Executor } from '../connection/database.ts';
import { readCustomerUse } from '../customer/use.ts';
import { InvalidInputError } from '../input.ts';
import { instant, readNow, toMs } from '../time.ts';
import { days, decisionsByDay, stepOf, type UsageOfProject } from './decisions.ts';

/** The decisions of a day or a month in UTC. */
export interface UsageOfStep {
  from: Date;
  allowed: number;
  denied: number;
  /** Of the denied: those that a quota or a rate refused. */
  limited: number;
  /** What the allowed calls cost. */
  cost: number;
}

/** What a customer has used of its quotas, as of the last flush. */
export interface CustomerPeriod extends UsageRange {
  /** Of its month. */
  cost: number;
  /** Of the day in UTC, which is counted while a quota by day limits it. */
  dailyCost: number;
}

export interface UsageOf extends UsageRange {
  step: Exclude<UsageStep, 'hour'>;
  usage: UsageOfStep[];
  /** Of a customer alone: its current month, by its billing day; and its day, whether counted or not. */
  period: CustomerPeriod | null;
}

export interface UsageOfInput {
  projectId: string;
  /** Only the calls of the keys that this customer has now. */
  customerId?: string | undefined;
  /** Only the calls of this key. */
  apiKeyId?: string | undefined;
  /** Default: thirty days before the end. */
  from?: Date | undefined;
  /** Excluded. Default: now, by the database's clock. */
  to?: Date | undefined;
  step: Exclude<UsageStep, 'hour'>;
}

const DEFAULT_DAYS = 30;
/** Years outside have another form in JavaScript or in Postgres. */
const FIRST_YEAR = 100;
const LAST_YEAR = 9999;
/** The hours of keys are looked up one by one. */
const DAYS_OF_KEYS_MAX = 400;

/**
 * Reads the usage of a project, of one of its customers or of one of its keys, by day or month; the range
 * is widened to whole ones. The usage of a key that was moved is that of its customer of today; the period
 * alone has what was charged to the customer.
 *
 * @returns null when the project has no such customer or key
 * @throws InvalidInputError when the range is empty or too long
 */
export async function readUsageOf(db: Database, input: UsageOfInput): Promise<UsageOf | null> {
  const { projectId, customerId, apiKeyId, step } = input;
  // The map's only value: an id may have been given in capitals.
  const [use] = customerId
    ? (await readCustomerUse(db, { projectId, customerIds: [customerId] })).values()
    : [];
  const apiKey = apiKeyId ? await getApiKey(db, { projectId, apiKeyId }) : undefined;
  if ((customerId && use === undefined) || apiKey === null) return null;
  const now = await readNow(db);
  const range = rangeOf(input, now);
  const keys = keysOf(input);
  const usage = await readSteps(db, { projectId, ...range }, step, keys);
  if (use === undefined) return { ...range, step, usage, period: null };
  const today = startOfStep(now, 'day').getTime();
  const read = step === 'day' ? usage.find(({ from }) => from.getTime() === today) : undefined;
  const dailyCost = use.day?.used ?? read?.cost ?? (await readToday(db, { projectId, now, keys }));
  const { from, to, used: cost } = use.month;
  return { ...range, step, usage, period: { from, to, cost, dailyCost } };
}

function rangeOf({ customerId, apiKeyId, from, to, step }: UsageOfInput, now: Date): UsageRange {
  const end = to ?? now;
  const lastDay = nextStep(new Date(end.getTime() - 1), 'day');
  const start = from ?? new Date(lastDay.getTime() - DEFAULT_DAYS * MS_PER_DAY);
  const ofKeys = customerId !== undefined || apiKeyId !== undefined;
  const most = ofKeys ? DAYS_OF_KEYS_MAX : USAGE_RANGE_DAYS_MAX.outcome[step];
  const days = (end.getTime() - start.getTime()) / MS_PER_DAY;
  if (days <= 0) throw new InvalidInputError([{ field: 'to', rule: 'must be after from' }]);
  if (days > most) {
    throw new InvalidInputError([
      { field: 'from', rule: `must be at most ${most} days before to` },
    ]);
  }
  // Before as well, because Date.UTC takes the years before 100 for those of 1900.
  requireYears({ from: start, to: end }, step);
  const whole = wholeSteps({ from: start, to: end }, step, most);
  requireYears(whole, step);
  return whole;
}

function requireYears(range: UsageRange, step: UsageStep): void {
  for (const field of ['from', 'to'] as const) {
    const year = range[field].getUTCFullYear();
    if (year >= FIRST_YEAR && year <= LAST_YEAR) continue;
    const rule = `must lie, in whole ${step}s, within the years 0100 to 9999 in UTC`;
    throw new InvalidInputError([{ field, rule }]);
  }
}

/** An expression for the ids of the keys; null for every decision of the project. */
function keysOf({ projectId, customerId, apiKeyId }: UsageOfInput): SQL | null {
  if (apiKeyId !== undefined) return sql`array[${apiKeyId}::uuid]`;
  if (customerId === undefined) return null;
  return sql`array(select k.id from api_keys k
    where k.project_id = ${projectId} and k.customer_id = ${customerId})`;
}

/** Costs and calls are counted apart, so that for a moment they may not fit each other. */
async function readSteps(
  db: { orm: Executor },
  usage: UsageOfProject,
  step: UsageOf['step'],
  keys: SQL | null,
): Promise<UsageOfStep[]> {
  const counted = keys === null ? ofProject(usage) : ofKeys(usage, keys);
  const rows = await db.orm.execute<Omit<UsageOfStep, 'from'> & { startMs: number }>(sql`
    ${counted}
    select ${toMs(sql`start`)} as "startMs", allowed, denied, limited,
      greatest(allowed + surplus - free, 0) as cost
    from (
      select ${stepOf(sql`at`, step)} as start,
        ${sumOf(sql`= 'allowed'`)} as allowed, ${sumOf(sql`= 'surplus'`)} as surplus,
        ${sumOf(sql`= 'free'`)} as free,
        ${sumOf(sql`not in ('allowed', 'surplus', 'free')`)} as denied,
        ${sumOf(sql`= any(${arrayOf(LIMIT_DENIALS)}::text[])`)} as limited
      from counted group by 1
    ) steps`);
  const byStart = new Map(rows.map(({ startMs, ...counts }) => [startMs, counts]));
  return stepsOf(usage, step).map((from) => ({
    from,
    ...(byStart.get(from.getTime()) ?? { allowed: 0, denied: 0, limited: 0, cost: 0 }),
  }));
}

const sumOf = (isId: SQL) => sql`coalesce(sum(count) filter (where id ${isId}), 0)::float8`;

/** Statements that begin with `with … counted as (at, id, count)`, of outcomes and of kinds of cost. */
const ofProject = (usage: UsageOfProject) => sql`
  with ${days(usage)}, counted as (
    ${decisionsByDay(usage)}
    union all
    select c.hour, c.kind, c.count from usage_cost_hours c
    where c.project_id = ${usage.projectId}
      and c.hour >= ${instant(usage.from)} and c.hour < ${instant(usage.to)}
  )`;

/**
 * Looks the keys up hour by hour and one by one, because a scan of the range would read every key of the
 * project; PostgreSQL 15 scans an hour where it is asked for any of several keys.
 */
const ofKeys = ({ projectId, from, to }: UsageOfProject, keys: SQL) => {
  const rows = (table: SQL, id: SQL) => sql`
    select u.hour, ${id}, u.count
    from hours cross join lateral unnest(hours.keys) as key(id) cross join lateral (
      select * from ${table} h
      where h.project_id = ${projectId} and h.hour = hours.start and h.api_key_id = key.id
      offset 0
    ) u`;
  /** Read once: where every call costs one, as in most projects, no hour is looked up. */
  const hasCosts = sql`(select exists (
    select from usage_cost_hours c where c.project_id = ${projectId}
      and c.hour >= ${instant(from)} and c.hour < ${instant(to)}))`;
  return sql`
    with hours as materialized (
      select start, owned.keys from (select ${keys} as keys) owned, generate_series(
        ${instant(from)}, ${instant(to)} - interval '1 hour', interval '1 hour') as start
    ), counted(at, id, count) as (
      ${rows(sql`usage_hours`, sql`u.outcome`)}
      union all ${rows(sql`usage_cost_hours`, sql`u.kind`)} where ${hasCosts}
    )`;
};

async function readToday(
  db: { orm: Executor },
  { projectId, now, keys }: { projectId: string; now: Date; keys: SQL | null },
): Promise<number> {
  const today = wholeSteps({ from: now, to: new Date(now.getTime() + 1) }, 'day', 1);
  const [usage] = await readSteps(db, { projectId, ...today }, 'day', keys);
  return usage?.cost ?? 0;
}
