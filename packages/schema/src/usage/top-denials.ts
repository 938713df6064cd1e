import type { DenialReason } from '@ceiba/contract/sets';
import { type UsageRange, wholeSteps } from '@ceiba/domain';
import { sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { NO_ID } from '../tables.ts';
import { instant, toMs } from '../time.ts';
import type { UsageOfProject } from './decisions.ts';

/** The most days whose denials are told apart by reason, key and policy: they come from hours. */
export const DENIALS_DAYS_MAX = 7;

export interface Denial {
  denialReason: DenialReason;
  /** Null where the request presented no key of the project. Its name is null once it is gone. */
  apiKeyId: string | null;
  displayName: string | null;
  keyPrefix: string | null;
  /** Null where no policy matched, or none was looked for. Its rule is null once it is gone. */
  policyId: string | null;
  method: string | null;
  pathPattern: string | null;
  count: number;
  /** When the last hour began in which it happened. */
  lastHour: Date;
}

/**
 * Which denials happened most: what to ask the simulator about. Reason, key and policy are told
 * apart; paths are not recorded.
 *
 * @param input.limit Default: 5.
 * @throws RangeError where the range is empty or longer than 7 days
 */
export async function readTopDenials(
  db: { orm: Executor },
  { projectId, limit = 5, ...input }: UsageOfProject & { limit?: number },
): Promise<UsageRange & { denials: Denial[] }> {
  const range = wholeSteps(input, 'hour', DENIALS_DAYS_MAX);
  // The condition on the outcome is that of the index `usage_hours_denials_idx`, word for word.
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
      nullif(top.api_key_id, ${NO_ID}) as "apiKeyId", k.display_name as "displayName",
      k.key_prefix as "keyPrefix", nullif(top.policy_id, ${NO_ID}) as "policyId", p.method,
      p.path_pattern as "pathPattern", top.count::float8 as count,
      ${toMs(sql`top.last_hour`)} as "lastHourMs"
    from top
    left join api_keys k on k.id = top.api_key_id
    left join policies p on p.id = top.policy_id
    order by top.count desc, top.last_hour desc, 1, top.api_key_id, top.policy_id`);
  const denials = rows.map(({ lastHourMs, ...row }) => ({
    ...row,
    lastHour: new Date(lastHourMs),
  }));
  return { ...range, denials };
}
