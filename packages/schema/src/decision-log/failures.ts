import { MS_PER_MINUTE } from '@ceiba/domain';
import { bulk, upsertTotals } from '../bulk.ts';
import type { Database } from '../connection/database.ts';

/** Decisions of a minute that were answered with 503, as the total of an incarnation. */
export interface DecisionFailureCount {
  /** As the request named it; counts of projects that do not exist are dropped. */
  projectId: string;
  /** Whole minutes since 1970-01-01T00:00Z. */
  minute: number;
  cause: string;
  incarnation: string;
  failed: number;
}

/** Writes totals, which only grow: writing them again changes nothing. */
export async function recordDecisionFailures(
  db: Database,
  rows: readonly DecisionFailureCount[],
): Promise<void> {
  await db.sql.unsafe(UPSERT, FAILURES.parameters(rows));
}

const FAILURES = bulk<DecisionFailureCount>({
  project_id: ['uuid', (row) => row.projectId],
  minute: ['timestamptz', (row) => new Date(row.minute * MS_PER_MINUTE)],
  cause: ['text', (row) => row.cause],
  incarnation: ['text', (row) => row.incarnation],
  failed: ['bigint', (row) => row.failed],
});

const UPSERT = upsertTotals('decision_failures', FAILURES, { repeats: true });
