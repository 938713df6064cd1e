import { BackgroundTask, tryEach } from '@ceiba/process/tasks';
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
 * denials.
 */
export function startDetecting({ run, log }: BackgroundOptions) {
  const repeat = (name: string, pauseMs: number, verbs: readonly Detector[]) =>
    new BackgroundTask({
      name,
      run: (signal) =>
        tryEach(verbs, async (verb) => {
          // Each call has the time of one; it returns whether there may be more.
          while (!signal.aborted && (await run((db) => verb(db)))) {}
        }),
      pauseMs: () => pauseMs,
      log,
    });
  const tasks = [
    repeat('detecting alerts', DETECT_MS, [detectQuotaThresholds, detectFailingDecisions]),
    repeat('detecting denials', DETECT_DENIALS_MS, [detectUnusualDenials, detectUsedUpQuotas]),
    repeat('detecting keys and secrets that need attention', DETECT_KEYS_MS, [
      detectExpiringKeys,
      detectPreviousSecrets,
      detectPreviousProjectSecrets,
      detectNearlyUsedQuotas,
      detectIdleKeys,
    ]),
  ];
  return { stop: () => Promise.all(tasks.map((task) => task.stop())) };
}
