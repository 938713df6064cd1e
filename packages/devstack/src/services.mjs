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
 * Brings up PostgreSQL and Redis: those that the settings name, else local ones whose data lives
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
            isReal ? version : 'in JavaScript: for trying out, not for production or benchmarks',
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
  // A list of hosts is no URL to `new URL`; its client finds out which of them answers.
  const { hostname, port } = URL.canParse(url) ? new URL(url) : { hostname: '', port: '' };
  if (hostname === '' || url.includes('+sentinel://')) return { url, isReal: true };
  const place = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || defaultPort };
  await step(
    name,
    () => requireListener(name, variable, place),
    () => `from ${variable}`,
  );
  return { url, isReal: true };
}

/**
 * @param {string} name
 * @param {string} variable
 * @param {{ host: string, port: number }} place Never the URL itself, which may hold a password.
 * @returns {Promise<void>}
 */
function requireListener(name, variable, place) {
  return new Promise((resolve, reject) => {
    /** @param {string} reason */
    const fail = (reason) => {
      socket.destroy();
      reject(
        new LauncherError(`${name} does not answer at ${place.host}:${place.port}: ${reason}.`, {
          hint: `Start it or correct ${variable}; without ${variable} a local one is used.`,
        }),
      );
    };
    const socket = connect({ ...place, timeout: 5000 });
    socket.once('connect', () => {
      socket.destroy();
      resolve();
    });
    socket.once('timeout', () => fail('no connection within 5 s'));
    socket.once('error', (error) => fail('code' in error ? String(error.code) : error.message));
  });
}
