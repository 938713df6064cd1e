import type { Outcome } from '@ceiba/contract/sets';
import { MS_PER_DAY, stepsOf, type UsageStep, wholeSteps } from '@ceiba/domain';
import { sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import type { Run } from '../page.ts';
import { NO_ID } from '../tables.ts';
import { instant, toMs } from '../time.ts';
import { stepOf, type UsageOfProject } from './decisions.ts';

/** Decisions of one hour or day that came to one outcome with one key and policy. */
export interface UsageRow {
  /** When the hour or day begins, in UTC. */
  from: Date;
  outcome: Outcome;
  apiKeyId: string | null;
  displayName: string | null;
  keyPrefix: string | null;
  policyId: string | null;
  method: string | null;
  pathPattern: string | null;
  count: number;
}

export interface ExportUsageInput extends UsageOfProject {
  step: Exclude<UsageStep, 'month'>;
}

/** The most days of one export. */
const EXPORT_DAYS_MAX = 400;
const ROWS_A_PAGE = 10_000;

/**
 * Everything that was counted, oldest first, ten thousand rows at a time: for a CSV file that is
 * written while it is read. No connection is held between two pages.
 *
 * @param run runs a verb, such as the console's `withDatabase`
 * @throws RangeError where the range is empty or longer than 400 days
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
      last = rows.length === ROWS_A_PAGE ? rows.at(-1) : undefined;
    } while (last !== undefined);
  }
}

/** The rows of a day, or of its hours, that come after one. */
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
      group by 1, 2, 3, 4 order by 1, 2, 3, 4 limit ${ROWS_A_PAGE}
    )
    select ${toMs(sql`page.start`)} as "fromMs", page.outcome,
      nullif(page.api_key_id, ${NO_ID}) as "apiKeyId", k.display_name as "displayName",
      k.key_prefix as "keyPrefix", nullif(page.policy_id, ${NO_ID}) as "policyId", p.method,
      p.path_pattern as "pathPattern", page.count::float8 as count
    from page
    left join api_keys k on k.id = page.api_key_id
    left join policies p on p.id = page.policy_id
    order by page.start, page.api_key_id, page.policy_id, page.outcome`);
  return rows.map(({ fromMs, ...row }) => ({ from: new Date(fromMs), ...row }));
}
