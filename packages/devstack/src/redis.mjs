import { accessSync, constants, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { LauncherError } from './errors.mjs';
import { freePort } from './ports.mjs';
import { loopback } from './settings.mjs';
import { waitFor } from './wait.mjs';

/**
 * @typedef {import('./supervisor.mjs').Supervisor} Supervisor
 *
 * @typedef {object} LocalRedis
 * @property {string} url
 * @property {string} version As the server reports it: `7.2.4`, `Valkey 8.1.0`.
 * @property {boolean} isReal False for the one in JavaScript, which stores nothing on disk.
 * @property {import('./supervisor.mjs').Service} service
 */

const startTimeoutMs = 20_000;
const jsRedisProgram = fileURLToPath(new URL('./js-redis.mjs', import.meta.url));

/** @returns {string | undefined} The Valkey or Redis server on PATH, Valkey first. */
export function redisOnPath() {
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
 * @param {Supervisor} supervisor
 * @param {{ port?: number }} [options] A free port unless given.
 * @returns {Promise<LocalRedis>}
 * @throws {LauncherError} With the end of the server's log.
 */
export async function startRedis(supervisor, { port: wantedPort } = {}) {
  const program = redisOnPath();
  for (let attempt = 1; ; attempt += 1) {
    const port = wantedPort ?? (await freePort());
    const service = await supervisor.spawn({
      name: 'Redis',
      stage: 0,
      ...(program
        ? { command: program, args: [writeConfiguration(supervisor.dataDir, port)] }
        : { command: process.execPath, args: [jsRedisProgram, String(port)] }),
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
 * @param {string} dataDir
 * @param {number} port
 * @returns {string} The configuration's path.
 */
function writeConfiguration(dataDir, port) {
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

/**
 * @param {string} url
 * @param {() => boolean} isRunning
 * @returns {Promise<string | undefined>}
 */
async function answer(url, isRunning) {
  const { Redis } = await import('ioredis');
  /** @type {string | undefined} */
  let version;
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

/** @param {string} info The reply to INFO server. */
function describe(info) {
  const valkey = /^valkey_version:(\S+)/m.exec(info)?.[1];
  if (valkey !== undefined) return `Valkey ${valkey}`;
  return /^redis_version:(\S+)/m.exec(info)?.[1] ?? 'of unknown version';
}
