import { readdirSync, readFileSync } from 'node:fs';

import { execaSync } from 'execa';

import { waitFor } from './wait.ts';

/**
 * A process as a later run can recognise it: the operating system may reuse its id for another
 * program.
 */
export interface ProcessRecord {
  /** For messages. */
  name: string;
  pid: number;
  /** Its start as the operating system reports it; opaque. */
  startedAt: string;
  /** The signal that asks it to stop. */
  signal: NodeJS.Signals;
  /** How long it may take to stop before it is killed. */
  graceMs: number;
  /** Higher stages stop first: programs, then the databases that they use. */
  stage: number;
  /**
   * Whether the signal goes to its whole process group, and whether what else runs in its session has
   * to end too.
   */
  wholeGroup?: boolean;
}

/**
 * @returns When the process started, as the operating system reports it, or undefined when it has
 *   ended. A zombie has ended: its parent may never collect it (a container's first process often
 *   does not).
 */
export function startOf(pid: number): string | undefined {
  try {
    if (process.platform !== 'linux') {
      const line = execaSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)]).stdout;
      return line.startsWith('Z') ? undefined : line.replace(/^\S+\s+/, '');
    }
    const fields = statOf(pid);
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

/** @returns Its parent, where there is `/proc`. */
export function parentOf(pid: number): number | undefined {
  try {
    return Number(statOf(pid)[1]);
  } catch {
    return undefined;
  }
}

/** @returns Linux's fields from the third, the state, onwards. */
function statOf(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field is the program's name in parentheses and may itself hold spaces.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** @returns The command line, empty when it cannot be read. */
export function commandOf(pid: number): string {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    return execaSync('ps', ['-o', 'command=', '-p', String(pid)]).stdout;
  } catch {
    return '';
  }
}

export function isAlive({ pid, startedAt }: { pid: number; startedAt: string }): boolean {
  return startOf(pid) === startedAt;
}

/**
 * Stops processes stage by stage, highest first, each by its own signal; what has not ended within
 * its grace period is killed with its process group.
 */
export async function stopProcesses(records: readonly ProcessRecord[]) {
  const stages = [...new Set(records.map((record) => record.stage))].sort((a, b) => b - a);
  for (const stage of stages) {
    await Promise.all(records.filter((record) => record.stage === stage).map(stopProcess));
  }
}

async function stopProcess(record: ProcessRecord) {
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
 * @returns Their ids; none where there is no `/proc`.
 */
function sessionOf(leader: number): number[] {
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

/** @returns Whether the process exists. */
function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
