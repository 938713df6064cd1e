import type { Logger } from '@ceiba/process/log';
import { recordDecisionFailures, writeDecisions } from '@ceiba/schema';
import type { DatabasePool } from '../database/pool.ts';
import { newId } from '../process-id.ts';
import { DecisionLog } from './decision-log.ts';
import type { DecisionExporter } from './exporter.ts';
import { FailureCounter } from './failures.ts';

/**
 * Keeps decisions, and counts those that failed.
 *
 * @param exporter sends them to another engine too; absent where none is set
 */
export function openDecisionLog(
  exporter: DecisionExporter | undefined,
  pool: DatabasePool,
  log: Logger,
) {
  const decisionLog = new DecisionLog({
    exporter,
    write: (batch, budgetMs) => pool.run(budgetMs, (db) => writeDecisions(db, batch)),
    incarnation: newId(),
    random: Math.random,
    wallClockMs: Date.now,
    now: performance.now.bind(performance),
    log,
  });
  const failures = new FailureCounter({
    write: (rows, budgetMs) => pool.run(budgetMs, (db) => recordDecisionFailures(db, rows)),
    incarnation: newId(),
    wallClockMs: Date.now,
    log,
  });
  return {
    decisionLog,
    failures,
    tasks: { decision_log: decisionLog.task, failure_counts: failures.task },
    async stop() {
      await Promise.all([decisionLog.task.stop(), failures.task.stop(), exporter?.stop()]);
    },
  };
}
