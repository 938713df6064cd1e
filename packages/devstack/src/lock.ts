import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { codeOf, LauncherError } from './errors.ts';
import { isAlive, type ProcessRecord, startOf, stopProcesses } from './processes.ts';
import { waitFor } from './wait.ts';

type Identity = Pick<ProcessRecord, 'pid' | 'startedAt'>;

/** The contents of the lock file: the launcher itself, and what has to end with it. */
interface LockState extends Identity {
  /** Unique per lock. */
  token: string;
  watchdog?: Identity;
  /** Whether the launcher is shutting down. */
  stopping: boolean;
  /** The programs that it started. */
  processes: ProcessRecord[];
  /** What must not outlive it. */
  paths: string[];
}

/** Held by the one launcher of a data folder. */
export interface Lock {
  watchdogPid: number | undefined;
  /** Writes the running programs to the lock file, for the watchdog and for the next start. */
  update(change: Pick<LockState, 'processes' | 'stopping'>): void;
  /** Once the programs have stopped: removes the paths and the lock file. */
  release(): void;
}

/** How long a launcher, or the watchdog of a killed one, may take to stop its programs. */
const stopTimeoutMs = 30_000;

/** How long a launcher may take to notice that its terminal or npm ended, and to set `stopping`. */
const noticeTimeoutMs = 2000;

const watchdogProgram = fileURLToPath(new URL('./watchdog.mjs', import.meta.url));

/**
 * Makes this process the only launcher of a data folder. It first stops the programs that a killed
 * launcher left running, except PostgreSQL, which the start that follows can adopt.
 *
 * @param paths What must not outlive this process.
 * @throws {LauncherError} When another launcher runs there.
 */
export async function acquireLock(dataDir: string, paths: string[]): Promise<Lock> {
  const file = join(dataDir, 'launcher.json');
  const token = randomUUID();
  const self = { pid: process.pid, startedAt: startOf(process.pid) ?? '' };
  let state: LockState = { token, ...self, stopping: false, processes: [], paths };
  while (!tryCreate(file, state)) {
    const holder = readLock(file);
    if (holder === undefined) continue;
    await waitForEnd(file, holder, dataDir);
    takeAway(file, holder);
  }
  const update = (change: Partial<LockState>) => {
    state = { ...state, ...change };
    const next = `${file}.${token}`;
    writeFileSync(next, JSON.stringify(state), { mode: 0o600 });
    renameSync(next, file);
  };
  const watchdog = startWatchdog(file, token);
  const { pid } = watchdog;
  if (pid !== undefined) update({ watchdog: { pid, startedAt: startOf(pid) ?? '' } });
  return {
    watchdogPid: pid,
    update,
    release() {
      for (const path of [...paths, file]) rmSync(path, { recursive: true, force: true });
      watchdog.stdin.end();
    },
  };
}

/** Starts the program that stops the others when this process is killed. */
function startWatchdog(file: string, token: string) {
  const watchdog = spawn(process.execPath, [watchdogProgram, file, token], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // The launcher works without a watchdog.
  watchdog.on('error', () => {});
  watchdog.stdin.on('error', () => {});
  watchdog.unref();
  return watchdog;
}

/** What the watchdog does for a launcher that was killed: stops its programs, and removes its paths. */
export async function stopLeftovers(file: string, token: string) {
  const state = readLock(file);
  if (state?.token !== token) return;
  await stopProcesses(state.processes);
  for (const path of state.paths) rmSync(path, { recursive: true, force: true });
}

async function waitForEnd(file: string, holder: LockState, dataDir: string) {
  const gone = () => !isAlive(holder);
  const leaving = () => gone() || readLock(file)?.stopping === true;
  if (await waitFor(leaving, { timeoutMs: noticeTimeoutMs })) {
    await waitFor(gone, { timeoutMs: stopTimeoutMs });
  }
  if (isAlive(holder)) {
    throw new LauncherError(`Ceiba already runs from ${dataDir} (process ${holder.pid}).`, {
      hint: `Stop it with Ctrl-C in its terminal, or: kill ${holder.pid}`,
    });
  }
  const { watchdog } = holder;
  if (watchdog) await waitFor(() => !isAlive(watchdog), { timeoutMs: stopTimeoutMs });
  await stopProcesses(holder.processes.filter(({ name }) => name !== 'PostgreSQL'));
}

/** @returns False when a lock exists. */
function tryCreate(file: string, state: LockState): boolean {
  const draft = `${file}.${state.token}`;
  writeFileSync(draft, JSON.stringify(state), { mode: 0o600 });
  try {
    // A hard link appears with its whole content, and never replaces a file.
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** @returns Undefined when it is gone. */
function readLock(file: string): LockState | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  const empty = { token: '', pid: 0, startedAt: '', stopping: false, processes: [], paths: [] };
  try {
    return { ...empty, ...JSON.parse(text) };
  } catch {
    // Truncated by a full disk or a crash of the machine: no process of it can still run.
    return empty;
  }
}

/** Removes the lock of a holder that has ended, unless another start was faster. */
function takeAway(file: string, holder: LockState) {
  const aside = `${file}.${randomUUID()}`;
  try {
    renameSync(file, aside);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  const moved = readLock(aside);
  if (moved !== undefined && moved.token !== holder.token) {
    // Two starts found the same stale lock; this one moved the winner's. Put it back.
    try {
      linkSync(aside, file);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
  }
  rmSync(aside, { force: true });
}
