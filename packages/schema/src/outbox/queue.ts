import { type SQL, sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { hasConsent } from './consent-of.ts';

/**
 * Queues alerts: each once, and a delivery of it to every destination of its project that is enabled,
 * wants its type, and has confirmed that it wants mail. An alert that no destination wants is not queued. It commits with the rest of
 * the transaction, or not at all. A call queues up to {@link EVENTS_MAX}.
 *
 * @param candidates A query of `project_id`, `type`, `subject` and `data` (jsonb). Two candidates
 *   with the same first three are one alert, however many processes find them.
 * @returns whether there may be more to queue
 */
export async function queueAlerts(tx: Executor, candidates: SQL): Promise<boolean> {
  const [row] = await tx.execute<{ found: number }>(sql`
    with candidate as materialized (
      select c.* from (${candidates}) c
      where exists (select from alert_destinations d where ${wants(sql`c`)})
        -- Not a join: one probe of the unique index for each, whatever the planner expects.
        and (select e.id from alert_events e where e.project_id = c.project_id
          and e.type = c.type and e.subject = c.subject) is null
      limit ${EVENTS_MAX}
    ), event as (
      insert into alert_events (project_id, type, subject, data)
      select c.project_id, c.type, c.subject,
        jsonb_build_object('project', jsonb_build_object('id', p.id, 'name', p.name)) || c.data
      from candidate c join projects p on p.id = c.project_id
      order by c.project_id, c.type, c.subject
      on conflict (project_id, type, subject) do nothing
      returning id, project_id, type
    ), delivery as (
      insert into alert_deliveries (event_id, destination_id)
      select event.id, d.id from event join alert_destinations d on ${wants(sql`event`)}
      order by event.id, d.id
    )
    select count(*)::int as found from candidate`);
  return row?.found === EVENTS_MAX;
}

/** A statement of so many, each to every destination of its project, ends within a second or two. */
const EVENTS_MAX = 1_000;

const wants = (event: SQL) =>
  sql`d.project_id = ${event}.project_id and d.disabled_at is null
    and ${event}.type = any(d.event_types) and ${hasConsent(sql`d`)}`;
