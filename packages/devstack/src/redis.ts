import { accessSync, constants, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { Redis } from 'ioredis';

import { LauncherError } from './errors.ts';
import { freePort } from './ports.ts';
import { loopback } from './settings.ts';
import type { Service, Supervisor } from './supervisor.ts';
import { waitFor } from './wait.ts';

interface LocalRedis {
  url: string;
  /** As the server reports it: `7.2.4`, `Valkey 8.1.0`. */
  version: string;
  /** False for the one in JavaScript, which stores nothing on disk. */
  isReal: boolean;
  service: Service;
}

const startTimeoutMs = 20_000;
/** Lets Node run TypeScript, from any folder. */
const TSX = createRequire(import.meta.url).resolve('tsx');
const jsRedisProgram = fileURLToPath(new URL('./js-redis.ts', import.meta.url));

/** @returns The Valkey or Redis server on PATH, Valkey first. */
export function redisOnPath(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  const candidates = ['valkey-server', 'redis-server'].flatMap((program) =>
    folders.map((folder) => join(folder, program)),
  );
  return candidates.find((file) => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/**
 * Starts a Redis on loopback: the one on PATH with its data on disk, else one in JavaScript.
 *
 * @param options A free port unless given.
 * @throws {LauncherError} With the end of the server's log.
 */
export async function startRedis(
  supervisor: Supervisor,
  { port: wantedPort }: { port?: number } = {},
): Promise<LocalRedis> {
  const program = redisOnPath();
  for (let attempt = 1; ; attempt += 1) {
    const port = wantedPort ?? (await freePort());
    const service = await supervisor.spawn({
      name: 'Redis',
      stage: 0,
      ...(program
        ? { command: program, args: [writeConfiguration(supervisor.dataDir, port)] }
        : { command: process.execPath, args: ['--import', TSX, jsRedisProgram, String(port)] }),
    });
    const url = `redis://${loopback}:${port}`;
    const version = await answer(url, service.isRunning);
    if (version !== undefined) return { url, version, isReal: program !== undefined, service };
    await service.stop();
    if (attempt === 3) {
      throw new LauncherError(`The local Redis (${program ?? 'js-redis-server'}) did not start.`, {
        output: service.tail(),
        hint: 'Or set REDIS_URL to a Redis or Valkey of your own.',
      });
    }
  }
}

/**
 * Every write is on disk within a second and nothing is evicted: Redis holds usage and quota until
 * they are in PostgreSQL.
 *
 * @returns The configuration's path.
 */
function writeConfiguration(dataDir: string, port: number): string {
  const data = join(dataDir, 'redis');
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const file = join(data, 'redis.conf');
  const settings = [
    `bind ${loopback}`,
    `port ${port}`,
    `dir ${JSON.stringify(data)}`,
    'appendonly yes',
    'appendfsync everysec',
    'maxmemory-policy noeviction',
    'save ""',
    'daemonize no',
  ];
  writeFileSync(file, `${settings.join('\n')}\n`, { mode: 0o600 });
  return file;
}

async function answer(url: string, isRunning: () => boolean): Promise<string | undefined> {
  let version: string | undefined;
  const settled = async () => {
    const redis = new Redis(url, {
      lazyConnect: true,
      retryStrategy: () => null,
      connectTimeout: 2000,
    });
    redis.on('error', () => {});
    try {
      await redis.connect();
      version = describe(await redis.info('server'));
    } catch {
      // Not yet, or it is still loading its data.
    } finally {
      redis.disconnect();
    }
    return version !== undefined || !isRunning();
  };
  await waitFor(settled, { timeoutMs: startTimeoutMs });
  return version;
}

/** @param info The reply to INFO server. */
function describe(info: string) {
  const valkey = /^valkey_version:(\S+)/m.exec(info)?.[1];
  if (valkey !== undefined) return `Valkey ${valkey}`;
  return /^redis_version:(\S+)/m.exec(info)?.[1] ?? 'of unknown version';
}
