import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@ceiba/devstack/ports';
import { redisOnPath } from '@ceiba/devstack/redis';
import { Redis } from 'ioredis';
import { until } from './until.ts';

/** A real server that one test injects faults into. It keeps its port and folder across restarts. */
export interface RedisServer {
  readonly url: string;
  readonly port: number;
  /** The folder of its data; change it only while the server is stopped. */
  readonly folder: string;
  /** The test's client, independent of the code under test. */
  readonly admin: Redis;
  start(): Promise<void>;
  /** Starts it with additional settings and returns before it answers. */
  startUnready(settings: readonly string[]): Promise<void>;
  /** Kills it with SIGKILL: it writes nothing more to disk. */
  kill(): Promise<void>;
  /** SIGSTOP: connections stay open, the kernel accepts new ones, and nothing answers. */
  freeze(): void;
  thaw(): void;
  /** For a replica: resolves when it has all data of its primary. */
  inSyncWithPrimary(): Promise<void>;
  dispose(): Promise<void>;
}

/** The Valkey or Redis on PATH; if there is none, suites that need one are skipped. */
export const realRedis: string | undefined = redisOnPath();

/**
 * Starts the Redis on PATH, in memory only unless `settings` enable persistence.
 *
 * @param settings lines of `redis.conf` as arguments, such as `['--appendonly', 'yes']`.
 */
export async function startRedisServer(settings: readonly string[] = []): Promise<RedisServer> {
  if (realRedis === undefined) throw new Error('no redis-server or valkey-server on PATH');
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'ceiba-redis-'));
  const fixed = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder, ...IN_MEMORY];
  const server = restartable(realRedis, [...fixed, ...settings]);
  const admin = createAdmin(port);
  const start = async () => {
    server.spawn([]);
    try {
      await until('the server answers', async () => (await admin.ping()) === 'PONG');
    } catch (error) {
      throw new Error(`Redis does not answer on port ${port}:\n${server.output()}`, {
        cause: error,
      });
    }
  };
  const dispose = async () => {
    admin.disconnect();
    await server.kill();
    server.release();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await start();
  } catch (error) {
    await dispose();
    throw error;
  }
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    folder,
    admin,
    start,
    startUnready: async (further) => server.spawn(further),
    kill: server.kill,
    freeze: () => server.signal('SIGSTOP'),
    thaw: () => server.signal('SIGCONT'),
    inSyncWithPrimary: () =>
      until('the replica is in sync', async () => {
        const info = await admin.info('replication');
        return /^master_link_status:up/m.test(info) && /^master_sync_in_progress:0/m.test(info);
      }),
    dispose,
  };
}

const IN_MEMORY = ['--save', '', '--appendonly', 'no', '--repl-diskless-sync-delay', '0'];

function createAdmin(port: number): Redis {
  const admin = new Redis({
    port,
    host: '127.0.0.1',
    lazyConnect: true,
    enableReadyCheck: false,
    retryStrategy: () => 20,
  });
  admin.on('error', () => {});
  return admin;
}

/** A program that can run several times, one process after the other. It ends with the tests. */
function restartable(program: string, args: readonly string[]) {
  let child: ChildProcess | undefined;
  let output = '';
  const signal = (name: NodeJS.Signals) => void child?.kill(name);
  const endWithTests = () => signal('SIGKILL');
  process.on('exit', endWithTests);
  return {
    spawn(further: readonly string[]) {
      child = spawn(program, [...args, ...further], { stdio: ['ignore', 'pipe', 'inherit'] });
      child.stdout?.setEncoding('utf8').on('data', (text: string) => {
        output = (output + text).slice(-2000);
      });
    },
    /** The end of what it wrote. */
    output: () => output,
    signal,
    async kill() {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      signal('SIGKILL');
      await exited;
    },
    release: () => process.off('exit', endWithTests),
  };
}
