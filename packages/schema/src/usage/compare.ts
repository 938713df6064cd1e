import { arrayOf, type Bulk } from '../bulk.ts';
import type { Database } from '../connection/database.ts';
import { requirePrimary, SERVER_EVIDENCE, type ServerEvidence } from '../connection/server.ts';
import { DAYS, HOURS, MONTHS, type UsageBatch } from './record.ts';

/** What is compared: the parts of a batch that Redis counts. */
type Compared = 'hours' | 'months' | 'days';

/** What Postgres has of a batch. */
export interface UsageComparison {
  /** Positions in the batch of counts that Postgres lacks or has a smaller number for. */
  missing: Record<Compared, readonly number[]>;
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
  { hours, months, days }: Pick<UsageBatch, Compared>,
): Promise<UsageComparison> {
  const projectIds = arrayOf([
    ...new Set([...hours, ...months, ...days].map((row) => row.projectId)),
  ]);
  const parameters = [
    ...HOURS.parameters(hours),
    ...MONTHS.parameters(months),
    ...DAYS.parameters(days),
    projectIds,
  ];
  const [row] = await db.sql.unsafe<Row[]>(STATEMENT, parameters, { prepare: true });
  requirePrimary(db, row);
  if (row === undefined) throw new Error('a comparison returned no row');
  return {
    missing: { hours: row.hours, months: row.months, days: row.days },
    knownProjectIds: new Set(row.known),
    deletedProjectIds: new Set(row.deleted),
  };
}

interface Row extends ServerEvidence {
  hours: number[];
  months: number[];
  days: number[];
  known: string[];
  deleted: string[];
}

/** Whether a table lacks a row's total, or has a smaller one. */
const isLess = (table: string, { names }: Bulk<never>) => `
  coalesce((
    select u.count from ${table} u
    where ${names
      .filter((name) => name !== 'count')
      .map((name) => `u.${name} = row.${name}`)
      .join(' and ')}
  ), -1) < row.count`;

/** The last parameter. */
const PROJECT_IDS = `($${HOURS.names.length + MONTHS.names.length + DAYS.names.length + 1}::text)::uuid[]`;

/**
 * Lists are returned as JSON, because the driver parses no arrays here. Each count is looked up by
 * its key: with a join, the planner may read the whole table for every batch. `deleted` reads the
 * audit log, which has a row from the transaction that deleted the project.
 */
const STATEMENT = `
  select ${SERVER_EVIDENCE},
    to_json(array(
      select row.position::int - 1
      from ${HOURS.rows()} where ${isLess('usage_hours', HOURS)}
    )) as "hours",
    to_json(array(
      select row.position::int - 1
      from ${MONTHS.rows(HOURS.names.length)} where ${isLess('usage_months', MONTHS)}
    )) as "months",
    to_json(array(
      select row.position::int - 1
      from ${DAYS.rows(HOURS.names.length + MONTHS.names.length)}
      where ${isLess('usage_quota_days', DAYS)}
    )) as "days",
    to_json(array(
      select p.id from projects p where p.id = any(${PROJECT_IDS})
    )) as "known",
    to_json(array(
      select gone.id from unnest(${PROJECT_IDS}) as gone(id)
      where not exists (select from projects p where p.id = gone.id)
        and exists (
          select from audit_log a where a.project_id = gone.id and a.action = 'project.delete')
    )) as "deleted"`;
