import { MS_PER_MINUTE, timeOfDecision } from '@ceiba/domain';
import { bulk, columnsOf, upsertTotals } from '../bulk.ts';
import type { Database } from '../connection/database.ts';
import { postgresError } from '../connection/errors.ts';
import { decisions } from '../tables.ts';
import type { DecisionGap } from './gaps.ts';
import type { DecisionRecord } from './list.ts';
import { createPartitions, dayOf } from './partitions.ts';

/** A decision as the Runtime logs it, with every column; its id gives its time. */
export type NewDecision = Omit<DecisionRecord, 'at'> & { projectId: string };

/** A decision to write. A column that may be null can be left out. */
export type DecisionToWrite = Omit<typeof decisions.$inferInsert, 'at'>;

/** What is missing of one minute, as the total of an incarnation. */
export type NewDecisionGap = DecisionGap & {
  projectId: string;
  /** Whole minutes since 1970-01-01T00:00Z. */
  minute: number;
  incarnation: string;
};

export interface DecisionBatch {
  decisions: readonly DecisionToWrite[];
  gaps: readonly NewDecisionGap[];
}

/**
 * Writes a batch of the decision log in one transaction. Writing it again changes nothing, so a batch
 * whose fate is unknown may be sent again. Rows of projects that do not exist are dropped. The
 * partition of a day is created with its first decision, if the upkeep has not made it.
 *
 * @throws RangeError for a decision whose id is not a UUID of version 7, or one after tomorrow
 */
export async function writeDecisions(db: Database, batch: DecisionBatch): Promise<void> {
  const rows = batch.decisions.map((row) => ({ ...row, at: timeOf(row.decisionId) }));
  try {
    await insert(db, rows, batch.gaps);
  } catch (error) {
    if (!lacksPartition(error)) throw error;
    const days = [...new Set(rows.map(({ at }) => dayOf(at)))].sort();
    await db.orm.transaction((tx) => createPartitions(tx, days), {
      isolationLevel: 'read committed',
    });
    await insert(db, rows, batch.gaps);
  }
}

function timeOf(decisionId: string): Date {
  const at = timeOfDecision(decisionId);
  if (at === null) throw new RangeError(`"${decisionId}" is not a UUID of version 7`);
  return at;
}

const CHECK_VIOLATION = '23514';

/** Postgres reports a row without a partition as the violation of a check that has no name. */
function lacksPartition(error: unknown): boolean {
  const refusal = postgresError(error);
  return refusal?.code === CHECK_VIOLATION && refusal.constraint_name === undefined;
}

function insert(
  db: Database,
  rows: readonly (typeof decisions.$inferInsert)[],
  gaps: readonly NewDecisionGap[],
) {
  return db.sql.begin('isolation level read committed', async (sql) => {
    if (rows.length > 0) await sql.unsafe(INSERT_DECISIONS, DECISIONS.parameters(rows), PREPARED);
    if (gaps.length > 0) await sql.unsafe(UPSERT_GAPS, GAPS.parameters(gaps), PREPARED);
  });
}

const PREPARED = { prepare: true };

const DECISIONS = bulk(columnsOf(decisions));

const INSERT_DECISIONS = `
  insert into decisions (${DECISIONS.names.join(', ')})
  select ${DECISIONS.names.map((name) => `row.${name}`).join(', ')}
  from ${DECISIONS.rows()} join projects on projects.id = row.project_id
  on conflict do nothing`;

const GAPS = bulk<NewDecisionGap>({
  project_id: ['uuid', (row) => row.projectId],
  minute: ['timestamptz', (row) => new Date(row.minute * MS_PER_MINUTE)],
  outcome: ['text', (row) => row.outcome],
  incarnation: ['text', (row) => row.incarnation],
  left_out: ['bigint', (row) => row.leftOut],
});

/** A Runtime whose clock was set back has two numbers for a minute. */
const UPSERT_GAPS = upsertTotals('decision_gaps', GAPS, { repeats: true });
