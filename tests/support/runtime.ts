import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { freePort } from '@ceiba/devstack/ports';
import {
  createSupervisor,
  logFileOf,
  type Supervisor,
  temporaryFolder,
} from '@ceiba/devstack/supervisor';
import { waitFor } from '@ceiba/devstack/wait';

export interface RuntimeOptions {
  databaseUrl: string;
  redisUrl: string;
  /** Additional environment variables of the Runtime. */
  settings?: Record<string, string>;
  /** The path that has to answer 200 before this returns; `/ready` by default. */
  until?: '/ready' | '/health';
  /** The built program to run; this workspace's by default. */
  program?: string;
  /** A command that runs the program, such as the one of `readOnly`. */
  within?: readonly string[];
}

/** The Runtime in its own process, on its own port. */
export interface RunningRuntime {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Everything that it has logged so far, also after it stopped. */
  stdout(): string;
  /** Resolves with how it exited, such as `exited with code 0`. */
  readonly exited: Promise<string>;
  /** Stops it, waits for the exit, and removes its files. May be called more than once. */
  stop(): Promise<string>;
  /** Sends a signal; after SIGKILL, wait for `exited`. Call `stop` in any case. */
  kill(signal: NodeJS.Signals): void;
  /** Stops the process in place, as SIGSTOP does. */
  pause(): void;
  resume(): void;
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const builtProgram = join(root, 'apps/runtime/dist/main.js');
const START_TIMEOUT_MS = 20_000;

/**
 * Starts the built Runtime and returns once it answers. It exits with the calling process, also if
 * that one is killed.
 *
 * @throws Error with the Runtime's log when it does not come up
 */
export async function startRuntime(options: RuntimeOptions): Promise<RunningRuntime> {
  const program = options.program ?? builtProgram;
  if (!existsSync(program)) throw new Error(`${program} is missing: run \`npm run build\``);
  const { supervisor, leave } = await joinSupervisor();
  const name = `Runtime ${randomUUID()}`;
  const port = await freePort();
  const [command, ...args] = [...(options.within ?? []), process.execPath, program];
  const service = await supervisor.spawn({
    name,
    stage: 1,
    command: command!,
    args,
    cwd: root,
    env: environmentOf(options, port),
  });
  const url = `http://127.0.0.1:${port}`;
  let wholeLog: string | undefined;
  const stdout = () => wholeLog ?? readFileSync(logFileOf(supervisor.dataDir, name), 'utf8');
  let stopping: Promise<string> | undefined;
  const dispose = async () => {
    await service.stop();
    wholeLog = stdout();
    await leave();
    return service.exited;
  };

  const answers = () => isOk(`${url}${options.until ?? '/ready'}`);
  const settled = async () => (await answers()) || !service.isRunning();
  await waitFor(settled, { timeoutMs: START_TIMEOUT_MS, intervalMs: 20 });
  if (!service.isRunning() || !(await answers())) {
    await dispose();
    throw new Error(`The Runtime did not start. Its log:\n${stdout()}`);
  }
  let isAsked = false;
  const kill = (signal: NodeJS.Signals) => {
    isAsked = true;
    process.kill(service.pid, signal);
  };
  void service.exited.then((how) => {
    if (!isAsked) process.stderr.write(`The Runtime ${how}. Its log:\n${stdout()}\n`);
  });
  return {
    url,
    port,
    pid: service.pid,
    stdout,
    exited: service.exited,
    stop() {
      isAsked = true;
      stopping ??= dispose();
      return stopping;
    },
    kill,
    pause: () => kill('SIGSTOP'),
    resume: () => kill('SIGCONT'),
  };
}

let shared: { supervisor: Promise<Supervisor>; users: number } | undefined;

/** The supervisor of all Runtimes that run now: each has a process that watches over it. */
async function joinSupervisor() {
  shared ??= { supervisor: superviseIn(temporaryFolder('ceiba-runtime-')), users: 0 };
  const joined = shared;
  joined.users += 1;
  const supervisor = await joined.supervisor;
  const leave = async () => {
    joined.users -= 1;
    if (joined.users > 0) return;
    if (shared === joined) shared = undefined;
    await supervisor.stop();
  };
  return { supervisor, leave };
}

const superviseIn = (dataDir: string) => createSupervisor({ dataDir, removeOnEnd: [dataDir] });

/** The part of the caller's environment that any program needs to run. */
function environmentOf({ databaseUrl, redisUrl, settings }: RuntimeOptions, port: number) {
  return {
    PATH: process.env.PATH,
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    RUNTIME_HOST: '127.0.0.1',
    RUNTIME_PORT: String(port),
    METRICS_PORT: 'off',
    ...settings,
  };
}

/** Whether a GET answers 2xx within two seconds. */
export async function isOk(url: string): Promise<boolean> {
  try {
    const reply = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    await reply.arrayBuffer();
    return reply.ok;
  } catch {
    return false;
  }
}
