import type { Logger } from '@ceiba/process/log';
import { recordDecisionFailures, writeDecisions } from '@ceiba/schema';
import type { DatabasePool } from '../database/pool.ts';
import { newId } from '../process-id.ts';
import { DecisionLog } from './decision-log.ts';
import { DecisionExporter } from './exporter.ts';
import { FailureCounter } from './failures.ts';
import { openOtlp } from './otlp.ts';

/** Keeps decisions, sends them to another engine where one is set, and counts those that failed. */
export function openDecisionLog(
  { exportsDecisions }: { exportsDecisions: boolean },
  pool: DatabasePool,
  log: Logger,
) {
  const now = performance.now.bind(performance);
  const exporter = exportsDecisions
    ? new DecisionExporter({ open: openOtlp, now, log })
    : undefined;
  const decisionLog = new DecisionLog({
    exporter,
    write: (batch, budgetMs) => pool.run(budgetMs, (db) => writeDecisions(db, batch)),
    incarnation: newId(),
    random: Math.random,
    wallClockMs: Date.now,
    now,
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
    exporter,
    tasks: { decision_log: decisionLog, failure_counts: failures },
    async stop() {
      await Promise.all([decisionLog.stop(), failures.stop(), exporter?.stop()]);
    },
  };
}
