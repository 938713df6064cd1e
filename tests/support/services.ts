import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { freePort } from '@ceiba/devstack/ports';
import { startPostgres } from '@ceiba/devstack/postgres';
import { parentOf } from '@ceiba/devstack/processes';
import { startRedis } from '@ceiba/devstack/redis';
import {
  createSupervisor,
  type Service,
  type Supervisor,
  temporaryFolder,
} from '@ceiba/devstack/supervisor';

/** A server for one test to inject faults into, unlike the shared ones of `DATABASE_URL` and `REDIS_URL`. */
export interface TestService {
  /** Does not change with a restart. */
  readonly url: string;
  /** The folder of its files; change them only while it is stopped. */
  readonly dataFolder: string;
  pid(): number;
  /** Sends SIGSTOP to its processes: connections stay open, nothing answers. */
  freeze(): void;
  thaw(): void;
  /** Kills it with SIGKILL and returns once it has exited. */
  kill(): Promise<void>;
  /** Shuts it down and returns once it has exited. */
  stop(): Promise<void>;
  /** Restarts it on its data and returns once it answers. */
  start(): Promise<void>;
  /** Stops it and removes its files. */
  dispose(): Promise<void>;
}

/**
 * Starts an embedded PostgreSQL with the settings of `npm start`.
 *
 * @param prepare fills the launcher's empty data folder; by default the server gets a new cluster.
 */
export function startTestPostgres(prepare?: (dataDir: string) => void): Promise<TestService> {
  return startTestService('postgres', startPostgres, prepare);
}

/** Starts the Redis on PATH with the settings of `npm start`, or the one in JavaScript. */
export function startTestRedis(): Promise<TestService> {
  return startTestService('redis', startRedis);
}

type Start = (
  supervisor: Supervisor,
  options: { port?: number },
) => Promise<{ url: string; service: Service }>;

async function startTestService(
  folder: string,
  start: Start,
  prepare?: (dataDir: string) => void,
): Promise<TestService> {
  const dataDir = temporaryFolder('ceiba-test-');
  prepare?.(dataDir);
  const supervisor = await createSupervisor({ dataDir, removeOnEnd: [dataDir] });
  const port = await freePort();
  let { url, service } = await start(supervisor, { port });
  return {
    url,
    dataFolder: join(dataDir, folder),
    pid: () => service.pid,
    freeze: () => signalAll(service.pid, 'SIGSTOP'),
    thaw: () => signalAll(service.pid, 'SIGCONT'),
    async kill() {
      const stopped = service.exited;
      signalAll(service.pid, 'SIGKILL');
      await stopped;
    },
    stop: () => service.stop(),
    async start() {
      ({ url, service } = await start(supervisor, { port }));
    },
    dispose: () => supervisor.stop(),
  };
}

/** Signals the server and its sessions: each session of PostgreSQL is a process with its own group. */
function signalAll(pid: number, signal: NodeJS.Signals): void {
  // The parent first, so that it starts no further session.
  for (const target of [pid, ...descendantsOf(pid)]) {
    try {
      process.kill(target, signal);
    } catch {
      // The process exited between the listing and the signal.
    }
  }
}

function descendantsOf(pid: number): number[] {
  const parents = process.platform === 'linux' ? parentsFromProc() : parentsFromPs();
  const below = (parent: number): number[] =>
    parents.filter((row) => row.parent === parent).flatMap((row) => [row.pid, ...below(row.pid)]);
  return below(pid);
}

interface ParentRow {
  pid: number;
  parent: number;
}

function parentsFromProc(): ParentRow[] {
  return readdirSync('/proc').flatMap((entry) => {
    const parent = /^\d+$/.test(entry) ? parentOf(Number(entry)) : undefined;
    return parent === undefined ? [] : [{ pid: Number(entry), parent }];
  });
}

function parentsFromPs(): ParentRow[] {
  const rows = execFileSync('ps', ['-axo', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  return rows.map((row) => {
    const [pid = 0, parent = 0] = row.trim().split(/\s+/).map(Number);
    return { pid, parent };
  });
}
