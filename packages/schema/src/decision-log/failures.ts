import type { Database } from '../connection/database.ts';
import { listOf } from '../usage/record.ts';

/** Decisions of a minute that were answered with 503, as the total of an incarnation. */
export interface DecisionFailureCount {
  /** As the request named it; counts of projects that do not exist are dropped. */
  projectId: string;
  /** Whole minutes since 1970-01-01T00:00Z. */
  minute: number;
  /** Letters and digits only. */
  cause: string;
  /** Letters and digits only. */
  incarnation: string;
  failed: number;
}

/** Writes totals, which only grow: writing them again changes nothing. */
export async function recordDecisionFailures(
  db: Database,
  rows: readonly DecisionFailureCount[],
): Promise<void> {
  await db.sql.unsafe(UPSERT, [
    listOf(rows.map((row) => row.projectId)),
    listOf(rows.map((row) => row.minute)),
    listOf(rows.map((row) => row.cause)),
    listOf(rows.map((row) => row.incarnation)),
    listOf(rows.map((row) => row.failed)),
  ]);
}

/** In key order, so that two writers cannot deadlock. */
const UPSERT = `
  insert into decision_failures (project_id, minute, cause, incarnation, failed)
  select row.project_id, to_timestamp(row.minute::float8 * 60), row.cause, row.incarnation, row.failed
  from unnest(($1::text)::uuid[], ($2::text)::bigint[], ($3::text)::text[], ($4::text)::text[],
    ($5::text)::bigint[]) as row(project_id, minute, cause, incarnation, failed)
  join projects on projects.id = row.project_id
  order by 1, 2, 3, 4
  on conflict (project_id, minute, cause, incarnation)
  do update set failed = greatest(decision_failures.failed, excluded.failed)`;
