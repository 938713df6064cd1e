import { PROJECT_SCOPE, type ProjectRole } from '@ceiba/domain';
import { type SQL, sql } from 'drizzle-orm';
import { countsAgainstCap } from '../api-key/cap.ts';
import { arrayOf } from '../bulk.ts';
import type { Executor } from '../connection/database.ts';
import { hasText } from '../page.ts';
import { monthNumber } from '../time.ts';
import { isOf } from './of-user.ts';
import { type Problem, rankOf, readProblems } from './problems.ts';

/** A project's summary for a list. */
export interface ProjectAtAGlance {
  projectId: string;
  name: string;
  ownerEmail: string;
  /** The user's role in it. */
  role: ProjectRole;
  planName: string | null;
  /** What is wrong in it, worst first. */
  problems: readonly Problem[];
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
  /** As asked, or that of the last page where the list is shorter. */
  offset: number;
  /** Matching projects on all pages. */
  total: number;
}

/** A user's role in a project that is theirs. */
const roleOf = (userId: string): SQL => sql`case when p.owner_id = ${userId} then 'owner' else
  (select m.role from project_members m where m.project_id = p.id and m.user_id = ${userId}) end`;

/**
 * One page of a user's projects, each with its last 24 hours: those with the worst problem first, then by
 * name. What is wrong is read of all that match, in one statement, and the numbers of the page only.
 */
export async function listProjectsAtAGlance(
  db: { orm: Executor },
  input: { userId: string; nameContains?: string; limit: number; offset: number },
): Promise<ProjectPage> {
  const matches = sql`${isOf(input.userId, sql`id`)}
    and ${hasText(sql`name`, input.nameContains)}`;
  const byName = await db.orm.execute<{ id: string }>(sql`
    select id from projects where ${matches} order by lower(name), id`);
  const problems = await readProblems(
    db,
    byName.map(({ id }) => id),
  );
  const problemsOf = (id: string) => problems.get(id) ?? [];
  const total = byName.length;
  const lastPage = Math.max(0, Math.ceil(total / input.limit) - 1);
  const offset = Math.min(input.offset, lastPage * input.limit);
  const ids = byName
    .map(({ id }) => ({ id, rank: rankOf(problemsOf(id)) }))
    .sort((one, other) => one.rank - other.rank)
    .slice(offset, offset + input.limit)
    .map(({ id }) => id);
  if (ids.length === 0) return { projects: [], offset, total };
  type Row = Omit<ProjectAtAGlance, 'problems'> & Record<string, unknown>;
  const rows = await db.orm.execute<Row>(sql`
    select p.id as "projectId", p.name, ${roleOf(input.userId)} as role,
      owner.email as "ownerEmail", plan.name as "planName",
      (select count(*)::int from api_keys k where k.project_id = p.id and ${countsAgainstCap('k')})
        as "activeKeys",
      coalesce(plan.active_key_cap, 0) as "activeKeyCap",
      coalesce(plan.monthly_quota, 0)::float8 as "monthlyQuota",
      (select coalesce(sum(m.count), 0)::float8 from usage_months m
        where m.project_id = p.id and m.scope = ${PROJECT_SCOPE} and m.month = ${monthNumber()})
        as "usedThisMonth",
      recent.allowed as "allowedByHour", recent.denied as "deniedByHour"
    from unnest(${arrayOf(ids)}::uuid[]) with ordinality as shown(id, position)
    join projects p on p.id = shown.id
    join users owner on owner.id = p.owner_id
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
  const projects = rows.map((row) => ({ ...row, problems: problemsOf(row.projectId) }));
  return { projects, offset, total };
}

export interface ProjectName {
  projectId: string;
  name: string;
  /** The user's role in it. */
  role: ProjectRole;
}

/** A user's projects by name, at most `limit`. */
export async function listProjectNames(
  db: { orm: Executor },
  { userId, limit }: { userId: string; limit: number },
): Promise<ProjectName[]> {
  return [
    ...(await db.orm.execute<ProjectName & Record<string, unknown>>(sql`
      select p.id as "projectId", p.name, ${roleOf(userId)} as role from projects p
      where ${isOf(userId, sql`p.id`)} order by lower(p.name), p.id limit ${limit}`)),
  ];
}
