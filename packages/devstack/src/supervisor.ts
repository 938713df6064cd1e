import { once } from 'node:events';
import {
  chmodSync,
  createWriteStream,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
} from 'node:fs';
import { setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';

import { execa, type Options } from 'execa';

import { codeOf, LauncherError, messageOf, StoppedError } from './errors.ts';
import { acquireLock, type Lock } from './lock.ts';
import { dim, print } from './output.ts';
import { type ProcessRecord, startOf, stopProcesses } from './processes.ts';
import { root } from './settings.ts';
import { waitFor } from './wait.ts';

/** A program to run. `cwd` is the data folder and `env` is that of this process unless given. */
export interface ServiceSpec extends Pick<Options, 'cwd' | 'env' | 'uid' | 'gid'> {
  /** For messages and the log file. */
  name: string;
  command: string;
  args?: string[];
  /** Asks it to stop; SIGTERM unless given. */
  signal?: NodeJS.Signals;
  /** How long it may take to stop before it is killed; 10,000 unless given. */
  graceMs?: number;
  /** Higher stages stop first. */
  stage: number;
  /** How readily it yields the processor to others, 0 unless given. */
  niceness?: number;
  /** Whether its lines go to this process's output as well as to the log file. */
  isShown?: boolean;
}

/** A program that runs to its end. `failure` and `hint` are the texts of the error when it fails. */
export interface JobSpec extends Omit<ServiceSpec, 'stage' | 'isShown'> {
  input?: string;
  failure: string;
  hint?: string;
}

/** A running program that the supervisor stops. */
export interface Service {
  name: string;
  pid: number;
  /** Resolves with how it ended: `exited with code 1`. */
  exited: Promise<string>;
  isRunning(): boolean;
  /** The last lines that it wrote. */
  tail(): string;
  stop(): Promise<void>;
}

/** What a job has: it stops before the programs, with all that it started. */
const JOB = { cwd: root, wholeGroup: true, stage: 2 };

/**
 * Owns every program that a command starts. Each runs in a process group of its own, so that Ctrl-C
 * reaches only the launcher, which stops them in order. The lock's watchdog stops them when the
 * launcher is killed. When both are killed, the next start stops them with the help of the lock file.
 */
export class Supervisor {
  readonly dataDir: string;
  readonly #lock: Lock;
  readonly #records = new Map<number, ProcessRecord>();
  #stopping = false;
  #onUnexpectedExit: ((service: Service, how: string) => void) | undefined;

  constructor(dataDir: string, lock: Lock) {
    this.dataDir = dataDir;
    this.#lock = lock;
  }

  /** @returns The process ids of the running programs and of the watchdog. */
  processes(): Record<string, number | undefined> {
    const running = [...this.#records.values()].map(({ name, pid }) => [name, pid]);
    return { watchdog: this.#lock.watchdogPid, ...Object.fromEntries(running) };
  }

  /** @param handler Called when a program ends that was not stopped. */
  onUnexpectedExit(handler: (service: Service, how: string) => void) {
    this.#onUnexpectedExit = handler;
  }

  /**
   * @returns Once the program runs, before it is ready.
   * @throws {LauncherError} When it cannot be run at all.
   */
  async spawn({ isShown = false, ...spec }: ServiceSpec): Promise<Service> {
    const logFile = logFileOf(this.dataDir, spec.name);
    const log = createWriteStream(logFile, { fd: openSync(logFile, 'w', 0o600) });
    const show = function* (line: unknown) {
      print(`${dim(`${spec.name} | `)}${line}`);
      yield line;
    };
    // Without a pipe to this process, a program outlives it undisturbed, and can be adopted.
    const output = isShown ? [show, { file: logFile, append: true } as const] : log;
    const streams = { stdin: 'ignore', stdout: output, stderr: output, buffer: false } as const;
    const { program, record } = this.#launch(spec, streams);
    log.destroy();
    const how = once(program, 'exit').then(([code, by]) =>
      by ? `was killed by ${by}` : `exited with code ${code}`,
    );
    return this.#supervise(record, how, logFile);
  }

  /**
   * Runs a program to its end. Its output is shown only when it fails.
   *
   * @returns Its standard output.
   * @throws {LauncherError} With the end of its output.
   */
  async run({ input = '', failure, hint, ...spec }: JobSpec): Promise<string> {
    const job = { ...JOB, graceMs: 3000, ...spec };
    const { program, record } = this.#launch(job, { input, all: true });
    const { exitCode, stdout, all } = await program;
    this.#forget(record);
    if (exitCode === 0) return stdout;
    if (this.#stopping) throw new StoppedError();
    throw new LauncherError(failure, { hint, output: lastLines(all, 30) });
  }

  /**
   * Runs a program to its end with the standard output and error of this process.
   *
   * @param spec `prefix` begins each of its lines, where several programs run at once.
   * @returns Its exit code, or 1 when a signal ended it.
   */
  async stream({
    prefix,
    ...spec
  }: Omit<ServiceSpec, 'stage' | 'isShown'> & { prefix?: string }): Promise<number> {
    // biome-ignore lint/correctness/useYield: it prints each line, and leaves none to others.
    const show = function* (line: unknown) {
      print(`${prefix}${line}`);
    };
    const output = prefix === undefined ? 'inherit' : show;
    const streams = { stdin: 'ignore', stdout: output, stderr: output, buffer: false } as const;
    const { program, record } = this.#launch({ ...JOB, ...spec }, streams);
    const { exitCode = 1 } = await program;
    this.#forget(record);
    return exitCode;
  }

  /**
   * Adopts a program that an earlier launcher left running.
   *
   * @returns Undefined when it has ended.
   */
  adopt(found: Omit<ProcessRecord, 'startedAt'>): Service | undefined {
    const startedAt = startOf(found.pid);
    if (startedAt === undefined) return undefined;
    const record = this.#record({ ...found, startedAt });
    const gone = () => startOf(found.pid) !== startedAt;
    const exited = waitFor(gone, { timeoutMs: Number.POSITIVE_INFINITY, intervalMs: 500 });
    const how = exited.then(() => 'ended');
    return this.#supervise(record, how, logFileOf(this.dataDir, found.name));
  }

  /** @param isChosen Which programs to stop; the others keep running. */
  async stopOnly(isChosen: (record: ProcessRecord) => boolean) {
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
    this.#lock.release();
  }

  #publish() {
    this.#lock.update({ processes: [...this.#records.values()], stopping: this.#stopping });
  }

  #record(record: ProcessRecord): ProcessRecord {
    this.#records.set(record.pid, record);
    this.#publish();
    return record;
  }

  /** @returns Whether it was still supervised. */
  #forget(record: ProcessRecord): boolean {
    if (this.#records.get(record.pid) !== record) return false;
    this.#records.delete(record.pid);
    this.#publish();
    return true;
  }

  #launch<Streams extends Options>(spec: ServiceSpec & { wholeGroup?: boolean }, streams: Streams) {
    if (this.#stopping) throw new StoppedError();
    const { name, command, args = [], signal = 'SIGTERM', graceMs = 10_000, ...rest } = spec;
    const { stage, wholeGroup = false, niceness, ...options } = rest;
    const program = execa(command, args, {
      cwd: this.dataDir,
      env: process.env,
      ...options,
      ...streams,
      extendEnv: false,
      detached: true,
      reject: false,
    });
    const { pid } = program;
    if (pid === undefined) throw new LauncherError(`Could not run ${command}.`);
    if (niceness !== undefined) yieldProcessor(pid, niceness);
    // Undefined when it has ended by now; recorded all the same, since its exit event is pending.
    const startedAt = startOf(pid) ?? 'gone';
    const record = this.#record({ name, pid, startedAt, signal, graceMs, stage, wholeGroup });
    return { program, record };
  }

  #supervise(record: ProcessRecord, exited: Promise<string>, logFile: string): Service {
    let running = true;
    const service: Service = {
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
 * @param options `removeOnEnd` lists paths that must not outlive the launcher.
 * @throws {LauncherError} When another launcher uses the data folder, or nothing can be written there.
 */
export async function createSupervisor({
  dataDir,
  removeOnEnd = [],
}: {
  dataDir: string;
  removeOnEnd?: string[];
}): Promise<Supervisor> {
  try {
    prepareDataDir(dataDir);
    return new Supervisor(dataDir, await acquireLock(dataDir, removeOnEnd));
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    throw new LauncherError(`Cannot write to the data folder ${dataDir}.`, {
      hint: 'Its disk may be full, or it may belong to another user. Set CEIBA_DATA_DIR to a folder of your own.',
      output: messageOf(error),
    });
  }
}

function yieldProcessor(pid: number, niceness: number) {
  try {
    setPriority(pid, niceness);
  } catch {
    // It has ended by now.
  }
}

function lastLines(text: string, count: number): string {
  return text.trimEnd().split('\n').slice(-count).join('\n');
}

function prepareDataDir(dataDir: string) {
  // Under root, the user of PostgreSQL has to enter this folder; secret files in it are 0600.
  // An existing folder keeps its mode.
  mkdirSync(dataDir, { recursive: true, mode: 0o711 });
  mkdirSync(join(dataDir, 'logs'), { recursive: true, mode: 0o700 });
}

/** @returns A new data folder in the system's folder for temporary files. */
export function temporaryFolder(prefix: string): string {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  chmodSync(folder, 0o711);
  return folder;
}

export function logFileOf(dataDir: string, name: string): string {
  return join(dataDir, 'logs', `${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.log`);
}

function tailOf(file: string): string {
  try {
    return lastLines(readFileSync(file, 'utf8'), 15);
  } catch {
    return '';
  }
}
