import { LauncherError } from './errors.mjs';
import { printFailure } from './output.mjs';
import { parentOf } from './processes.mjs';

/** How often a launcher that npm runs looks whether npm is still there. */
const parentCheckMs = 500;

/**
 * Runs a command's work under a supervisor and stops everything once, whatever ends it: the work
 * itself, a failure, Ctrl-C, SIGTERM, or the end of the npm that runs it.
 *
 * @param {import('./supervisor.mjs').Supervisor} supervisor
 * @param {() => Promise<number>} work Its result is the exit code.
 * @param {() => number} onInterrupt Prints a message and returns the exit code.
 * @returns {Promise<number>} The exit code, once everything has stopped.
 */
export async function untilEnd(supervisor, work, onInterrupt) {
  let isInterrupted = false;
  const interrupted = interruption().then(() => {
    isInterrupted = true;
    return onInterrupt();
  });
  const outcome = Promise.race([work(), failureOfAnother(supervisor)]).catch((error) => {
    // What is stopped on purpose fails in many ways, none of which anybody asked about.
    if (!isInterrupted) printFailure(error);
    return 1;
  });
  const exitCode = await Promise.race([outcome, interrupted]);
  await supervisor.stop();
  return exitCode;
}

/**
 * @param {import('./supervisor.mjs').Supervisor} supervisor
 * @returns {Promise<never>} Rejects when a program that should go on ends by itself.
 */
function failureOfAnother(supervisor) {
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
    // A closed terminal (SIGHUP) ends the launcher as if it were killed, unless nohup asked otherwise:
    // the watchdog does the rest.
    for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, end);
    // npm that is killed takes nothing with it; what it ran has to notice by itself.
    if (process.env.npm_lifecycle_event === undefined) return;
    const line = ancestry();
    setInterval(() => {
      if (ancestry() !== line) end();
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
