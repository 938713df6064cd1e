import { spawn } from 'node:child_process';
import { chmodSync, closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { LauncherError } from './errors.mjs';
import { acquireLock } from './lock.mjs';
import { startOf, stopProcesses } from './processes.mjs';
import { waitFor } from './wait.mjs';

/** @typedef {import('./processes.mjs').ProcessRecord} ProcessRecord */

/**
 * @typedef {object} ServiceSpec
 * @property {string} name For messages and the log file.
 * @property {string} command
 * @property {string[]} [args]
 * @property {string} [cwd]
 * @property {NodeJS.ProcessEnv} [env]
 * @property {number} [uid]
 * @property {number} [gid]
 * @property {NodeJS.Signals} [signal] SIGTERM unless said otherwise.
 * @property {number} [graceMs] 10,000 unless said otherwise.
 * @property {number} stage Higher stages stop first.
 */

/**
 * A started program under the supervisor's care.
 *
 * @typedef {object} Service
 * @property {string} name
 * @property {number} pid
 * @property {Promise<string>} exited Resolves with how it ended: `exited with code 1`.
 * @property {() => boolean} isRunning
 * @property {() => string} tail The last lines that it wrote.
 * @property {() => Promise<void>} stop
 */

const watchdogProgram = fileURLToPath(new URL('./watchdog.mjs', import.meta.url));

/**
 * Owns every program that a command starts. They run in process groups of their own, so that
 * Ctrl-C reaches the launcher alone and it can stop them in order; a watchdog stops them when the
 * launcher was killed; the lock file lets the next start finish what both left.
 *
 * @param {{ dataDir: string, removeOnEnd?: string[] }} options `removeOnEnd` lists paths that must
 *   not outlive the launcher.
 */
export async function createSupervisor({ dataDir, removeOnEnd = [] }) {
  prepareDataDir(dataDir);
  const lock = await acquireLock(dataDir);
  const watchdog = spawn(process.execPath, [watchdogProgram], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // A watchdog that died is no reason to stop; writing to it must not throw.
  watchdog.on('error', () => {});
  watchdog.stdin.on('error', () => {});
  watchdog.unref();

  /** @type {Map<number, ProcessRecord>} */
  const records = new Map();
  let stopping = false;
  /** @type {((service: Service, how: string) => void) | undefined} */
  let onFailure;

  const publish = () => {
    const processes = [...records.values()];
    lock.update({ processes, stopping, ...(watchdog.pid ? { watchdogPid: watchdog.pid } : {}) });
    watchdog.stdin.write(`${JSON.stringify({ processes, paths: removeOnEnd })}\n`);
  };
  publish();

  /** @param {ProcessRecord} record */
  const forget = (record) => {
    if (records.get(record.pid) === record && records.delete(record.pid)) publish();
  };

  /**
   * @param {ProcessRecord} record
   * @param {Promise<string>} exited
   * @param {string} logFile
   * @returns {Service}
   */
  const supervise = (record, exited, logFile) => {
    records.set(record.pid, record);
    publish();
    let running = true;
    /** @type {Service} */
    const service = {
      name: record.name,
      pid: record.pid,
      exited,
      isRunning: () => running,
      tail: () => tailOf(logFile),
      stop: async () => {
        records.delete(record.pid);
        await stopProcesses([record]);
        publish();
      },
    };
    exited.then((how) => {
      running = false;
      const expected = stopping || !records.has(record.pid);
      forget(record);
      if (!expected) onFailure?.(service, how);
    });
    return service;
  };

  return {
    dataDir,

    /** @returns {Record<string, number>} The process ids of what runs, the watchdog's among them. */
    processes() {
      const running = [...records.values()].map(({ name, pid }) => [name, pid]);
      return Object.fromEntries([['watchdog', watchdog.pid], ...running]);
    },

    /** @param {(service: Service, how: string) => void} handler Called when one ends unasked. */
    onUnexpectedExit(handler) {
      onFailure = handler;
    },

    /**
     * @param {ServiceSpec} spec
     * @returns {Promise<Service>} Once the program runs; not yet once it serves.
     * @throws {LauncherError} When it cannot be run at all.
     */
    async spawn(spec) {
      if (stopping) throw new LauncherError('Stopped while starting.');
      const { name, command, args = [], signal = 'SIGTERM', graceMs = 10_000, stage } = spec;
      const logFile = logFileOf(dataDir, name);
      const log = openSync(logFile, 'w', 0o600);
      const child = spawn(command, args, {
        cwd: spec.cwd ?? dataDir,
        env: spec.env ?? process.env,
        detached: true,
        stdio: ['ignore', log, log],
        ...(spec.uid === undefined ? {} : { uid: spec.uid }),
        ...(spec.gid === undefined ? {} : { gid: spec.gid }),
      });
      closeSync(log);
      /** @type {Promise<string>} */
      const exited = new Promise((resolve) => {
        child.once('exit', (code, by) =>
          resolve(by ? `was killed by ${by}` : `exited with code ${code}`),
        );
        child.once('error', (error) => resolve(error.message));
      });
      if (child.pid === undefined) {
        throw new LauncherError(`Could not run ${command}: ${await exited}`);
      }
      // Undefined when it has ended by now: recorded all the same, its exit is about to be told.
      const startedAt = startOf(child.pid) ?? 'gone';
      return supervise(
        { name, pid: child.pid, startedAt, signal, graceMs, stage },
        exited,
        logFile,
      );
    },

    /**
     * Takes over a program that an earlier launcher left running.
     *
     * @param {Omit<ProcessRecord, 'startedAt'>} found
     * @returns {Service | undefined} Undefined when it has gone meanwhile.
     */
    adopt(found) {
      const startedAt = startOf(found.pid);
      if (startedAt === undefined) return undefined;
      const gone = () => startOf(found.pid) !== startedAt;
      const exited = waitFor(gone, { timeoutMs: Number.POSITIVE_INFINITY, intervalMs: 500 });
      const how = exited.then(() => 'ended');
      return supervise({ ...found, startedAt }, how, logFileOf(dataDir, found.name));
    },

    /** Stops everything, what serves before what it depends on, and gives the data folder back. */
    async stop() {
      stopping = true;
      publish();
      await stopProcesses([...records.values()]);
      records.clear();
      publish();
      watchdog.stdin.end();
      lock.release();
    },
  };
}

/** @typedef {Awaited<ReturnType<typeof createSupervisor>>} Supervisor */

/** @param {string} dataDir */
function prepareDataDir(dataDir) {
  try {
    mkdirSync(join(dataDir, 'logs'), { recursive: true });
    // Passable for the user that PostgreSQL runs as under root; what is secret is 0600 by itself.
    chmodSync(dataDir, 0o711);
    chmodSync(join(dataDir, 'logs'), 0o700);
  } catch (error) {
    throw new LauncherError(`Cannot write to the data folder ${dataDir}.`, {
      hint: 'It may belong to another user. Set CEIBA_DATA_DIR to a folder of your own.',
      output: error instanceof Error ? error.message : undefined,
    });
  }
}

/** @param {string} dataDir @param {string} name */
export function logFileOf(dataDir, name) {
  return join(dataDir, 'logs', `${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.log`);
}

/** @param {string} file @param {number} [lines] @returns {string} */
export function tailOf(file, lines = 15) {
  try {
    return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-lines).join('\n');
  } catch {
    return '';
  }
}
