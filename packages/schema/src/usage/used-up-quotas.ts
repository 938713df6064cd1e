import { DAY, nameWithPeriod, QUOTA_THRESHOLDS } from '@ceiba/domain';
import { type SQL, sql } from 'drizzle-orm';
import { monthNumber } from '../time.ts';
import { recentCallers } from './recent-callers.ts';

/** The name of the scope of an id's day, as an expression. */
const dayScope = (id: SQL) => sql`${id} || ${nameWithPeriod('', DAY)}`;

/**
 * A query for the quotas of keys and customers that are used up and deny calls: rows of (project_id, kind,
 * id, name, period, number, used, quota), where `kind` is `api_key` or `customer` and `number` that of
 * the month or day. It begins with the keys whose calls a quota denied in the current hour or the one
 * before, so that it reads no key or customer without such a call.
 *
 * @param projects a query of `project_id`
 */
export const usedUpQuotas = (projects: SQL, at: SQL): SQL =>
  usedQuotas(projects, at, {
    callers: recentCallers(sql`p.project_id`, 'quota_exceeded', at),
    percent: 100,
  });

/**
 * The same for the quotas by month that are used to the first threshold at least. It begins with the keys
 * that had a call allowed in the current hour or the one before.
 */
export const nearlyUsedQuotas = (projects: SQL, at: SQL): SQL => sql`
  select * from (${usedQuotas(projects, at, {
    callers: recentCallers(sql`p.project_id`, 'allowed', at),
    percent: QUOTA_THRESHOLDS[0],
  })}) used where period = 'month' and quota > 0`;

interface Wanted {
  /** A query of `api_key_id` for the project `p`. */
  callers: SQL;
  /** How much of a quota is used at least. */
  percent: number;
}

const usedQuotas = (projects: SQL, at: SQL, { callers, percent }: Wanted): SQL => sql`
  select distinct on (k.project_id, quota.kind, quota.id, quota.period)
    k.project_id, quota.kind, quota.id, quota.name, quota.period, quota.number, used.total as used,
    quota.value as quota
  from (${projects}) p
  cross join lateral (${callers}) caller
  join api_keys k on k.id = caller.api_key_id and k.project_id = p.project_id
    and k.status = 'active'
  left join customers c on c.project_id = k.project_id and c.id = k.customer_id
  left join customer_plans plan on plan.project_id = c.project_id and plan.id = c.plan_id
  cross join lateral (values
    ('api_key', k.id, k.display_name, 'month', k.monthly_quota, ${monthNumber(at)},
      k.id::text),
    ('api_key', k.id, k.display_name, 'day', k.daily_quota, ${dayNumber(at)}, ${dayScope(sql`k.id`)}),
    ('customer', c.id, coalesce(nullif(c.name, ''), c.external_id), 'month',
      coalesce(c.monthly_quota, plan.monthly_quota),
      ${monthNumber(sql`(${at} - (c.billing_day - 1) * interval '24 hours')`)},
      c.id || case c.billing_day when 1 then '' else '@' || c.billing_day end),
    ('customer', c.id, coalesce(nullif(c.name, ''), c.external_id), 'day',
      coalesce(c.daily_quota, plan.daily_quota), ${dayNumber(at)}, ${dayScope(sql`c.id`)})
  ) as quota(kind, id, name, period, value, number, scope)
  cross join lateral (
    select coalesce(sum(count), 0)::bigint as total from (
      select m.count from usage_months m
      where m.project_id = k.project_id and m.month = quota.number and m.scope = quota.scope
      union all
      select d.count from usage_quota_days d
      where d.project_id = k.project_id and d.day = date '1970-01-01' + quota.number
        and d.scope = quota.scope
    ) counts
  ) used
  where quota.value is not null and used.total * 100 >= quota.value * ${sql.raw(String(percent))}
  order by k.project_id, quota.kind, quota.id, quota.period`;

const dayNumber = (at: SQL) => sql`((${at} at time zone 'UTC')::date - date '1970-01-01')`;
