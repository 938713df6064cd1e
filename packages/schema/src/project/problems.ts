import type { SubscriptionStatus } from '@ceiba/contract';
import {
  DAY,
  LAPSED_BY,
  type LimitWindow,
  nameWithPeriod,
  PROBLEM_KINDS,
  PROJECT_SCOPE,
  QUOTA_NEARLY_USED,
  UNUSUAL_DENIALS_MIN,
} from '@ceiba/domain';
import { type SQL, sql } from 'drizzle-orm';
import { expiresSoon } from '../api-key/hints.ts';
import { arrayOf } from '../bulk.ts';
import type { Executor } from '../connection/database.ts';
import { lapsedCustomers } from '../customer/lapsed.ts';
import { admitsNow } from '../subscription/admits.ts';
import { clock, monthNumber, toMs } from '../time.ts';
import { type UnusualDenials, unusualDenials } from '../usage/unusual-denials.ts';
import { usedUpQuotas } from '../usage/used-up-quotas.ts';

interface Quota {
  window: Exclude<LimitWindow, 'minute'>;
  used: number;
  quota: number;
}

/** Several of a kind; the first is named. */
interface Several {
  count: number;
  id: string;
  name: string;
}

/** Why a subscription has lapsed. */
export type LapseReason = (typeof LAPSED_BY)[SubscriptionStatus];

/** Why a subscription denies every call. */
export type InactiveReason = 'no_subscription' | LapseReason;

/** What is wrong in a project. */
export type Problem =
  /** Every call is denied until someone changes the subscription. */
  | { kind: 'subscription_inactive'; reason: InactiveReason }
  /** Every call is denied until the month or the day ends. */
  | ({ kind: 'quota_used_up' } & Quota)
  | ({ kind: 'unusual_denials' } & UnusualDenials)
  /** Their plan has lapsed, and calls of their keys were denied for it in this hour or the one before. */
  | ({ kind: 'customers_lapsed'; reason: LapseReason } & Several)
  /** Their calls were denied in this hour or the one before. */
  | ({ kind: 'customer_quota_used_up' | 'api_key_quota_used_up' } & Several)
  /** Active keys that expire within a week; the first one named. */
  | ({ kind: 'api_keys_expiring'; firstAt: Date } & Several)
  | ({ kind: 'quota_nearly_used' } & Quota);

/** What denies the calls of a project: all of them, or all that cost something. */
export type DenyingProblem = Of<'subscription_inactive' | 'quota_used_up'>;

type Of<Kind extends Problem['kind']> = Extract<Problem, { kind: Kind }>;

type PlanRow = {
  status: SubscriptionStatus | null;
  admits: boolean;
  monthlyQuota: number | null;
  dailyQuota: number | null;
  usedThisMonth: number;
  usedToday: number;
};

type Row = PlanRow & {
  projectId: string;
  denials: (Omit<UnusualDenials, 'hour'> & { hourMs: number })[] | null;
  lapsed: (Several & { status: SubscriptionStatus }) | null;
  quotas: ({ kind: 'customer' | 'api_key' } & Several)[] | null;
  expiring: (Several & { firstAtMs: number }) | null;
};

/**
 * Reads what is wrong in some projects, each worst first, in one statement. What follows from a problem
 * that is listed is left out: denials with 403, and those of customers, while the subscription denies
 * every call, and denials with 429 while the project's quota does.
 *
 * @param now Default: the database's clock. Subscriptions are always judged by that.
 * @returns the projects with a problem
 */
export async function readProblems(
  db: { orm: Executor },
  projectIds: readonly string[],
  now?: Date,
): Promise<Map<string, Problem[]>> {
  if (projectIds.length === 0) return new Map();
  const at = clock(now);
  const project = sql`select p.id as project_id`;
  // A subquery, which Postgres evaluates once and not once per row.
  const startOfHour = sql`(select date_trunc('hour', ${at}, 'UTC'))`;
  // The denials of a project are read once, to read on only where they could be one of three problems.
  const rows = await db.orm.execute<Row>(sql`
    select p.id as "projectId", ${planColumns(at)},
      case when denied.most >= ${UNUSUAL_DENIALS_MIN} then
        (select json_agg(json_build_object('status', status, 'count', count,
            'usual', usual, 'hourMs', ${toMs(sql`hour`)}) order by status)
          from (${unusualDenials(project, at, 'first')}) u)
      end as denials,
      case when 'inactive_subscription' = any(denied.outcomes) then
        (select json_build_object('count', count(*), 'id', (array_agg(id order by name, id))[1],
            'name', min(name), 'status', (array_agg(status order by name, id))[1])
          from (${lapsedCustomers(sql`p.id`, at)}) l having count(*) > 0)
      end as lapsed,
      case when 'quota_exceeded' = any(denied.outcomes) then
        (select json_agg(of_kind) from (
          select kind, count(distinct id) as count, (array_agg(id order by name, id))[1] as id,
            min(name) as name from (${usedUpQuotas(project, at)}) q group by kind
        ) of_kind)
      end as quotas,
      (select json_build_object('count', count(*), 'firstAtMs', ${toMs(sql`min(expires_at)`)},
          'id', (array_agg(id order by expires_at, id))[1],
          'name', (array_agg(display_name order by expires_at, id))[1])
        from api_keys where project_id = p.id and ${expiresSoon(at)} having count(*) > 0) as expiring
    from unnest(${arrayOf(projectIds)}::uuid[]) as shown(id)
    join projects p on p.id = shown.id
    ${PLAN_OF_PROJECT}
    cross join lateral (
      select array_agg(outcome) as outcomes,
        greatest(sum(count) filter (where hour = ${startOfHour}),
          sum(count) filter (where hour < ${startOfHour})) as most
      from usage_hours where project_id = p.id and outcome <> 'allowed'
        and hour >= ${startOfHour} - interval '1 hour' and hour <= ${at}
    ) denied`);
  return new Map(
    rows.flatMap((row) => {
      const problems = problemsOf(row);
      return problems.length === 0 ? [] : [[row.projectId, problems]];
    }),
  );
}

/** What denies the calls of one project, as {@link readProblems} judges it: some look-ups by index. */
export async function readDenyingProblems(
  db: { orm: Executor },
  projectId: string,
  now?: Date,
): Promise<DenyingProblem[]> {
  const rows = await db.orm.execute<PlanRow>(sql`
    select ${planColumns(clock(now))} from projects p ${PLAN_OF_PROJECT} where p.id = ${projectId}`);
  return rows.flatMap(denyingProblems);
}

const PLAN_OF_PROJECT = sql`left join subscriptions s on s.project_id = p.id
  left join plans plan on plan.id = s.plan_id`;

/** The columns of a {@link PlanRow}. */
const planColumns = (at: SQL): SQL => sql`s.status,
  coalesce(${sql.raw(admitsNow('s'))}, false) as admits,
  plan.monthly_quota::float8 as "monthlyQuota", plan.daily_quota::float8 as "dailyQuota",
  (select coalesce(sum(count), 0)::float8 from usage_months where project_id = p.id
    and scope = ${PROJECT_SCOPE} and month = (select ${monthNumber(at)})) as "usedThisMonth",
  case when plan.daily_quota is null then 0 else
    (select coalesce(sum(count), 0)::float8 from usage_quota_days where project_id = p.id
      and scope = ${nameWithPeriod(PROJECT_SCOPE, DAY)} and day = (${at} at time zone 'UTC')::date)
  end as "usedToday"`;

/** The rank of the worst problem, from 0; more than any kind's without one. */
export const rankOf = (problems: readonly Problem[]): number =>
  Math.min(PROBLEM_KINDS.length, ...problems.map(({ kind }) => PROBLEM_KINDS.indexOf(kind)));

function problemsOf(row: Row): Problem[] {
  const { admits, expiring } = row;
  const limited = quotasOf(row);
  const usedUp = limited.find(isUsedUp);
  const problems: Problem[] = denyingProblems(row);
  for (const { hourMs, ...denials } of row.denials ?? []) {
    const isConsequence = denials.status === 403 ? !admits : denials.status === 429 && usedUp;
    if (isConsequence) continue;
    problems.push({ kind: 'unusual_denials', ...denials, hour: new Date(hourMs) });
  }
  if (row.lapsed !== null && admits) {
    const { status, ...several } = row.lapsed;
    problems.push({ kind: 'customers_lapsed', ...several, reason: LAPSED_BY[status] });
  }
  for (const { kind, ...several } of row.quotas ?? []) {
    problems.push({ kind: `${kind}_quota_used_up`, ...several });
  }
  if (expiring !== null) {
    const { firstAtMs, ...several } = expiring;
    problems.push({ kind: 'api_keys_expiring', ...several, firstAt: new Date(firstAtMs) });
  }
  const nearly = usedUp ? undefined : limited.find(isNearlyUsed);
  if (nearly) problems.push({ kind: 'quota_nearly_used', ...nearly });
  return problems.sort((a, b) => rankOf([a]) - rankOf([b]));
}

function denyingProblems(row: PlanRow): DenyingProblem[] {
  const { status, admits } = row;
  const problems: DenyingProblem[] = [];
  if (!admits) {
    const reason = status === null ? 'no_subscription' : LAPSED_BY[status];
    problems.push({ kind: 'subscription_inactive', reason });
  }
  const usedUp = quotasOf(row).find(isUsedUp);
  if (usedUp) problems.push({ kind: 'quota_used_up', ...usedUp });
  return problems;
}

/** The quotas that the plan has. */
function quotasOf({ usedThisMonth, monthlyQuota, usedToday, dailyQuota }: PlanRow): Quota[] {
  const quotas = [
    { window: 'month', used: usedThisMonth, quota: monthlyQuota },
    { window: 'day', used: usedToday, quota: dailyQuota },
  ] as const;
  return quotas.flatMap(({ quota, ...use }) => (quota === null ? [] : { ...use, quota }));
}

const isUsedUp = ({ used, quota }: Quota) => used >= quota;
const isNearlyUsed = ({ used, quota }: Quota) => used >= quota * QUOTA_NEARLY_USED;
