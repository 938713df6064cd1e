import { connect } from 'node:net';

import { parsePostgresUrl } from '@ceiba/domain';

import { LauncherError } from './errors.ts';
import { step } from './output.ts';
import { startPostgres } from './postgres.ts';
import { startRedis } from './redis.ts';
import type { Settings } from './settings.ts';
import type { Supervisor } from './supervisor.ts';

export interface Services {
  databaseUrl: string;
  redisUrl: string;
  /** False for the Redis in JavaScript. */
  isRealRedis: boolean;
}

/**
 * Connects to the PostgreSQL and Redis that the settings name, or starts local ones with their data
 * in the supervisor's data folder.
 *
 * @throws {LauncherError}
 */
export async function startServices(
  supervisor: Supervisor,
  given: Partial<Pick<Settings, 'databaseUrl' | 'redisUrl'>>,
): Promise<Services> {
  const [postgres, redis] = await Promise.all([
    given.databaseUrl
      ? givenServer('PostgreSQL', 'DATABASE_URL', given.databaseUrl, postgresServerOf)
      : step(
          'PostgreSQL',
          () => startPostgres(supervisor),
          ({ version }) => `${version}, embedded`,
        ),
    given.redisUrl
      ? givenServer('Redis', 'REDIS_URL', given.redisUrl, redisServerOf)
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

interface Server {
  host: string;
  port: number;
}

async function givenServer(
  name: string,
  variable: string,
  url: string,
  serverOf: (url: string) => Server | undefined,
) {
  const server = serverOf(url);
  if (server !== undefined) {
    await step(
      name,
      () => requireListener(name, variable, server),
      () => `from ${variable}`,
    );
  }
  return { url, isReal: true };
}

/** @returns Undefined for what the client finds out: a list of hosts, a socket, a service, an error. */
export function postgresServerOf(url: string): Server | undefined {
  const address = parsePostgresUrl(url);
  if (address.kind === 'invalid' || address.parameters.has('service')) return undefined;
  const [{ host, hostaddr, port }, ...others] = address.hosts;
  const place = hostaddr ?? host;
  const isSocket = place === '' || /^[/@]/.test(place);
  return isSocket || others.length > 0 ? undefined : { host: place, port };
}

/** @returns Undefined for a list of hosts and for Sentinel: the client finds out which server to use. */
export function redisServerOf(url: string): Server | undefined {
  if (!URL.canParse(url) || url.includes('+sentinel://')) return undefined;
  const { hostname, port } = new URL(url);
  if (hostname === '' || hostname.includes(',')) return undefined;
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || 6379 };
}

/** @param server Not the URL, which may hold a password. */
function requireListener(name: string, variable: string, server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (reason: string) => {
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
