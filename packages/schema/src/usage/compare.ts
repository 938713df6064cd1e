import type { Database } from '../connection/database.ts';
import { requirePrimary, SERVER_EVIDENCE, type ServerEvidence } from '../connection/server.ts';
import { hourColumns, listOf, monthColumns, type UsageBatch } from './record.ts';

/** What Postgres has of a batch. */
export interface UsageComparison {
  /** Positions in the batch of counts that Postgres lacks or has a smaller number for. */
  missing: { hours: readonly number[]; months: readonly number[] };
  /** The projects of the batch that exist. */
  knownProjectIds: ReadonlySet<string>;
  /**
   * The projects of the batch that were deleted. A project in neither set may belong to another
   * installation, or its creation has not committed yet.
   */
  deletedProjectIds: ReadonlySet<string>;
}

/**
 * Finds the counts that are not written yet. It takes no lock and writes nothing, so it costs far
 * less than writing them again (rule missing-usage).
 *
 * @throws NotPrimaryError when the server is in recovery
 */
export async function compareUsage(
  db: Database,
  { hours, months }: Pick<UsageBatch, 'hours' | 'months'>,
): Promise<UsageComparison> {
  const projectIds = listOf([...new Set([...hours, ...months].map((row) => row.projectId))]);
  const parameters = [...hourColumns(hours), ...monthColumns(months), projectIds];
  const [row] = await db.sql.unsafe<Row[]>(STATEMENT, parameters, { prepare: true });
  requirePrimary(db, row);
  if (row === undefined) throw new Error('a comparison returned no row');
  return {
    missing: { hours: row.hours, months: row.months },
    knownProjectIds: new Set(row.known),
    deletedProjectIds: new Set(row.deleted),
  };
}

interface Row extends ServerEvidence {
  hours: number[];
  months: number[];
  known: string[];
  deleted: string[];
}

/**
 * Lists are returned as JSON, because the driver parses no arrays here. Each count is looked up by
 * its key: with a join, the planner may read the whole table for every batch. `deleted` reads the
 * audit log, which has a row from the transaction that deleted the project.
 */
const STATEMENT = `
  select ${SERVER_EVIDENCE},
    to_json(array(
      select row.position::int - 1
      from unnest(($1::text)::uuid[], ($2::text)::bigint[], ($3::text)::uuid[], ($4::text)::uuid[],
        ($5::text)::text[], ($6::text)::text[], ($7::text)::bigint[]) with ordinality
        as row(project_id, hour, api_key_id, policy_id, outcome, incarnation, count, position)
      where coalesce((
        select u.count from usage_hours u
        where u.project_id = row.project_id and u.hour = to_timestamp(row.hour::float8 * 3600)
          and u.api_key_id = row.api_key_id and u.policy_id = row.policy_id
          and u.outcome = row.outcome and u.incarnation = row.incarnation
      ), -1) < row.count
    )) as "hours",
    to_json(array(
      select row.position::int - 1
      from unnest(($8::text)::uuid[], ($9::text)::int[], ($10::text)::text[], ($11::text)::text[],
        ($12::text)::bigint[]) with ordinality
        as row(project_id, month, scope, incarnation, count, position)
      where coalesce((
        select u.count from usage_months u
        where u.project_id = row.project_id and u.month = row.month
          and u.scope = row.scope and u.incarnation = row.incarnation
      ), -1) < row.count
    )) as "months",
    to_json(array(
      select p.id from projects p where p.id = any(($13::text)::uuid[])
    )) as "known",
    to_json(array(
      select gone.id from unnest(($13::text)::uuid[]) as gone(id)
      where not exists (select from projects p where p.id = gone.id)
        and exists (
          select from audit_log a where a.project_id = gone.id and a.action = 'project.delete')
    )) as "deleted"`;
