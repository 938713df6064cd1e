import { connect } from 'node:net';

import { LauncherError } from './errors.mjs';
import { step } from './output.mjs';
import { startPostgres } from './postgres.mjs';
import { startRedis } from './redis.mjs';

/**
 * @typedef {object} Services
 * @property {string} databaseUrl
 * @property {string} redisUrl
 * @property {boolean} isRealRedis False for the Redis in JavaScript.
 */

/**
 * Connects to the PostgreSQL and Redis that the settings name, or starts local ones with their data
 * in the supervisor's data folder.
 *
 * @param {import('./supervisor.mjs').Supervisor} supervisor
 * @param {{ databaseUrl?: string | undefined, redisUrl?: string | undefined }} given
 * @returns {Promise<Services>}
 * @throws {LauncherError}
 */
export async function startServices(supervisor, given) {
  const [postgres, redis] = await Promise.all([
    given.databaseUrl
      ? givenServer('PostgreSQL', 'DATABASE_URL', given.databaseUrl, 5432)
      : step(
          'PostgreSQL',
          () => startPostgres(supervisor),
          ({ version }) => `${version}, embedded`,
        ),
    given.redisUrl
      ? givenServer('Redis', 'REDIS_URL', given.redisUrl, 6379)
      : step(
          'Redis',
          () => startRedis(supervisor),
          ({ isReal, version }) =>
            isReal ? version : 'in JavaScript, for a first try only: no redis-server on PATH',
        ),
  ]);
  return {
    databaseUrl: postgres.url,
    redisUrl: redis.url,
    isRealRedis: redis.isReal,
  };
}

/**
 * @param {string} name
 * @param {string} variable
 * @param {string} url
 * @param {number} defaultPort
 */
async function givenServer(name, variable, url, defaultPort) {
  const server = singleServerOf(url, defaultPort);
  if (server !== undefined) {
    await step(
      name,
      () => requireListener(name, variable, server),
      () => `from ${variable}`,
    );
  }
  return { url, isReal: true };
}

/**
 * @param {string} url
 * @param {number} defaultPort
 * @returns {{ host: string, port: number } | undefined} Undefined for a list of hosts and for
 *   Sentinel: the client finds out which server to use.
 */
export function singleServerOf(url, defaultPort) {
  if (!URL.canParse(url) || url.includes('+sentinel://')) return undefined;
  const { hostname, port } = new URL(url);
  if (hostname === '' || hostname.includes(',')) return undefined;
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || defaultPort };
}

/**
 * @param {string} name
 * @param {string} variable
 * @param {{ host: string, port: number }} server Not the URL, which may hold a password.
 * @returns {Promise<void>}
 */
function requireListener(name, variable, server) {
  return new Promise((resolve, reject) => {
    /** @param {string} reason */
    const fail = (reason) => {
      socket.destroy();
      reject(
        new LauncherError(`${name} does not answer at ${server.host}:${server.port}: ${reason}.`, {
          hint: `Start it, correct ${variable}, or unset ${variable} to use a local one.`,
        }),
      );
    };
    const socket = connect({ ...server, timeout: 5000 });
    socket.once('connect', () => {
      socket.destroy();
      resolve();
    });
    socket.once('timeout', () => fail('no connection within 5 s'));
    socket.once('error', (error) => fail('code' in error ? String(error.code) : error.message));
  });
}
