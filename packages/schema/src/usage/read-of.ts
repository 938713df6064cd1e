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
import { days, decisionsByDay, hoursOfKeys, stepOf, type UsageOfProject } from './decisions.ts';

/** The decisions of a day or a month in UTC. */
export interface UsageOfStep {
  from: Date;
  allowed: number;
  denied: number;
  /** Of the denied: those that a quota or a rate refused; 0 of keys, unless `countsLimited`. */
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
  /** Whether `limited` is counted for keys too, which reads the hours of all days with denials. */
  countsLimited?: boolean;
  /**
   * The most lookups for keys. A key takes one for each day, and 24 for each of its days whose hours are
   * read.
   */
  lookupsMax?: number;
}

const DEFAULT_DAYS = 30;
/** Years outside have another form in JavaScript or in Postgres. */
const FIRST_YEAR = 100;
const LAST_YEAR = 9999;
/** The days of keys are looked up one by one. */
const DAYS_OF_KEYS_MAX = 400;

/**
 * Reads the usage of a project, of one of its customers or of one of its keys, by day or month; the range
 * is widened to whole ones. The usage of a key that was moved is that of its customer of today; the period
 * alone has what was charged to the customer.
 *
 * @returns null when the project has no such customer or key
 * @throws InvalidInputError when the range is empty, too long, or takes too many lookups
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

interface Keys extends Required<Pick<UsageOfInput, 'countsLimited' | 'lookupsMax'>> {
  /** An expression for an array. */
  ids: SQL;
}

/** Null for every decision of the project. */
function keysOf(input: UsageOfInput): Keys | null {
  const { projectId, customerId, apiKeyId } = input;
  const { countsLimited = false, lookupsMax = Number.MAX_SAFE_INTEGER } = input;
  const options = { countsLimited, lookupsMax };
  if (apiKeyId !== undefined) return { ids: sql`array[${apiKeyId}::uuid]`, ...options };
  if (customerId === undefined) return null;
  const ids = sql`array(select k.id from api_keys k
    where k.project_id = ${projectId} and k.customer_id = ${customerId})`;
  return { ids, ...options };
}

/** Costs and calls are counted apart, so that for a moment they may not fit each other. */
async function readSteps(
  db: { orm: Executor },
  usage: UsageOfProject,
  step: UsageOf['step'],
  keys: Keys | null,
): Promise<UsageOfStep[]> {
  const counted = keys === null ? ofProject(usage) : ofKeys(usage, keys);
  const limited = sumOf(sql`= any(${arrayOf(LIMIT_DENIALS)}::text[])`);
  const rows = await db.orm.execute<Row>(sql`
    ${counted}
    select ${toMs(sql`start`)} as "startMs", allowed, denied, limited,
      greatest(allowed + surplus - free, 0) as cost, "isTooMuch"
    from (
      select ${stepOf(sql`at`, step)} as start,
        ${sumOf(sql`= 'allowed'`)} as allowed, ${sumOf(sql`= 'surplus'`)} as surplus,
        ${sumOf(sql`= 'free'`)} as free,
        ${sumOf(sql`not in ('allowed', 'surplus', 'free')`)} as denied,
        ${keys?.countsLimited === false ? sql`0` : limited} as limited,
        bool_or(id = 'too_much') as "isTooMuch"
      from counted group by 1
    ) steps`);
  if (rows.some(({ isTooMuch }) => isTooMuch)) {
    const rule = 'must be later: the keys take too long to read for so many days';
    throw new InvalidInputError([{ field: 'from', rule }]);
  }
  const byStart = new Map(rows.map(({ startMs, isTooMuch: _, ...counts }) => [startMs, counts]));
  return stepsOf(usage, step).map((from) => ({
    from,
    ...(byStart.get(from.getTime()) ?? { allowed: 0, denied: 0, limited: 0, cost: 0 }),
  }));
}

type Row = Omit<UsageOfStep, 'from'> & { startMs: number; isTooMuch: boolean };

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
 * Totals of days have the calls of a key, and neither its limited calls nor its costs: hours are looked up
 * for the days and keys that need them.
 */
const ofKeys = (usage: UsageOfProject, { ids, countsLimited, lookupsMax }: Keys) => {
  const { projectId } = usage;
  const [from, to] = [instant(usage.from), instant(usage.to)];
  const byHour = (table: SQL, id: SQL, isNeeded: SQL) => sql`
    select u.hour, ${id}, u.count
    from (
      select since, until, array_agg(api_key_id) as ids from used
      where ${isNeeded} and (select fits from lookups) group by 1, 2
    ) needed cross join ${hoursOfKeys(table, {
      projectId,
      ids: sql`needed.ids`,
      from: sql`needed.since`,
      to: sql`needed.until`,
    })}`;
  const isByHour = countsLimited ? sql`(not rolled or denied > 0)` : sql`not rolled`;
  /** Read once: where every call costs one, as in most projects, no hour is looked up. */
  const hasCosts = sql`(select exists (
    select from usage_cost_hours c where c.project_id = ${projectId}
      and c.hour >= ${from} and c.hour < ${to}))`;
  const isByHourForCost = sql`(not rolled or allowed > 0) and ${hasCosts}`;
  const perDay = sql`cardinality(owned.ids) * (select count(*) from days)`;
  return sql`
    with owned as materialized (select ${ids} as ids), ${days(usage)}, used as materialized (
      select days.since, days.until, days.rolled, u.* from owned cross join days cross join lateral (
        select t.api_key_id, t.allowed, t.denied from usage_key_days t where days.rolled
          and t.project_id = ${projectId} and t.day = days.day and t.api_key_id = any(owned.ids)
        union all select unnest(owned.ids), null, null where not days.rolled and exists (
          select from usage_hours h where h.project_id = ${projectId}
            and h.hour >= days.since and h.hour < days.until)
        offset 0
      ) u where ${perDay} <= ${lookupsMax}
    ), lookups as materialized (
      select ${perDay} + 24 * (select count(*) filter (where ${isByHour})
        + count(*) filter (where ${isByHourForCost}) from used) <= ${lookupsMax} as fits from owned
    ), counted(at, id, count) as (
      select since, 'allowed', allowed from used where not ${isByHour}
      union all select since, 'denied', denied from used where not ${isByHour}
      union all ${byHour(sql`usage_hours`, sql`u.outcome`, isByHour)}
      union all ${byHour(sql`usage_cost_hours`, sql`u.kind`, isByHourForCost)}
      union all select ${from}, 'too_much', 0 from lookups where not fits
    )`;
};

async function readToday(
  db: { orm: Executor },
  { projectId, now, keys }: { projectId: string; now: Date; keys: Keys | null },
): Promise<number> {
  const today = wholeSteps({ from: now, to: new Date(now.getTime() + 1) }, 'day', 1);
  const [usage] = await readSteps(db, { projectId, ...today }, 'day', keys);
  return usage?.cost ?? 0;
}
