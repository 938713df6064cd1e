import { LauncherError } from './errors.mjs';
import { printFailure } from './output.mjs';
import { parentOf } from './processes.mjs';
import { requireNodeVersion } from './settings.mjs';
import { createSupervisor, temporaryFolder } from './supervisor.mjs';

/** @typedef {import('./supervisor.mjs').Supervisor} Supervisor */

/** How often a launcher that npm runs checks that npm is still there. */
const parentCheckMs = 500;

/**
 * The main function of a command: ends this process with the exit code that `main` returns, or with
 * 1 after printing the error that it throws.
 *
 * @param {() => Promise<number>} main
 * @returns {Promise<never>}
 */
export async function runMain(main) {
  try {
    requireNodeVersion();
    process.exit(await main());
  } catch (error) {
    printFailure(error);
    process.exit(1);
  }
}

/**
 * Runs a command's work under a supervisor of its own and stops everything once, whatever ends it:
 * the work itself, a failure, Ctrl-C, SIGTERM, or the end of the npm that runs it.
 *
 * @param {(supervisor: Supervisor) => Promise<number>} work Its result is the exit code.
 * @param {object} [options]
 * @param {string} [options.dataDir] Without it, a temporary folder, removed at the end.
 * @param {string[]} [options.removeOnEnd] Paths that must not outlive the command.
 * @param {() => number} [options.onInterrupt] Prints a message and returns the exit code.
 * @returns {Promise<number>} The exit code, once everything has stopped.
 */
export async function supervised(work, options = {}) {
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

/**
 * @param {Supervisor} supervisor
 * @returns {Promise<never>} Rejects when a program that should keep running ends by itself.
 */
function unexpectedExit(supervisor) {
  return new Promise((_, reject) => {
    supervisor.onUnexpectedExit((service, how) => {
      const output = service.tail();
      reject(new LauncherError(`${service.name} ${how}, so everything stops.`, { output }));
    });
  });
}

/** @returns {Promise<void>} Resolves when the command is asked to end. */
function interruption() {
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
 * @returns {string} This process's parent and, where that is cheap to read, its grandparent: npm
 *   runs scripts through a shell, which keeps waiting when npm is gone.
 */
function ancestry() {
  const grandparent = process.platform === 'linux' ? parentOf(process.ppid) : '';
  return `${process.ppid} ${grandparent}`;
}
