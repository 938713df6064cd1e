import { timeOfDecision } from '@ceiba/domain';
import type { Database } from '../connection/database.ts';
import { postgresError } from '../connection/errors.ts';
import { listOf } from '../usage/record.ts';
import type { DecisionGap } from './gaps.ts';
import type { DecisionRecord } from './list.ts';
import { createPartitions, dayOf } from './partitions.ts';

/** A decision to write; its id gives its time. */
export type NewDecision = Omit<DecisionRecord, 'at'> & { projectId: string };

/** What is missing of one minute, as the total of an incarnation. */
export type NewDecisionGap = DecisionGap & {
  projectId: string;
  /** Whole minutes since 1970-01-01T00:00Z. */
  minute: number;
  incarnation: string;
};

export interface DecisionBatch {
  decisions: readonly NewDecision[];
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
  const times = batch.decisions.map(({ decisionId }) => timeOf(decisionId));
  try {
    await insert(db, batch, times);
  } catch (error) {
    if (!lacksPartition(error)) throw error;
    const days = [...new Set(times.map(dayOf))].sort();
    await db.orm.transaction((tx) => createPartitions(tx, days), {
      isolationLevel: 'read committed',
    });
    await insert(db, batch, times);
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

function insert(db: Database, { decisions, gaps }: DecisionBatch, times: readonly Date[]) {
  return db.sql.begin('isolation level read committed', async (sql) => {
    if (decisions.length > 0) {
      await sql.unsafe(INSERT_DECISIONS, decisionColumns(decisions, times), PREPARED);
    }
    if (gaps.length > 0) await sql.unsafe(UPSERT_GAPS, gapColumns(gaps), PREPARED);
  });
}

const PREPARED = { prepare: true };

const INSERT_DECISIONS = `
  insert into decisions (project_id, at, decision_id, request_id, method, path, outcome, denial_detail,
    api_key_id, key_prefix, policy_id, limits, limit_owner, latency_ms)
  select row.project_id, row.at, row.decision_id, row.request_id, row.method, row.path, row.outcome,
    row.denial_detail, row.api_key_id, row.key_prefix, row.policy_id, row.limits, row.limit_owner,
    row.latency_ms
  from unnest(($1::text)::uuid[], ($2::text)::timestamptz[], ($3::text)::uuid[], ($4::text)::text[],
    ($5::text)::text[], ($6::text)::text[], ($7::text)::text[], ($8::text)::text[],
    ($9::text)::uuid[], ($10::text)::text[], ($11::text)::uuid[], ($12::text)::jsonb[],
    ($13::text)::text[], ($14::text)::int[])
    as row(project_id, at, decision_id, request_id, method, path, outcome, denial_detail,
      api_key_id, key_prefix, policy_id, limits, limit_owner, latency_ms)
  join projects on projects.id = row.project_id
  on conflict do nothing`;

/**
 * In key order, so that two writers cannot deadlock. A Runtime whose clock was set back has two
 * numbers for a minute, and one statement may not write a row twice.
 */
const UPSERT_GAPS = `
  insert into decision_gaps (project_id, minute, outcome, incarnation, left_out)
  select row.project_id, to_timestamp(row.minute::float8 * 60), row.outcome, row.incarnation,
    sum(row.left_out)
  from unnest(($1::text)::uuid[], ($2::text)::bigint[], ($3::text)::text[], ($4::text)::text[],
    ($5::text)::bigint[]) as row(project_id, minute, outcome, incarnation, left_out)
  join projects on projects.id = row.project_id
  group by 1, 2, 3, 4 order by 1, 2, 3, 4
  on conflict (project_id, minute, outcome, incarnation)
  do update set left_out = greatest(decision_gaps.left_out, excluded.left_out)`;

/** An element of a Postgres array literal. */
const element = (text: string | null) =>
  text === null ? 'NULL' : `"${text.replace(/["\\]/g, '\\$&')}"`;

const decisionColumns = (rows: readonly NewDecision[], times: readonly Date[]) => [
  listOf(rows.map((row) => row.projectId)),
  listOf(times.map((at) => at.toISOString())),
  listOf(rows.map((row) => row.decisionId)),
  listOf(rows.map((row) => element(row.requestId))),
  listOf(rows.map((row) => element(row.method))),
  listOf(rows.map((row) => element(row.path))),
  listOf(rows.map((row) => row.outcome)),
  listOf(rows.map((row) => row.denialDetail ?? 'NULL')),
  listOf(rows.map((row) => row.apiKeyId ?? 'NULL')),
  listOf(rows.map((row) => element(row.keyPrefix))),
  listOf(rows.map((row) => row.policyId ?? 'NULL')),
  listOf(rows.map((row) => element(row.limits && JSON.stringify(row.limits)))),
  listOf(rows.map((row) => row.limitOwner ?? 'NULL')),
  listOf(rows.map((row) => row.latencyMs)),
];

const gapColumns = (rows: readonly NewDecisionGap[]) => [
  listOf(rows.map((row) => row.projectId)),
  listOf(rows.map((row) => row.minute)),
  listOf(rows.map((row) => row.outcome)),
  listOf(rows.map((row) => row.incarnation)),
  listOf(rows.map((row) => row.leftOut)),
];
