import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '@ceiba/process/log';
import { BackgroundTask, tryEach } from '@ceiba/process/tasks';

/** One short step of a longer task. A step that another Runtime is taking counts as complete. */
export type UpkeepStep = () => Promise<{ isComplete: boolean }>;

export interface UpkeepOptions {
  /** Run one after the other, each step by step until it is complete or fails. */
  tasks: readonly UpkeepStep[];
  log: Pick<Logger, 'info' | 'warn'>;
  /** The pause between two rounds, in ms. */
  intervalMs?: number;
}

const HOUR_MS = 3_600_000;
const RETRY_MS = 60_000;
/** A pause of four times a step follows it: upkeep uses at most a fifth of one connection. */
const PAUSE_FACTOR = 4;

/** Deletes old rows of Postgres and adds up usage, at start and once per hour. */
export const startUpkeep = ({ tasks, log, intervalMs = HOUR_MS }: UpkeepOptions) =>
  new BackgroundTask({
    name: 'upkeep of usage, the audit log and the decision log',
    run: (signal) => tryEach(tasks, (step) => takeSteps(step, signal)),
    pauseMs: ({ isDone }) => (isDone ? intervalMs : RETRY_MS),
    log,
  });

async function takeSteps(step: UpkeepStep, signal: AbortSignal): Promise<void> {
  for (let isComplete = false; !isComplete; ) {
    signal.throwIfAborted();
    const startedAt = performance.now();
    ({ isComplete } = await step());
    const tookMs = performance.now() - startedAt;
    await pause(tookMs * PAUSE_FACTOR, undefined, { signal });
  }
}
