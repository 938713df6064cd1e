import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { codeOf, LauncherError } from './errors.mjs';
import { commandOf, isAlive, startOf, stopProcesses } from './processes.mjs';
import { waitFor } from './wait.mjs';

/**
 * @typedef {object} LockState
 * @property {string} token Unique per lock.
 * @property {number} pid The launcher.
 * @property {string} startedAt
 * @property {number} [watchdogPid]
 * @property {boolean} [stopping] Whether the launcher is shutting down.
 * @property {import('./processes.mjs').ProcessRecord[]} processes The programs that it started.
 */

/** How long a launcher, or the watchdog of a killed one, may take to stop its programs. */
const stopTimeoutMs = 30_000;

/** How long a launcher may take to notice that its terminal or npm ended, and to set `stopping`. */
const noticeTimeoutMs = 2000;

/**
 * Makes this process the only launcher of a data folder. It first stops the programs that a killed
 * launcher left running, except PostgreSQL, which the start that follows can adopt.
 *
 * @param {string} dataDir
 * @returns {Promise<{ update(change: Partial<LockState>): void, release(): void }>}
 * @throws {LauncherError} When another launcher runs there.
 */
export async function acquireLock(dataDir) {
  const file = join(dataDir, 'launcher.json');
  /** @type {LockState} */
  let state = {
    token: randomUUID(),
    pid: process.pid,
    startedAt: startOf(process.pid) ?? '',
    processes: [],
  };
  while (!tryCreate(file, state)) {
    const holder = readLock(file);
    if (holder === undefined) continue;
    await waitForEnd(file, holder, dataDir);
    takeAway(file, holder);
  }
  return {
    update(change) {
      state = { ...state, ...change };
      const next = `${file}.${state.token}`;
      writeFileSync(next, JSON.stringify(state), { mode: 0o600 });
      renameSync(next, file);
    },
    release: () => rmSync(file, { force: true }),
  };
}

/**
 * @param {string} file
 * @param {LockState} holder
 * @param {string} dataDir
 */
async function waitForEnd(file, holder, dataDir) {
  const leaving = () => !isAlive(holder) || readLock(file)?.stopping === true;
  if (await waitFor(leaving, { timeoutMs: noticeTimeoutMs })) {
    await waitFor(() => !isAlive(holder), { timeoutMs: stopTimeoutMs });
  }
  if (isAlive(holder)) {
    throw new LauncherError(`Ceiba already runs from ${dataDir} (process ${holder.pid}).`, {
      hint: `Stop it with Ctrl-C in its terminal, or: kill ${holder.pid}`,
    });
  }
  const watchdogPid = holder.watchdogPid;
  if (watchdogPid !== undefined) {
    const done = () => !commandOf(watchdogPid).includes('watchdog.mjs');
    await waitFor(done, { timeoutMs: stopTimeoutMs });
  }
  await stopProcesses(holder.processes.filter(({ name }) => name !== 'PostgreSQL'));
}

/** @param {string} file @param {LockState} state @returns {boolean} False when a lock exists. */
function tryCreate(file, state) {
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

/** @param {string} file @returns {LockState | undefined} Undefined when it is gone. */
function readLock(file) {
  let text;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return { processes: [], ...JSON.parse(text) };
  } catch {
    // Truncated by a full disk or a crash of the machine: no process of it can still run.
    return { token: '', pid: 0, startedAt: '', processes: [] };
  }
}

/**
 * Removes the lock of a holder that has ended, unless another start was faster.
 *
 * @param {string} file
 * @param {LockState} holder
 */
function takeAway(file, holder) {
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
