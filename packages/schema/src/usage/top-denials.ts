import type { DenialReason } from '@ceiba/contract/sets';
import { type UsageRange, wholeSteps } from '@ceiba/domain';
import { sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { instant, toMs } from '../time.ts';
import {
  joinKeyAndPolicy,
  type KeyAndPolicy,
  keyAndPolicyColumns,
  type UsageOfProject,
} from './decisions.ts';

/** The longest range: totals of days do not combine reason, key and policy, so hours are read. */
export const DENIALS_DAYS_MAX = 7;

/** Denials with the same reason, key and policy. */
export interface Denial extends KeyAndPolicy {
  denialReason: DenialReason;
  count: number;
  /** The start of the last hour with such a denial. */
  lastHour: Date;
}

/**
 * Reads the most frequent denials of a range, by reason, key and policy. Paths are not recorded.
 *
 * @param input.limit Default: 5.
 * @throws RangeError when the range is empty or longer than 7 days
 */
export async function readTopDenials(
  db: { orm: Executor },
  { projectId, limit = 5, ...input }: UsageOfProject & { limit?: number },
): Promise<UsageRange & { denials: Denial[] }> {
  const range = wholeSteps(input, 'hour', DENIALS_DAYS_MAX);
  // The condition on the outcome must equal that of the index `usage_hours_denials_idx`.
  const rows = await db.orm.execute<Omit<Denial, 'lastHour'> & { lastHourMs: number }>(sql`
    with top as (
      select outcome, api_key_id, policy_id, sum(count) as count, max(hour) as last_hour
      from usage_hours
      where project_id = ${projectId} and outcome <> 'allowed'
        and hour >= ${instant(range.from)} and hour < ${instant(range.to)}
      group by outcome, api_key_id, policy_id
      order by count desc, last_hour desc, outcome, api_key_id, policy_id limit ${limit}
    )
    select top.outcome as "denialReason",
      top.count::float8 as count, ${toMs(sql`top.last_hour`)} as "lastHourMs",
      ${keyAndPolicyColumns(sql`top`)}
    from top ${joinKeyAndPolicy(sql`top`)}
    order by top.count desc, top.last_hour desc, 1, top.api_key_id, top.policy_id`);
  const denials = rows.map(({ lastHourMs, ...row }) => ({
    ...row,
    lastHour: new Date(lastHourMs),
  }));
  return { ...range, denials };
}
