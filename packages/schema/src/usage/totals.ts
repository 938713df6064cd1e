import { OUTCOMES, type Outcome } from '@ceiba/contract/sets';
import { USAGE_RANGE_DAYS_MAX, type UsageRange, wholeSteps } from '@ceiba/domain';
import { sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { days, decisionsByDay, type UsageOfProject } from './decisions.ts';

/** Decisions of a range, widened to whole hours. */
export interface UsageTotals extends UsageRange {
  allowed: number;
  denied: number;
  /** Every outcome, including those that did not occur. */
  byOutcome: Record<Outcome, number>;
}

/**
 * Counts a project's decisions in a range of at most 400 days.
 *
 * @throws RangeError when the range is empty or longer
 */
export async function readUsageTotals(
  db: { orm: Executor },
  { projectId, ...input }: UsageOfProject,
): Promise<UsageTotals> {
  const range = wholeSteps(input, 'hour', USAGE_RANGE_DAYS_MAX.outcome.day);
  const usage = { ...range, projectId };
  const rows = await db.orm.execute<{ id: Outcome; count: number }>(sql`
    with ${days(usage)}, counted as (${decisionsByDay(usage)})
    select id, sum(count)::float8 as count from counted group by id`);
  const byOutcome = { ...NONE };
  for (const { id, count } of rows) byOutcome[id] = count;
  const total = rows.reduce((sum, { count }) => sum + count, 0);
  return { ...range, allowed: byOutcome.allowed, denied: total - byOutcome.allowed, byOutcome };
}

const NONE = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<Outcome, number>;
