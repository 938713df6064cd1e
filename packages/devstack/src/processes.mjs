import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

import { waitFor } from './wait.mjs';

/**
 * A process as a later run can recognise it: the operating system may reuse its id for another
 * program.
 *
 * @typedef {object} ProcessRecord
 * @property {string} name For messages.
 * @property {number} pid
 * @property {string} startedAt Its start as the operating system reports it; opaque.
 * @property {NodeJS.Signals} signal The signal that asks it to stop.
 * @property {number} graceMs How long it may take to stop before it is killed.
 * @property {number} stage Higher stages stop first: programs, then the databases that they use.
 * @property {boolean} [wholeGroup] Whether the signal goes to its whole process group, and whether
 *   what else runs in its session has to end too.
 */

/**
 * @param {string} command
 * @param {string[]} args
 * @returns {string} Its standard output, trimmed.
 * @throws {Error} When it cannot be run or fails.
 */
export function capture(command, args) {
  return execFileSync(command, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
}

/**
 * @param {number} pid
 * @returns {string | undefined} When the process started, as the operating system reports it, or
 *   undefined when it has ended. A zombie has ended: its parent may never collect it (a container's
 *   first process often does not).
 */
export function startOf(pid) {
  try {
    if (process.platform !== 'linux') {
      const line = capture('ps', ['-o', 'stat=,lstart=', '-p', String(pid)]);
      return line.startsWith('Z') ? undefined : line.replace(/^\S+\s+/, '');
    }
    const fields = statOf(pid);
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

/** @param {number} pid @returns {number | undefined} Its parent, where there is `/proc`. */
export function parentOf(pid) {
  try {
    return Number(statOf(pid)[1]);
  } catch {
    return undefined;
  }
}

/** @param {number} pid @returns {string[]} Linux's fields from the third, the state, onwards. */
function statOf(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field is the program's name in parentheses and may itself hold spaces.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** @param {number} pid @returns {string} The command line, empty when it cannot be read. */
export function commandOf(pid) {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    return capture('ps', ['-o', 'command=', '-p', String(pid)]);
  } catch {
    return '';
  }
}

/** @param {{ pid: number, startedAt: string }} record @returns {boolean} */
export function isAlive({ pid, startedAt }) {
  return startOf(pid) === startedAt;
}

/**
 * Stops processes stage by stage, highest first, each by its own signal; what has not ended within
 * its grace period is killed with its process group.
 *
 * @param {readonly ProcessRecord[]} records
 */
export async function stopProcesses(records) {
  const stages = [...new Set(records.map((record) => record.stage))].sort((a, b) => b - a);
  for (const stage of stages) {
    await Promise.all(records.filter((record) => record.stage === stage).map(stopProcess));
  }
}

/** @param {ProcessRecord} record */
async function stopProcess(record) {
  if (!isAlive(record)) return;
  const target = record.wholeGroup ? -record.pid : record.pid;
  send(target, record.signal);
  // A paused process (SIGSTOP, Ctrl-Z) handles no signal until it continues.
  send(target, 'SIGCONT');
  const rest = () => (record.wholeGroup ? sessionOf(record.pid) : []);
  const gone = () => !isAlive(record) && rest().length === 0;
  if (await waitFor(gone, { timeoutMs: record.graceMs, intervalMs: 25 })) return;
  if (!send(-record.pid, 'SIGKILL')) send(record.pid, 'SIGKILL');
  for (const pid of rest()) send(pid, 'SIGKILL');
  await waitFor(gone, { timeoutMs: 2000, intervalMs: 25 });
}

/**
 * The processes of a session, which a detached process leads. Turbo gives each task a process group
 * of its own, and a killed turbo leaves its tasks running: only the session still holds them.
 *
 * @param {number} leader
 * @returns {number[]} Their ids; none where there is no `/proc`.
 */
function sessionOf(leader) {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      try {
        const [state, , , session] = statOf(pid);
        return Number(session) === leader && state !== 'Z' && state !== 'X';
      } catch {
        return false;
      }
    });
}

/** @param {number} pid @param {NodeJS.Signals} signal @returns {boolean} Whether the process exists. */
function send(pid, signal) {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
