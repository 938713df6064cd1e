import type { Outcome } from '@ceiba/contract/sets';
import { sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { instant } from '../time.ts';

/** How many decisions of an outcome the log left out: above the cap, or with no room or no Postgres. */
export interface DecisionGap {
  outcome: Outcome;
  leftOut: number;
}

/**
 * What the log lacks of the minutes that lie in a time, most first. Allows that the project's sample
 * did not choose are not missing.
 */
export async function readDecisionGaps(
  db: { orm: Executor },
  { projectId, from, to }: { projectId: string; from: Date; to: Date },
): Promise<DecisionGap[]> {
  const rows = await db.orm.execute<DecisionGap & Record<string, unknown>>(sql`
    select outcome, sum(left_out)::float8 as "leftOut" from decision_gaps
    where project_id = ${projectId}
      and minute >= date_trunc('minute', ${instant(from)}, 'UTC') and minute < ${instant(to)}
    group by outcome order by 2 desc, 1`);
  return [...rows];
}
