import { type DenialStatus, HTTP_STATUS_FOR_DENIAL } from '@ceiba/contract/sets';
import { UNUSUAL_DENIALS_FACTOR, UNUSUAL_DENIALS_MIN, USUAL_DAYS } from '@ceiba/domain';
import { type SQL, sql } from 'drizzle-orm';

/** An hour in which a project denied more calls with a status than is usual. */
export interface UnusualDenials {
  status: DenialStatus;
  /** The start of the hour. */
  hour: Date;
  /** The denials of the hour so far. */
  count: number;
  /** The average of the same hour of the days before, rounded. */
  usual: number;
}

const STATUS = sql.raw(
  `case outcome ${Object.entries(HTTP_STATUS_FOR_DENIAL)
    .map(([reason, status]) => `when '${reason}' then ${status}`)
    .join(' ')} end`,
);

/** Denials of hours, from the totals of their day where these are valid, and else from its hours. */
const denialsIn = (hours: SQL): SQL => sql`
  select at.project_id, at.hour, ${STATUS} as status, u.count
  from (
    select h.*, exists (select from usage_rolled_days r where r.project_id = h.project_id
      and r.day = (h.hour at time zone 'UTC')::date and r.rolled_at is not null) as rolled
    from (${hours}) h offset 0
  ) at
  cross join lateral (
    select t.outcome, t.count from usage_outcome_hours t
    where at.rolled and t.project_id = at.project_id and t.hour = at.hour
      and t.outcome <> 'allowed'
    union all
    select t.outcome, t.count from usage_hours t
    where not at.rolled and t.project_id = at.project_id and t.hour = at.hour
      and t.outcome <> 'allowed'
    offset 0
  ) u`;

/**
 * A query for unusual denials, by the rule in `problems.ts` of domain: rows of (project_id, status, hour,
 * count, usual). Of a status it has one such hour among the current one, as far as it is counted, and the
 * one before. Days before are read only where the hour has enough denials.
 *
 * @param projects a query of `project_id`
 * @param which of the two hours, if both are unusual
 */
export const unusualDenials = (projects: SQL, at: SQL, which: 'first' | 'last'): SQL => sql`
  select distinct on (recent.project_id, recent.status) recent.*, round(usual.average) as usual
  from (
    select project_id, hour, status, sum(count) as count
    from (${denialsIn(sql`
      select p.project_id, date_trunc('hour', ${at}, 'UTC') - ago * interval '1 hour' as hour
      from (${projects}) p, generate_series(0, 1) as ago`)}) hours
    group by project_id, hour, status having sum(count) >= ${sql.raw(String(UNUSUAL_DENIALS_MIN))}
  ) recent
  cross join lateral (
    select coalesce(sum(count), 0) / ${sql.raw(String(USUAL_DAYS))} as average
    from (${denialsIn(sql`
      select recent.project_id, recent.hour - ago * interval '24 hours' as hour
      from generate_series(1, ${sql.raw(String(USUAL_DAYS))}) as ago`)}) days
    where status = recent.status
  ) usual
  where recent.count > ${sql.raw(String(UNUSUAL_DENIALS_FACTOR))} * usual.average
  order by recent.project_id, recent.status, recent.hour ${sql.raw(which === 'last' ? 'desc' : 'asc')}`;
