import { LauncherError } from './errors.ts';
import { printFailure } from './output.ts';
import { parentOf } from './processes.ts';
import { createSupervisor, type Supervisor, temporaryFolder } from './supervisor.ts';

/** How often a launcher that npm runs checks that npm is still there. */
const parentCheckMs = 500;

/**
 * The main function of a command: ends this process with the exit code that `main` returns, or with
 * 1 after printing the error that it throws.
 */
export async function runMain(main: () => Promise<number>): Promise<never> {
  try {
    process.exit(await main());
  } catch (error) {
    printFailure(error);
    process.exit(1);
  }
}

export interface SupervisedOptions {
  /** Without it, a temporary folder, removed at the end. */
  dataDir?: string;
  /** Paths that must not outlive the command. */
  removeOnEnd?: string[];
  /** Prints a message and returns the exit code. */
  onInterrupt?: () => number;
}

/**
 * Runs a command's work under a supervisor of its own and stops everything once, whatever ends it:
 * the work itself, a failure, Ctrl-C, SIGTERM, or the end of the npm that runs it.
 *
 * @param work Its result is the exit code.
 * @returns The exit code, once everything has stopped.
 */
export async function supervised(
  work: (supervisor: Supervisor) => Promise<number>,
  options: SupervisedOptions = {},
): Promise<number> {
  const { dataDir = temporaryFolder('ceiba-'), removeOnEnd, onInterrupt = () => 130 } = options;
  const supervisor = await createSupervisor({
    dataDir,
    removeOnEnd: removeOnEnd ?? (options.dataDir === undefined ? [dataDir] : []),
  });
  let isInterrupted = false;
  const interrupted = interruption().then(() => {
    isInterrupted = true;
    return onInterrupt();
  });
  const outcome = Promise.race([work(supervisor), unexpectedExit(supervisor)]).catch((error) => {
    // After an interrupt, errors only report that programs were stopped.
    if (!isInterrupted) printFailure(error);
    return 1;
  });
  const exitCode = await Promise.race([outcome, interrupted]);
  await supervisor.stop();
  return exitCode;
}

/** @returns Rejects when a program that should keep running ends by itself. */
function unexpectedExit(supervisor: Supervisor): Promise<never> {
  return new Promise((_, reject) => {
    supervisor.onUnexpectedExit((service, how) => {
      const output = service.tail();
      reject(new LauncherError(`${service.name} ${how}, so everything stops.`, { output }));
    });
  });
}

/** @returns Resolves when the command is asked to end. */
function interruption(): Promise<void> {
  return new Promise((resolve) => {
    const end = () => resolve();
    // SIGHUP (a closed terminal) is not handled, so that nohup works: it ends the launcher, and the
    // watchdog stops the rest.
    for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, end);
    // A killed npm does not stop what it ran: the launcher has to notice.
    if (process.env.npm_lifecycle_event === undefined) return;
    const before = ancestry();
    setInterval(() => {
      if (ancestry() !== before) end();
    }, parentCheckMs).unref();
  });
}

/**
 * @returns This process's parent and, where that is cheap to read, its grandparent: npm runs scripts
 *   through a shell, which keeps waiting when npm is gone.
 */
function ancestry(): string {
  const grandparent = process.platform === 'linux' ? parentOf(process.ppid) : '';
  return `${process.ppid} ${grandparent}`;
}
