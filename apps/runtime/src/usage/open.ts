import type { Logger } from '@ceiba/process/log';
import {
  applyRetention,
  compareUsage,
  maintainDecisionLog,
  recordUsage,
  removeDeadLeases,
  removeOldAlerts,
  removeOldCreations,
  rollUpUsage,
} from '@ceiba/schema';
import type { DatabasePool } from '../database/pool.ts';
import { newId } from '../process-id.ts';
import type { RuntimeRedis } from '../redis/open.ts';
import { UsageFlusher } from './flusher.ts';
import { UsageLedger } from './ledger.ts';
import { ProcessCounter } from './process-counts.ts';
import type { RecordUsage } from './record.ts';
import { createTrimScript, UsageSweep } from './sweep.ts';
import { startUpkeep } from './upkeep.ts';

/** One step of upkeep, in ms: longer than the server's timeout for its statements. */
const UPKEEP_BUDGET_MS = 30_000;
/** Small enough that a step takes a fraction of a second. */
const UPKEEP_STEP = { maxDays: 4, maxRows: 5_000 };

/** Counts usage, writes it to Postgres, adopts what dead Runtimes left in Redis, and removes old rows. */
export function openUsage(pool: DatabasePool, { link, clock }: RuntimeRedis, log: Logger) {
  const ledger = new UsageLedger();
  const denials = new ProcessCounter({ ledger, newId, wallClockMs: Date.now });
  const writeUsage: RecordUsage = (batch, budgetMs) =>
    pool.run(budgetMs, (db) => recordUsage(db, batch));
  const flusher = new UsageFlusher({ ledger, recordUsage: writeUsage, log });
  const sweep = new UsageSweep({
    link,
    clock,
    trimScript: createTrimScript(),
    compareUsage: (batch, budgetMs) => pool.run(budgetMs, (db) => compareUsage(db, batch)),
    recordUsage: writeUsage,
    log,
  });
  const upkeep = startUpkeep({
    tasks: [
      () => pool.run(UPKEEP_BUDGET_MS, (db) => applyRetention(db, UPKEEP_STEP)),
      () => pool.run(UPKEEP_BUDGET_MS, (db) => rollUpUsage(db, UPKEEP_STEP)),
      () => pool.run(UPKEEP_BUDGET_MS, removeDeadLeases),
      () => pool.run(UPKEEP_BUDGET_MS, removeOldAlerts),
      () => pool.run(UPKEEP_BUDGET_MS, removeOldCreations),
      () => pool.run(UPKEEP_BUDGET_MS, (db) => maintainDecisionLog(db, UPKEEP_STEP)),
    ],
    log,
  });
  return {
    ledger,
    denials,
    sweepSoon: () => sweep.sweepSoon(),
    /** Before the last calls are answered, so that its step under way has their time to end. */
    stopUpkeep: () => void upkeep.stop(),
    tasks: { usage_flush: flusher.task, usage_sweep: sweep.task, upkeep },
    /** Writes what is left, after the last decision. */
    async stop() {
      await Promise.all([flusher.task.stop(), sweep.task.stop()]);
    },
  };
}
