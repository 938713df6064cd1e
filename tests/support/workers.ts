import type { RunningRuntime } from './runtime.ts';

/** The process ids of all workers that the primary has started so far, by its log, oldest first. */
export const workersStartedBy = (runtime: RunningRuntime): number[] =>
  pidsThatLogged(runtime, 'started a worker');

/** How many workers have listened for decisions so far, which is one of them when a Runtime is ready. */
export const workersThatListened = (runtime: RunningRuntime): number =>
  pidsThatLogged(runtime, 'the Runtime listens').length;

const pidsThatLogged = (runtime: RunningRuntime, message: string) =>
  runtime
    .stdout()
    .split('\n')
    .filter((line) => line.includes(`"${message}"`))
    .map((line) => JSON.parse(line).pid as number);

/** Whether a process runs. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
