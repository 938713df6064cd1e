import type { Outcome } from '@ceiba/contract/sets';
import { EXPORT_DAYS_MAX, MS_PER_DAY, stepsOf, type UsageStep, wholeSteps } from '@ceiba/domain';
import { sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import type { Run } from '../page.ts';
import { NO_ID } from '../tables.ts';
import { instant, toMs } from '../time.ts';
import {
  joinKeyAndPolicy,
  type KeyAndPolicy,
  keyAndPolicyColumns,
  stepOf,
  type UsageOfProject,
} from './decisions.ts';

/** The decisions of one hour or day with one outcome, key and policy. */
export interface UsageRow extends KeyAndPolicy {
  /** The start of the hour or day, in UTC. */
  from: Date;
  outcome: Outcome;
  count: number;
}

export interface ExportUsageInput extends UsageOfProject {
  step: Exclude<UsageStep, 'month'>;
}

const ROWS_PER_PAGE = 10_000;

/**
 * Reads all counts of a range, oldest first, ten thousand rows at a time, for a streamed CSV file. No
 * connection is held between pages.
 *
 * @param run runs a verb, such as the console's `withDatabase`
 * @throws RangeError when the range is empty or longer than `EXPORT_DAYS_MAX`
 */
export async function* exportUsage(
  run: Run<{ orm: Executor }>,
  { projectId, step, ...input }: ExportUsageInput,
): AsyncGenerator<UsageRow[]> {
  const range = wholeSteps(input, step, EXPORT_DAYS_MAX);
  for (const day of stepsOf(range, 'day')) {
    const within = {
      projectId,
      step,
      from: new Date(Math.max(day.getTime(), range.from.getTime())),
      to: new Date(Math.min(day.getTime() + MS_PER_DAY, range.to.getTime())),
    };
    let last: UsageRow | undefined;
    do {
      const after: UsageRow | undefined = last;
      const rows = await run((db) => readRows(db, within, after));
      if (rows.length > 0) yield rows;
      last = rows.length === ROWS_PER_PAGE ? rows.at(-1) : undefined;
    } while (last !== undefined);
  }
}

/** The rows of a day, or of its hours, after the last row of the previous page. */
async function readRows(
  db: { orm: Executor },
  { projectId, step, from, to }: ExportUsageInput,
  after: UsageRow | undefined,
): Promise<UsageRow[]> {
  const start = step === 'hour' ? sql`hour` : stepOf(sql`hour`, step);
  const beyond =
    after === undefined
      ? sql`true`
      : sql`(${start}, api_key_id, policy_id, outcome) > (${instant(after.from)},
          ${after.apiKeyId ?? NO_ID}::uuid, ${after.policyId ?? NO_ID}::uuid, ${after.outcome})`;
  const rows = await db.orm.execute<Omit<UsageRow, 'from'> & { fromMs: number }>(sql`
    with page as (
      select ${start} as start, api_key_id, policy_id, outcome, sum(count) as count
      from usage_hours
      where project_id = ${projectId} and hour >= ${instant(from)} and hour < ${instant(to)}
        and ${beyond}
      group by 1, 2, 3, 4 order by 1, 2, 3, 4 limit ${ROWS_PER_PAGE}
    )
    select ${toMs(sql`page.start`)} as "fromMs", page.outcome,
      page.count::float8 as count, ${keyAndPolicyColumns(sql`page`)}
    from page ${joinKeyAndPolicy(sql`page`)}
    order by page.start, page.api_key_id, page.policy_id, page.outcome`);
  return rows.map(({ fromMs, ...row }) => ({ from: new Date(fromMs), ...row }));
}
