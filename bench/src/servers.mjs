import { cpus, release } from 'node:os';
import { withConnection } from '@ceiba/devstack/databases';
import { LauncherError } from '@ceiba/devstack/errors';
import { startServices } from '@ceiba/devstack/services';
import { readSettings } from '@ceiba/devstack/settings';
import { Redis } from 'ioredis';
import { parentOf } from './processes.mjs';

/**
 * Uses the servers of DATABASE_URL and REDIS_URL, or starts its own.
 *
 * @param {import('@ceiba/devstack/supervisor').Supervisor} supervisor
 * @throws {LauncherError} Where Redis is the one in JavaScript.
 */
export async function startServers(supervisor) {
  const services = await startServices(supervisor, readSettings(process.env));
  if (!services.isRealRedis) {
    throw new LauncherError('A benchmark needs a real Redis: put redis-server on PATH.');
  }
  return services;
}

/**
 * The processes of the databases, and what the machine is.
 *
 * @param {{ databaseUrl: string, redisUrl: string }} services on this machine
 * @param {string} generator
 */
export async function describeServers({ databaseUrl, redisUrl }, generator) {
  const redis = new Redis(redisUrl);
  const info = await redis.info('server');
  redis.disconnect();
  const postgres = await withConnection(databaseUrl, async (sql) => {
    const [row] = await sql`
      select pg_backend_pid() as pid, current_setting('server_version') as version`;
    return { version: row.version, pid: parentOf(row.pid) };
  });
  const field = (name) => new RegExp(`^${name}:(\\S+)`, 'm').exec(info)?.[1];
  return {
    pids: { redis: Number(field('process_id')), postgres: postgres.pid },
    machine: {
      processor: cpus()[0]?.model ?? 'unknown',
      cores: cpus().length,
      system: `${process.platform} ${release()}`,
      node: process.version,
      postgres: postgres.version,
      redis: field('valkey_version') ? `Valkey ${field('valkey_version')}` : field('redis_version'),
      generator,
    },
  };
}
