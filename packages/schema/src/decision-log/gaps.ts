import type { Outcome } from '@ceiba/contract/sets';
import { sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { instant, toMs } from '../time.ts';

/** How many decisions of an outcome the log left out: above the cap, or with no room or no Postgres. */
export interface DecisionGap {
  outcome: Outcome;
  leftOut: number;
}

/** The gaps of an outcome, and when they were. */
export interface DecisionGapSum extends DecisionGap {
  /** The starts of the first and the last minute. */
  firstMinute: Date;
  lastMinute: Date;
}

type Row = DecisionGap & { firstMs: number; lastMs: number };

/**
 * What the log lacks of the minutes that lie in a time, most first. Allows that the project's sample
 * did not choose are not missing.
 */
export async function readDecisionGaps(
  db: { orm: Executor },
  { projectId, from, to }: { projectId: string; from: Date; to: Date },
): Promise<DecisionGapSum[]> {
  const rows = await db.orm.execute<Row & Record<string, unknown>>(sql`
    select outcome, sum(left_out)::float8 as "leftOut",
      ${toMs(sql`min(minute)`)} as "firstMs", ${toMs(sql`max(minute)`)} as "lastMs"
    from decision_gaps
    where project_id = ${projectId}
      and minute >= date_trunc('minute', ${instant(from)}, 'UTC') and minute < ${instant(to)}
    group by outcome order by 2 desc, 1`);
  return rows.map(({ firstMs, lastMs, ...gap }) => ({
    ...gap,
    firstMinute: new Date(firstMs),
    lastMinute: new Date(lastMs),
  }));
}
