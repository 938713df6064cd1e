import {
  ALERT_MEMORY_DAYS,
  type AlertType,
  EXPIRY_LEAD_DAYS,
  FAILED_DECISIONS_MIN,
  KEY_IDLE_DAYS,
  PREVIOUS_SECRET_LEAD_HOURS,
  PROJECT_SCOPE,
  QUOTA_THRESHOLDS,
  UNUSUAL_DENIALS_REPEAT_HOURS,
} from '@ceiba/domain';
import { type SQL, sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { queueAlerts } from '../outbox/queue.ts';
import { clock, monthNumber } from '../time.ts';
import { unusualDenials } from '../usage/unusual-denials.ts';
import { nearlyUsedQuotas, usedUpQuotas } from '../usage/used-up-quotas.ts';

/*
 * Each of these may run in several processes at the same time: the outbox keeps an alert once. A
 * project without a destination for the alert costs nothing. Each call queues a limited number and
 * returns whether there may be more, so that no number of alerts exceeds the time of a statement.
 */

/**
 * Queues an alert for each threshold of the monthly quota that a project has reached. A new month or
 * another quota begins again; a quota of 0 has no thresholds.
 *
 * @param now Default: the database's clock.
 */
export const detectQuotaThresholds = (db: { orm: Executor }, now?: Date): Promise<boolean> =>
  queueAlerts(
    db.orm,
    sql`
      select w.project_id, ${typeOf('quota.threshold_reached')} as type,
        concat_ws(':', this.month, reached.threshold, plan.monthly_quota) as subject,
        jsonb_build_object('threshold', reached.threshold, 'month', this.month,
          'used', usage.used, 'monthlyQuota', plan.monthly_quota) as data
      from ${watching('quota.threshold_reached')} w
      join subscriptions s on s.project_id = w.project_id
      join plans plan on plan.id = s.plan_id and plan.monthly_quota > 0
      cross join ${judged(now)}
      cross join lateral (
        select to_char(judged.at at time zone 'UTC', 'YYYY-MM') as month
      ) this
      cross join lateral (
        select sum(u.count)::bigint as used from usage_months u
        where u.project_id = w.project_id and u.scope = ${PROJECT_SCOPE}
          and u.month = ${monthNumber(sql`judged.at`)}
      ) usage
      cross join (values ${values(QUOTA_THRESHOLDS)}) as reached(threshold)
      where usage.used * 100 >= plan.monthly_quota * reached.threshold`,
  );

/**
 * Queues an alert for each active key that expires within 7 days, and another within 1 day. A key
 * that was created to live for less has none for that time.
 *
 * @param now Default: the database's clock.
 */
export const detectExpiringKeys = (db: { orm: Executor }, now?: Date): Promise<boolean> =>
  queueAlerts(
    db.orm,
    sql`
      select k.project_id, ${typeOf('api_key.expiring')} as type,
        concat_ws(':', k.id, date_part('epoch', k.expires_at), lead.days) as subject,
        jsonb_build_object('apiKeyId', k.id, 'displayName', k.display_name,
          'keyPrefix', k.key_prefix, 'withinDays', lead.days,
          'expiresAt', ${exactText(sql`k.expires_at`)}
        ) as data
      from ${watching('api_key.expiring')} w
      join api_keys k on k.project_id = w.project_id and k.status = 'active'
        and k.expires_at > ${clock(now)}
        and k.expires_at <= ${clock(now)} + make_interval(days => ${Math.max(...EXPIRY_LEAD_DAYS)})
      cross join lateral (
        select min(days) as days from (values ${values(EXPIRY_LEAD_DAYS)}) as lead(days)
        where k.expires_at <= ${clock(now)} + make_interval(days => days)
      ) lead
      where k.expires_at - k.created_at > make_interval(days => lead.days)`,
  );

/**
 * Queues an alert for each hour of the last day in which decisions of a project failed, once they are
 * as many as {@link FAILED_DECISIONS_MIN}. Failures before the project had a destination are left
 * out. A Runtime reports them when it reaches Postgres, so an alert may come after the outage.
 *
 * @param now Default: the database's clock.
 */
export const detectFailingDecisions = (db: { orm: Executor }, now?: Date): Promise<boolean> =>
  queueAlerts(
    db.orm,
    sql`
      select f.project_id, ${typeOf('decisions.failing')} as type,
        ${utcText(sql`date_trunc('hour', f.minute, 'UTC')`)} as subject,
        jsonb_build_object('since', ${utcText(sql`min(f.minute)`)}, 'failed', sum(f.failed),
          'causes', jsonb_agg(distinct f.cause)) as data
      from ${watching('decisions.failing')} w
      join decision_failures f on f.project_id = w.project_id
        and f.minute >= date_trunc('minute', w.since, 'UTC')
        and f.minute > ${clock(now)} - interval '1 day'
      group by f.project_id, date_trunc('hour', f.minute, 'UTC')
      having sum(f.failed) >= ${FAILED_DECISIONS_MIN}`,
  );

/**
 * Queues an alert for each status with which a project denies more calls than is usual in an hour: the
 * current one, or else the one before. While they stay unusual, it comes again after
 * {@link UNUSUAL_DENIALS_REPEAT_HOURS}. Hours before the project had a destination are left out.
 *
 * @param now Default: the database's clock.
 */
export const detectUnusualDenials = (db: { orm: Executor }, now?: Date): Promise<boolean> => {
  const watched = watching('denials.unusual');
  const subjectAt = (hour: SQL) => sql`concat_ws(':', u.status, ${utcText(hour)})`;
  return queueAlerts(
    db.orm,
    sql`
      select u.project_id, ${typeOf('denials.unusual')} as type, ${subjectAt(sql`u.hour`)} as subject,
        jsonb_build_object('status', u.status, 'hour', ${utcText(sql`u.hour`)}, 'denied', u.count,
          'usual', u.usual) as data
      from (${unusualDenials(sql`select project_id from ${watched} w`, clock(now), 'last')}) u
      join ${watched} w on w.project_id = u.project_id
        and u.hour >= date_trunc('hour', w.since, 'UTC')
      where not exists (
        select from generate_series(1, ${sql.raw(String(UNUSUAL_DENIALS_REPEAT_HOURS - 1))}) as ago
        join alert_events e on e.project_id = u.project_id
          and e.type = ${typeOf('denials.unusual')}
          and e.subject = ${subjectAt(sql`(u.hour - ago * interval '1 hour')`)})`,
  );
};

/**
 * Queues an alert for each quota of a key or a customer that is used up and denied a call in this hour or
 * the one before. Another period or another quota begins again.
 *
 * @param now Default: the database's clock.
 */
export const detectUsedUpQuotas = (db: { orm: Executor }, now?: Date): Promise<boolean> =>
  queueQuotas(db, 'quota_used_up', usedUpQuotas, now);

/**
 * Queues an alert for each monthly quota of a key or a customer that is used to the first of
 * {@link QUOTA_THRESHOLDS} and had a call allowed in this hour or the one before. Another month or another
 * quota begins again.
 *
 * @param now Default: the database's clock.
 */
export const detectNearlyUsedQuotas = (db: { orm: Executor }, now?: Date): Promise<boolean> =>
  queueQuotas(db, 'quota_nearly_used', nearlyUsedQuotas, now);

const queueQuotas = (
  db: { orm: Executor },
  event: 'quota_used_up' | 'quota_nearly_used',
  quotas: (projects: SQL, at: SQL) => SQL,
  now: Date | undefined,
): Promise<boolean> =>
  queueAlerts(
    db.orm,
    sql`
      select q.project_id, q.kind || ${`.${event}`} as type,
        concat_ws(':', q.id, q.period, q.number, q.quota) as subject,
        case q.kind when 'api_key' then jsonb_build_object('apiKeyId', q.id, 'displayName', q.name)
          else jsonb_build_object('customerId', q.id, 'name', q.name) end
          || jsonb_build_object('period', q.period, 'used', q.used, 'quota', q.quota) as data
      from ${judged(now)}
      cross join lateral (${quotas(
        sql`select project_id from ${watching(`api_key.${event}`)} k
          union select project_id from ${watching(`customer.${event}`)} c`,
        sql`judged.at`,
      )}) q`,
  );

/**
 * Queues an alert for each active key whose replaced secret ends within a day and was used in the day
 * before: its caller has not changed over.
 *
 * @param now Default: the database's clock.
 */
export const detectPreviousSecrets = (db: { orm: Executor }, now?: Date): Promise<boolean> =>
  queueAlerts(
    db.orm,
    sql`
      select k.project_id, ${typeOf('api_key.previous_secret_used')} as type,
        concat_ws(':', k.id, date_part('epoch', k.previous_expires_at)) as subject,
        jsonb_build_object('apiKeyId', k.id, 'displayName', k.display_name,
          'keyPrefix', k.previous_prefix, 'lastUsedAt', ${exactText(sql`k.previous_last_used_at`)},
          'validUntil', ${exactText(sql`k.previous_expires_at`)}) as data
      from ${watching('api_key.previous_secret_used')} w
      join api_keys k on k.project_id = w.project_id and k.status = 'active'
        and k.previous_prefix is not null and k.previous_expires_at > ${clock(now)}
        and k.previous_expires_at <= ${clock(now)} + interval '1 day'
        and k.previous_last_used_at > ${clock(now)} - interval '1 day'`,
  );

/**
 * Queues an alert for each project whose previous secret ends within {@link PREVIOUS_SECRET_LEAD_HOURS}
 * and was used in the hour before: a host has not changed over.
 *
 * @param now Default: the database's clock.
 */
export const detectPreviousProjectSecrets = (db: { orm: Executor }, now?: Date): Promise<boolean> =>
  queueAlerts(
    db.orm,
    sql`
      select p.id as project_id, ${typeOf('project.previous_secret_used')} as type,
        date_part('epoch', p.previous_secret_expires_at)::text as subject,
        jsonb_build_object(
          'lastUsedAt', ${exactText(sql`p.previous_secret_last_used_at`)},
          'validUntil', ${exactText(sql`p.previous_secret_expires_at`)}) as data
      from ${watching('project.previous_secret_used')} w
      join projects p on p.id = w.project_id and p.previous_secret_digest is not null
        and p.previous_secret_expires_at > ${clock(now)}
        and p.previous_secret_expires_at
          <= ${clock(now)} + make_interval(hours => ${PREVIOUS_SECRET_LEAD_HOURS})
        and p.previous_secret_last_used_at > ${clock(now)} - interval '1 hour'`,
  );

/**
 * Queues an alert for each active key that has become idle since its project has a destination, and within
 * {@link ALERT_MEMORY_DAYS} days: unused for {@link KEY_IDLE_DAYS} days. A key that is used again begins
 * again.
 *
 * @param now Default: the database's clock.
 */
export const detectIdleKeys = (db: { orm: Executor }, now?: Date): Promise<boolean> => {
  const used = sql`coalesce(k.last_used_at, k.created_at)`;
  const idleAt = sql`${used} + make_interval(days => ${KEY_IDLE_DAYS})`;
  return queueAlerts(
    db.orm,
    sql`
      select k.project_id, ${typeOf('api_key.idle')} as type,
        concat_ws(':', k.id, date_part('epoch', ${used})) as subject,
        jsonb_build_object('apiKeyId', k.id, 'displayName', k.display_name,
          'keyPrefix', k.key_prefix, 'createdAt', ${exactText(sql`k.created_at`)},
          'lastUsedAt', ${exactText(sql`k.last_used_at`)}) as data
      from ${watching('api_key.idle')} w
      join api_keys k on k.project_id = w.project_id and k.status = 'active'
        and ${idleAt} <= ${clock(now)} and ${idleAt} >= w.since
        and ${idleAt} > ${clock(now)} - make_interval(days => ${ALERT_MEMORY_DAYS})`,
  );
};

/**
 * The instants whose day and month are judged: now, and in the first hour of a day also an hour before,
 * so that what the last calls of a period used up is found. Every period ends with a day in UTC.
 */
const judged = (now: Date | undefined): SQL => sql`(
  select ${clock(now)} as at union all select ${clock(now)} - interval '1 hour'
  where date_part('hour', ${clock(now)} at time zone 'UTC') = 0
) judged`;

const typeOf = (type: AlertType) => sql`${type}::text`;

/** The projects with an enabled destination for a type, and since when they have one. */
const watching = (type: AlertType) => sql`(
  select project_id, min(created_at) as since from alert_destinations
  where disabled_at is null and ${type} = any(event_types) group by project_id
)`;

const values = (numbers: readonly number[]): SQL =>
  sql.raw(numbers.map((number) => `(${number})`).join(', '));

/** To the ms. */
const exactText = (at: SQL) =>
  sql`to_char(${at} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const utcText = (at: SQL) => sql`to_char(${at} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;
