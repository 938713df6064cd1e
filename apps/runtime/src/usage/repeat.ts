export interface RepeatedTask {
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
  const runAndWait = () => {
    running = task().then((pauseMs) => {
      if (!stopped) timer = setTimeout(runAndWait, pauseMs);
    });
  };
  runAndWait();
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
