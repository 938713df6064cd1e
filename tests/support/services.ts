import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { freePort } from '@ceiba/devstack/ports';
import { startPostgres } from '@ceiba/devstack/postgres';
import { parentOf } from '@ceiba/devstack/processes';
import { redisOnPath, startRedis } from '@ceiba/devstack/redis';
import {
  createSupervisor,
  type Service,
  type Supervisor,
  temporaryFolder,
} from '@ceiba/devstack/supervisor';

/** A server of one test, to be hurt: the shared one of `DATABASE_URL` or `REDIS_URL` is not. */
export interface TestService {
  /** The same before and after a restart. */
  readonly url: string;
  /** Where its files are; change them only while it is stopped. */
  readonly dataFolder: string;
  pid(): number;
  /** Stops its processes in place, as SIGSTOP does: connections stay open, nothing answers. */
  freeze(): void;
  thaw(): void;
  /** Ends it without a warning and returns once it is gone. */
  kill(): Promise<void>;
  /** Asks it to shut down and returns once it has. */
  stop(): Promise<void>;
  /** Starts it again on its data and returns once it answers. */
  start(): Promise<void>;
  /** Stops it for good and removes its files. */
  dispose(): Promise<void>;
}

/**
 * The Valkey or Redis on PATH. Tests that need a real one are skipped without it:
 * `describe.skipIf(realRedis === undefined)`.
 */
export const realRedis: string | undefined = redisOnPath();

/**
 * Starts an embedded PostgreSQL with the settings of `npm start`.
 *
 * @param prepare Fills the launcher's empty data folder; by default the server gets a new cluster.
 */
export function startTestPostgres(prepare?: (dataDir: string) => void): Promise<TestService> {
  return startTestService('postgres', startPostgres, prepare);
}

/** Starts the Redis on PATH with the settings of `npm start`, else the one in JavaScript. */
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

/** PostgreSQL's sessions are processes of their own, each the leader of its own group. */
function signalAll(pid: number, signal: NodeJS.Signals): void {
  // The parent first: a stopped one starts no further session.
  for (const target of [pid, ...descendantsOf(pid)]) {
    try {
      process.kill(target, signal);
    } catch {
      // It ended between the listing and the signal.
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
