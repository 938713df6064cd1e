export interface RepeatedTask {
  /** Ends a pause under way this many ms after the last run, unless it ends before that. */
  hurry(pauseMs: number): void;
  /** Ends the repetition; resolves when a run under way is over. */
  stop(): Promise<void>;
}

/**
 * Runs a task that never rejects again and again, with a pause after each run, never twice at once.
 *
 * @param task Resolves with the length of the pause, in ms.
 */
export function repeat(task: () => Promise<number>): RepeatedTask {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let ranUntil = 0;
  let dueAt = Number.POSITIVE_INFINITY;
  const waitUntil = (time: number) => {
    dueAt = time;
    timer = setTimeout(runAndWait, Math.max(0, time - performance.now()));
  };
  const runAndWait = () => {
    dueAt = Number.NEGATIVE_INFINITY;
    running = task().then((pauseMs) => {
      ranUntil = performance.now();
      if (!stopped) waitUntil(ranUntil + pauseMs);
    });
  };
  runAndWait();
  return {
    hurry(pauseMs) {
      if (stopped || ranUntil + pauseMs >= dueAt) return;
      clearTimeout(timer);
      waitUntil(ranUntil + pauseMs);
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
