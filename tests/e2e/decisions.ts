import { createDatabase, type DecisionToWrite, writeDecisions } from '@ceiba/schema';
import { decisionAt } from '../integration/schema/decision-log/support.ts';

/** Absent fields are those of an allowed `GET /v1/reports`, now. */
export type SampleDecision = Partial<Omit<DecisionToWrite, 'projectId' | 'decisionId'>> & {
  at?: Date;
};

/**
 * Records decisions as the Runtime does.
 *
 * @returns their IDs, in order
 */
export async function addDecisions(
  projectId: string,
  samples: readonly SampleDecision[],
  databaseUrl = process.env.DATABASE_URL,
): Promise<string[]> {
  if (!databaseUrl) throw new Error('needs the DATABASE_URL of a stack');
  const decisions = samples.map(({ at = new Date(), ...sample }) =>
    decisionAt(projectId, at, { outcome: 'allowed', ...sample }),
  );
  const db = createDatabase(databaseUrl);
  try {
    await writeDecisions(db, { decisions, gaps: [] });
  } finally {
    await db.close();
  }
  return decisions.map(({ decisionId }) => decisionId);
}
