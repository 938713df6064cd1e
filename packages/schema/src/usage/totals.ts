import { OUTCOMES, type Outcome } from '@ceiba/contract/sets';
import { USAGE_RANGE_DAYS_MAX, type UsageRange, wholeSteps } from '@ceiba/domain';
import { sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { days, decisionsByDay, type UsageOfProject } from './decisions.ts';

/** Decisions of a range, widened to whole hours. */
export interface UsageTotals extends UsageRange {
  allowed: number;
  denied: number;
  /** Every outcome, also those that did not happen. */
  byOutcome: Record<Outcome, number>;
}

/**
 * Adds up a project's decisions of at most 400 days.
 *
 * @throws RangeError where the range is empty or longer
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
  const counts = new Map(rows.map(({ id, count }) => [id, count]));
  const byOutcome = zeroByOutcome();
  for (const outcome of OUTCOMES) byOutcome[outcome] = counts.get(outcome) ?? 0;
  const total = rows.reduce((sum, { count }) => sum + count, 0);
  return { ...range, allowed: byOutcome.allowed, denied: total - byOutcome.allowed, byOutcome };
}

const zeroByOutcome = (): Record<Outcome, number> => ({
  allowed: 0,
  missing_api_key: 0,
  invalid_api_key: 0,
  revoked_api_key: 0,
  archived_api_key: 0,
  expired_api_key: 0,
  policy_no_match: 0,
  inactive_subscription: 0,
  quota_exceeded: 0,
  rate_limited: 0,
});
