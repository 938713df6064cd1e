import { sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { searchText } from '../page.ts';
import { admitsNow } from '../subscription/admits.ts';
import { monthNumber } from '../time.ts';

/** A project's summary for a list. */
export interface ProjectAtAGlance {
  projectId: string;
  name: string;
  planName: string | null;
  /** Whether the subscription allows requests now. */
  admits: boolean;
  activeKeys: number;
  activeKeyCap: number;
  usedThisMonth: number;
  monthlyQuota: number;
  /** 24 numbers: the current hour is last. */
  allowedByHour: number[];
  deniedByHour: number[];
}

export interface ProjectPage {
  projects: ProjectAtAGlance[];
  /** Matching projects on all pages. */
  total: number;
}

/**
 * One page of an owner's projects by name, each with its last 24 hours. The first statement finds the
 * page, the second reads the numbers of its projects only.
 */
export async function listProjectsAtAGlance(
  db: { orm: Executor },
  input: { ownerId: string; nameContains?: string; limit: number; offset: number },
): Promise<ProjectPage> {
  const matches = sql`owner_id = ${input.ownerId}
    and position(lower(${searchText(input.nameContains) ?? ''}) in lower(name)) > 0`;
  const page = await db.orm.execute<{ id: string; total: number }>(sql`
    select id, count(*) over ()::int as total from projects where ${matches}
    order by lower(name), id limit ${input.limit} offset ${input.offset}`);
  const ids = page.map((row) => row.id);
  if (ids.length === 0) return { projects: [], total: 0 };
  const rows = await db.orm.execute<ProjectAtAGlance & Record<string, unknown>>(sql`
    select p.id as "projectId", p.name, plan.name as "planName",
      coalesce(${sql.raw(admitsNow('s'))}, false) as admits,
      (select count(*)::int from api_keys k where k.project_id = p.id and k.status = 'active')
        as "activeKeys",
      coalesce(plan.active_key_cap, 0) as "activeKeyCap",
      coalesce(plan.monthly_quota, 0) as "monthlyQuota",
      (select coalesce(sum(m.count), 0)::float8 from usage_months m
        where m.project_id = p.id and m.scope = 'project' and m.month = ${monthNumber()})
        as "usedThisMonth",
      recent.allowed as "allowedByHour", recent.denied as "deniedByHour"
    from unnest(${`{${ids.join(',')}}`}::uuid[]) with ordinality as shown(id, position)
    join projects p on p.id = shown.id
    left join subscriptions s on s.project_id = p.id
    left join plans plan on plan.id = s.plan_id
    cross join lateral (
      select json_agg(coalesce(u.allowed, 0) order by hours.hour) as allowed,
        json_agg(coalesce(u.denied, 0) order by hours.hour) as denied
      from generate_series(date_trunc('hour', now()) - interval '23 hours',
        date_trunc('hour', now()), interval '1 hour') as hours(hour)
      left join (
        select hour, sum(count) filter (where outcome = 'allowed')::float8 as allowed,
          sum(count) filter (where outcome <> 'allowed')::float8 as denied
        from usage_hours
        where project_id = p.id and hour >= date_trunc('hour', now()) - interval '23 hours'
        group by hour
      ) u on u.hour = hours.hour
    ) recent
    order by shown.position`);
  return { projects: [...rows], total: page[0]?.total ?? 0 };
}

/** An owner's projects by name, at most `limit`. */
export async function listProjectNames(
  db: { orm: Executor },
  { ownerId, limit }: { ownerId: string; limit: number },
): Promise<{ projectId: string; name: string }[]> {
  return [
    ...(await db.orm.execute<{ projectId: string; name: string }>(sql`
      select id as "projectId", name from projects where owner_id = ${ownerId}
      order by lower(name), id limit ${limit}`)),
  ];
}
