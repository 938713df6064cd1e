import type { RunningRuntime } from './runtime.ts';

/** The process ids of all workers that the primary has started so far, by its log, oldest first. */
export const workersStartedBy = (runtime: RunningRuntime): number[] =>
  runtime
    .stdout()
    .split('\n')
    .filter((line) => line.includes('"started a worker"'))
    .map((line) => JSON.parse(line).pid as number);

/** Whether a process runs. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
