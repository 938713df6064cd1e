import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { freePort } from '../../scripts/lib/ports.mjs';
import { redisOnPath } from '../../scripts/lib/redis.mjs';

/** A real server of one test, to be hurt. It keeps its port and its folder over a restart. */
export interface RedisServer {
  readonly url: string;
  readonly port: number;
  /** Its data; change it only while the server is stopped. */
  readonly folder: string;
  /** Speaks to the server without the code under test in between. */
  readonly admin: Redis;
  start(): Promise<void>;
  /** Ends it without a warning: nothing more reaches its disk. */
  kill(): Promise<void>;
  /** SIGSTOP: connections stay open, new ones are accepted by the kernel, nothing answers. */
  freeze(): void;
  thaw(): void;
  dispose(): Promise<void>;
}

/** The Valkey or Redis on PATH; suites that need a real one are skipped, visibly, without it. */
export const realRedis: string | undefined = redisOnPath();

/**
 * Starts the Redis on PATH, in memory alone unless `settings` say otherwise.
 *
 * @param settings - Lines of `redis.conf` as arguments, such as `['--appendonly', 'yes']`.
 */
export async function startRedisServer(settings: readonly string[] = []): Promise<RedisServer> {
  if (realRedis === undefined) throw new Error('no redis-server or valkey-server on PATH');
  const program = realRedis;
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'ceiba-redis-'));
  const fixed = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder];
  const args = [...fixed, '--save', '', '--appendonly', 'no', ...settings];
  const admin = new Redis({ port, host: '127.0.0.1', lazyConnect: true, retryStrategy: () => 20 });
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
  const start = async () => {
    server = spawn(program, args, { stdio: 'ignore' });
    await until('the server answers', async () => (await admin.ping()) === 'PONG');
  };
  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    folder,
    admin,
    start,
    kill,
    freeze: () => server?.kill('SIGSTOP'),
    thaw: () => server?.kill('SIGCONT'),
    async dispose() {
      admin.disconnect();
      await kill();
      process.off('exit', endWithTests);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Waits for a condition; a fault of the condition counts as not yet. */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  withinMs = 10_000,
): Promise<void> {
  const endsAt = performance.now() + withinMs;
  for (;;) {
    try {
      if (await condition()) return;
    } catch {
      // Not yet.
    }
    if (performance.now() > endsAt)
      throw new Error(`Within ${withinMs} ms it did not happen: ${what}`);
    await pause(10);
  }
}
