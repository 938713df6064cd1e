import { DAY, nameWithPeriod, nextStep, PROJECT_SCOPE, windowOfPeriod } from '@ceiba/domain';
import type { Database } from '../connection/database.ts';
import { readNow } from '../time.ts';
import { readPeriodUse } from '../usage/period-totals.ts';

/** What a project has used of its plan's quota by day, as of the last flush. */
export interface DayUse {
  used: number;
  /** The end of the day, in UTC. */
  dayEnd: Date;
}

/** Reads the day's use of a project. A day is counted while the plan limits it: else nothing is used. */
export async function readDayUse(db: Database, projectId: string): Promise<DayUse> {
  const now = await readNow(db);
  const number = windowOfPeriod(DAY).numberAt(now.getTime());
  const scope = nameWithPeriod(PROJECT_SCOPE, DAY);
  const [use] = await readPeriodUse(db, [{ projectId, number, scope }]);
  return { used: use?.total ?? 0, dayEnd: nextStep(now, 'day') };
}
