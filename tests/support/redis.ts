import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '@ceiba/devstack/ports';
import { redisOnPath } from '@ceiba/devstack/redis';
import { Redis } from 'ioredis';

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
  const program = realRedis;
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'ceiba-redis-'));
  const fixed = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder];
  const args = [
    ...fixed,
    '--save',
    '',
    '--appendonly',
    'no',
    '--repl-diskless-sync-delay',
    '0',
    ...settings,
  ];
  const admin = new Redis({
    port,
    host: '127.0.0.1',
    lazyConnect: true,
    enableReadyCheck: false,
    retryStrategy: () => 20,
  });
  admin.on('error', () => {});
  let server: ChildProcess | undefined;
  const endWithTests = () => server?.kill('SIGKILL');
  process.on('exit', endWithTests);

  const kill = async () => {
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const exited = new Promise((resolve) => server?.once('exit', resolve));
    server.kill('SIGKILL');
    await exited;
  };
  const startUnready = async (further: readonly string[]) => {
    server = spawn(program, [...args, ...further], { stdio: 'ignore' });
  };
  const start = async () => {
    await startUnready([]);
    await until('the server answers', async () => (await admin.ping()) === 'PONG');
  };
  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    folder,
    admin,
    start,
    startUnready,
    kill,
    freeze: () => server?.kill('SIGSTOP'),
    thaw: () => server?.kill('SIGCONT'),
    inSyncWithPrimary: () =>
      until('the replica is in sync', async () => {
        const info = await admin.info('replication');
        return /^master_link_status:up/m.test(info) && /^master_sync_in_progress:0/m.test(info);
      }),
    async dispose() {
      admin.disconnect();
      await kill();
      process.off('exit', endWithTests);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Polls a condition until it is true; an error of the condition counts as false.
 *
 * @throws Error after `withinMs`
 */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  withinMs = 10_000,
): Promise<void> {
  const endsAt = performance.now() + withinMs;
  for (;;) {
    try {
      if (await condition()) return;
    } catch {}
    if (performance.now() > endsAt)
      throw new Error(`Timed out after ${withinMs} ms, waiting until ${what}`);
    await pause(10);
  }
}
