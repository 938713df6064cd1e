import { type DenialStatus, denialReasonsOf } from '@ceiba/contract/sets';
import { eq, type SQL, sql } from 'drizzle-orm';
import { arrayOf } from '../bulk.ts';
import type { Executor } from '../connection/database.ts';
import { type FindInProjects, placesOf, selectInProjects } from '../in-projects.ts';
import { searchText, startsWith, storable, UUID_ID } from '../page.ts';
import { decisions } from '../tables.ts';
import { type DecisionRecord, isDecision } from './list.ts';

export type FoundDecision = Pick<DecisionRecord, 'decisionId' | 'method' | 'path' | 'outcome'> & {
  projectId: string;
};

/** Recorded decisions of several projects, by their ID or by the request ID of the host. */
export async function findDecisionsInProjects(
  db: { orm: Executor },
  input: FindInProjects,
): Promise<FoundDecision[]> {
  const text = searchText(input.text);
  if (text === null) return [];
  const id = text.toLowerCase();
  const { decisionId, method, path, outcome, at, requestId } = decisions;
  const found = selectInProjects(input, {
    table: decisions,
    columns: { decisionId, method, path, outcome },
    id: decisionId,
    at,
    conditions: [
      ...(UUID_ID.test(id) ? [{ where: isDecision(id) }] : []),
      { where: eq(requestId, text), by: sql`${at} desc, ${decisionId} desc` },
    ],
  });
  return [...(await db.orm.execute<FoundDecision & Record<string, unknown>>(found))];
}

/** How far back a project is asked whether it has such requests, so that many days cost no more. */
export const LOGGED_DAYS_SEARCHED = 7;

/** Those of several projects, in their order, that logged such a request within the last seven days. */
export async function findProjectsWithRequests(
  db: { orm: Executor },
  {
    projectIds,
    of,
    limit,
  }: Pick<FindInProjects, 'projectIds' | 'limit'> & {
    of: { status: DenialStatus } | { pathPrefix: string };
  },
): Promise<string[]> {
  if (projectIds.length === 0) return [];
  // The limits keep Postgres from joining the projects with all that was logged.
  const logged = (condition: SQL) => sql`select 1 from ${decisions}
    where ${decisions.projectId} = place.project_id and ${condition}
      and ${decisions.at} > now() - make_interval(days => ${LOGGED_DAYS_SEARCHED}::int) limit 1`;
  const one =
    'status' in of
      ? sql`select 1 from unnest((${arrayOf(denialReasonsOf(of.status))}::text)::text[]) as denial(reason)
        cross join lateral (${logged(sql`${decisions.outcome} = denial.reason`)}) of_reason limit 1`
      : logged(startsWith(decisions.path, storable(of.pathPrefix)));
  const rows = await db.orm.execute<{ projectId: string }>(sql`
    select place.project_id as "projectId" from ${placesOf(projectIds)}
    cross join lateral (${one}) found order by place.position limit ${limit}`);
  return rows.map(({ projectId }) => projectId);
}
