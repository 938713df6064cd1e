import { spawn } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { LauncherError, StoppedError } from './errors.mjs';
import { acquireLock } from './lock.mjs';
import { dim, print } from './output.mjs';
import { startOf, stopProcesses } from './processes.mjs';
import { root } from './settings.mjs';
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
 * @property {NodeJS.Signals} [signal] Asks it to stop; default SIGTERM.
 * @property {number} [graceMs] How long it may take to stop before it is killed; default 10,000.
 * @property {number} stage Higher stages stop first.
 * @property {number} [niceness] How readily it yields the processor to others, 0 unless given.
 * @property {boolean} [isShown] Whether its lines go to this process's output as well as to the log file.
 *
 * @typedef {Omit<ServiceSpec, 'stage'> & { input?: string, failure: string, hint?: string }} JobSpec
 *   `failure` and `hint` are the texts of the error when it fails.
 */

/**
 * A running program that the supervisor stops.
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
 * Owns every program that a command starts. Each runs in a process group of its own, so that Ctrl-C
 * reaches only the launcher, which stops them in order. A watchdog stops them when the launcher is
 * killed. When both are killed, the next start stops them with the help of the lock file.
 */
export class Supervisor {
  #lock;
  #removeOnEnd;
  #watchdog = startWatchdog();
  /** @type {Map<number, ProcessRecord>} */
  #records = new Map();
  #stopping = false;
  /** @type {((service: Service, how: string) => void) | undefined} */
  #onUnexpectedExit;

  /**
   * @param {string} dataDir
   * @param {Awaited<ReturnType<typeof acquireLock>>} lock
   * @param {string[]} removeOnEnd Paths that must not outlive the launcher.
   */
  constructor(dataDir, lock, removeOnEnd) {
    this.dataDir = dataDir;
    this.#lock = lock;
    this.#removeOnEnd = removeOnEnd;
    this.#publish();
  }

  /** @returns {Record<string, number>} The process ids of the running programs and of the watchdog. */
  processes() {
    const running = [...this.#records.values()].map(({ name, pid }) => [name, pid]);
    return Object.fromEntries([['watchdog', this.#watchdog.pid], ...running]);
  }

  /** @param {(service: Service, how: string) => void} handler Called when a program ends that was not stopped. */
  onUnexpectedExit(handler) {
    this.#onUnexpectedExit = handler;
  }

  /**
   * @param {ServiceSpec} spec
   * @returns {Promise<Service>} Once the program runs, before it is ready.
   * @throws {LauncherError} When it cannot be run at all.
   */
  async spawn(spec) {
    const logFile = logFileOf(this.dataDir, spec.name);
    const log = openSync(logFile, 'w', 0o600);
    const output = spec.isShown ? 'pipe' : log;
    const { child, record, exited } = this.#launch(spec, ['ignore', output, output]);
    if (spec.isShown) {
      onLines(child, (line) => {
        print(dim(`${spec.name} | `) + line);
        appendFileSync(logFile, `${line}\n`);
      });
    }
    closeSync(log);
    return this.#supervise(record, exited, logFile);
  }

  /**
   * Runs a program to its end. Its output is shown only when it fails.
   *
   * @param {JobSpec} job
   * @returns {Promise<string>} Its standard output.
   * @throws {LauncherError} With the end of its output.
   */
  async run({ input = '', failure, hint, ...spec }) {
    const job = { cwd: root, graceMs: 3000, wholeGroup: true, stage: 2, ...spec };
    const { child, record } = this.#launch(job, 'pipe');
    const { code, stdout, everything } = await outcomeOf(child, input);
    this.#forget(record);
    if (code === 0) return stdout;
    if (this.#stopping) throw new StoppedError();
    throw new LauncherError(failure, { hint, output: lastLines(everything, 30) });
  }

  /**
   * Runs a program to its end with the standard output and error of this process.
   *
   * @param {Omit<ServiceSpec, 'stage'> & { prefix?: string }} spec `prefix` begins each of its lines,
   *   where several programs run at once.
   * @returns {Promise<number>} Its exit code, or 1 when a signal ended it.
   */
  async stream({ prefix, ...spec }) {
    const job = { cwd: root, wholeGroup: true, stage: 2, ...spec };
    const output = prefix === undefined ? 'inherit' : 'pipe';
    const { child, record } = this.#launch(job, ['ignore', output, output]);
    onLines(child, (line) => print(`${prefix}${line}`));
    const { code } = await outcomeOf(child, '');
    this.#forget(record);
    return code ?? 1;
  }

  /**
   * Adopts a program that an earlier launcher left running.
   *
   * @param {Omit<ProcessRecord, 'startedAt'>} found
   * @returns {Service | undefined} Undefined when it has ended.
   */
  adopt(found) {
    const startedAt = startOf(found.pid);
    if (startedAt === undefined) return undefined;
    const record = { ...found, startedAt };
    this.#records.set(record.pid, record);
    this.#publish();
    const gone = () => startOf(found.pid) !== startedAt;
    const exited = waitFor(gone, { timeoutMs: Number.POSITIVE_INFINITY, intervalMs: 500 });
    const how = exited.then(() => 'ended');
    return this.#supervise(record, how, logFileOf(this.dataDir, found.name));
  }

  /** @param {(record: ProcessRecord) => boolean} isChosen Which programs to stop; the others keep running. */
  async stopOnly(isChosen) {
    const chosen = [...this.#records.values()].filter(isChosen);
    for (const { pid } of chosen) this.#records.delete(pid);
    await stopProcesses(chosen);
    this.#publish();
  }

  /** Stops all programs, then the databases that they use, and releases the data folder. */
  async stop() {
    this.#stopping = true;
    this.#publish();
    await stopProcesses([...this.#records.values()]);
    this.#records.clear();
    for (const path of this.#removeOnEnd) rmSync(path, { recursive: true, force: true });
    this.#watchdog.stdin.end(`${JSON.stringify({ processes: [], paths: [] })}\n`);
    this.#lock.release();
  }

  /** Writes the running programs to the lock file and to the watchdog. */
  #publish() {
    const processes = [...this.#records.values()];
    const { pid } = this.#watchdog;
    this.#lock.update({
      processes,
      stopping: this.#stopping,
      ...(pid === undefined ? {} : { watchdogPid: pid }),
    });
    this.#watchdog.stdin.write(`${JSON.stringify({ processes, paths: this.#removeOnEnd })}\n`);
  }

  /** @param {ProcessRecord} record @returns {boolean} Whether it was still supervised. */
  #forget(record) {
    if (this.#records.get(record.pid) !== record) return false;
    this.#records.delete(record.pid);
    this.#publish();
    return true;
  }

  /**
   * @param {ServiceSpec & { wholeGroup?: boolean }} spec
   * @param {import('node:child_process').StdioOptions} stdio
   */
  #launch(spec, stdio) {
    if (this.#stopping) throw new StoppedError();
    const { name, command, args = [], signal = 'SIGTERM', graceMs = 10_000, stage } = spec;
    const child = spawn(command, args, {
      cwd: spec.cwd ?? this.dataDir,
      env: spec.env ?? process.env,
      detached: true,
      stdio,
      ...(spec.uid === undefined ? {} : { uid: spec.uid }),
      ...(spec.gid === undefined ? {} : { gid: spec.gid }),
    });
    const exited = endOf(child);
    if (child.pid === undefined) throw new LauncherError(`Could not run ${command}.`);
    if (spec.niceness !== undefined) yieldProcessor(child.pid, spec.niceness);
    // Undefined when it has ended by now; recorded all the same, since its exit event is pending.
    const startedAt = startOf(child.pid) ?? 'gone';
    /** @type {ProcessRecord} */
    const record = { name, pid: child.pid, startedAt, signal, graceMs, stage };
    if (spec.wholeGroup) record.wholeGroup = true;
    this.#records.set(record.pid, record);
    this.#publish();
    return { child, record, exited };
  }

  /**
   * @param {ProcessRecord} record
   * @param {Promise<string>} exited
   * @param {string} logFile
   * @returns {Service}
   */
  #supervise(record, exited, logFile) {
    let running = true;
    /** @type {Service} */
    const service = {
      name: record.name,
      pid: record.pid,
      exited,
      isRunning: () => running,
      tail: () => tailOf(logFile),
      stop: () => this.stopOnly((each) => each === record),
    };
    exited.then((how) => {
      running = false;
      if (this.#forget(record) && !this.#stopping) this.#onUnexpectedExit?.(service, how);
    });
    return service;
  }
}

/**
 * @param {{ dataDir: string, removeOnEnd?: string[] }} options `removeOnEnd` lists paths that must
 *   not outlive the launcher.
 * @returns {Promise<Supervisor>}
 * @throws {LauncherError} When another launcher uses the data folder.
 */
export async function createSupervisor({ dataDir, removeOnEnd = [] }) {
  prepareDataDir(dataDir);
  return new Supervisor(dataDir, await acquireLock(dataDir), removeOnEnd);
}

function startWatchdog() {
  const watchdog = spawn(process.execPath, [watchdogProgram], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // The launcher works without a watchdog: a write to a dead one must not throw.
  watchdog.on('error', () => {});
  watchdog.stdin.on('error', () => {});
  watchdog.unref();
  return watchdog;
}

/** @param {number} pid @param {number} niceness */
function yieldProcessor(pid, niceness) {
  try {
    setPriority(pid, niceness);
  } catch {
    // It has ended by now.
  }
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<string>} How it ended: `exited with code 1`.
 */
function endOf(child) {
  return new Promise((resolve) => {
    child.once('exit', (code, by) =>
      resolve(by ? `was killed by ${by}` : `exited with code ${code}`),
    );
    child.once('error', (error) => resolve(error.message));
  });
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @param {(line: string) => void} use Called with each line that it writes to a pipe.
 */
function onLines(child, use) {
  for (const input of [child.stdout, child.stderr]) {
    if (input) createInterface({ input }).on('line', use);
  }
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @param {string} input
 * @returns {Promise<{ code: number | null, stdout: string, everything: string }>}
 */
function outcomeOf(child, input) {
  return new Promise((resolve) => {
    let stdout = '';
    let everything = '';
    child.stdout?.on('data', (chunk) => {
      stdout += chunk;
      everything += chunk;
    });
    child.stderr?.on('data', (chunk) => {
      everything += chunk;
    });
    child.once('close', (code) => resolve({ code, stdout, everything }));
    // A program that does not read its input closes the pipe; its exit code says enough.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}

/** @param {string} text @param {number} count */
function lastLines(text, count) {
  return text.trimEnd().split('\n').slice(-count).join('\n');
}

/** @param {string} dataDir */
function prepareDataDir(dataDir) {
  try {
    // Under root, the user of PostgreSQL has to enter this folder; secret files in it are 0600.
    // An existing folder keeps its mode.
    mkdirSync(dataDir, { recursive: true, mode: 0o711 });
    mkdirSync(join(dataDir, 'logs'), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new LauncherError(`Cannot write to the data folder ${dataDir}.`, {
      hint: 'It may belong to another user. Set CEIBA_DATA_DIR to a folder of your own.',
      output: error instanceof Error ? error.message : undefined,
    });
  }
}

/**
 * @param {string} prefix
 * @returns {string} A new data folder in the system's folder for temporary files.
 */
export function temporaryFolder(prefix) {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  chmodSync(folder, 0o711);
  return folder;
}

/** @param {string} dataDir @param {string} name */
export function logFileOf(dataDir, name) {
  return join(dataDir, 'logs', `${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.log`);
}

/** @param {string} file @param {number} [lines] @returns {string} */
export function tailOf(file, lines = 15) {
  try {
    return lastLines(readFileSync(file, 'utf8'), lines);
  } catch {
    return '';
  }
}
