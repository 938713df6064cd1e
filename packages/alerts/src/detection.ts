import { BackgroundTask, SerialQueue } from '@ceiba/process/tasks';
import {
  type Database,
  detectExpiringKeys,
  detectFailingDecisions,
  detectIdleKeys,
  detectNearlyUsedQuotas,
  detectPreviousProjectSecrets,
  detectPreviousSecrets,
  detectQuotaThresholds,
  detectUnusualDenials,
  detectUsedUpQuotas,
} from '@ceiba/schema';
import type { BackgroundOptions } from './background.ts';

const DETECT_MS = 10_000;
/** Reads the denials of two hours of the projects that want to know. */
const DETECT_DENIALS_MS = 60_000;
/** Reads every active key of the projects that want to know. */
const DETECT_KEYS_MS = 300_000;

type Detector = (db: Database) => Promise<boolean>;

/**
 * Looks for what no single change causes: thresholds, keys that expire, failing decisions and unusual
 * denials. Each detector is a task of its own, so that one that fails keeps no other from running.
 */
export function startDetecting({ run, log }: BackgroundOptions) {
  const repeat = (pauseMs: number, detectors: Record<string, Detector>) => {
    // One after another, over one connection.
    const queue = new SerialQueue();
    return Object.entries(detectors).map(
      ([name, detect]) =>
        new BackgroundTask({
          name: `detecting ${name}`,
          run: (signal) =>
            queue.run(async () => {
              // Each call has the time of one; it returns whether there may be more.
              while (!signal.aborted && (await run((db) => detect(db)))) {}
            }),
          pauseMs: () => pauseMs,
          log,
        }),
    );
  };
  const tasks = [
    repeat(DETECT_MS, {
      'quota thresholds': detectQuotaThresholds,
      'failed decisions': detectFailingDecisions,
    }),
    repeat(DETECT_DENIALS_MS, {
      'unusual denials': detectUnusualDenials,
      'used-up quotas': detectUsedUpQuotas,
    }),
    repeat(DETECT_KEYS_MS, {
      'expiring keys': detectExpiringKeys,
      'previous secrets of keys': detectPreviousSecrets,
      'previous secrets of projects': detectPreviousProjectSecrets,
      'nearly used quotas': detectNearlyUsedQuotas,
      'idle keys': detectIdleKeys,
    }),
  ].flat();
  return { stop: () => Promise.all(tasks.map((task) => task.stop())) };
}
