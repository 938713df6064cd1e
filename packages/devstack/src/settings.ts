import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { LauncherError } from './errors.ts';

/** The repository's root. */
export const root = fileURLToPath(new URL('../../..', import.meta.url));

export const PORT_MAX = 65_535;

/** The address that all programs listen on. */
export const loopback = '127.0.0.1';

/** The settings of `npm start`; `.env.example` lists every name. */
export interface Settings {
  /** The folder of the databases, the logs and the demo's credentials. */
  dataDir: string;
  /** A PostgreSQL to use instead of the embedded one. */
  databaseUrl: string | undefined;
  /** A Redis to use instead of a local one. */
  redisUrl: string | undefined;
  ports: Ports;
}

export interface Ports {
  runtime: number;
  console: number;
  host: number;
  /** A free port unless given. */
  metrics?: number | 'off';
}

/** Reads `.env` at the root; a variable that is already set wins over the file. */
export function loadEnvFile() {
  const file = join(root, '.env');
  if (existsSync(file)) process.loadEnvFile(file);
}

/** @throws {LauncherError} Naming the variable that is wrong. */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const ports = {
    runtime: portOf(env, 'RUNTIME_PORT', 4000),
    console: portOf(env, 'CONSOLE_PORT', 3000),
    host: portOf(env, 'HOST_PORT', 4100),
    ...(nonBlank(env.METRICS_PORT) && { metrics: metricsPortOf(env) }),
  };
  const given = Object.values(ports).filter((port) => port !== 'off');
  if (new Set(given).size !== given.length) {
    throw new LauncherError(
      `RUNTIME_PORT, CONSOLE_PORT, HOST_PORT and METRICS_PORT must be different ports, not ${given.join(', ')}.`,
    );
  }
  return {
    dataDir: resolve(root, nonBlank(env.CEIBA_DATA_DIR) ?? '.ceiba'),
    databaseUrl: urlOf(env, 'DATABASE_URL', ['postgres://', 'postgresql://']),
    redisUrl: urlOf(env, 'REDIS_URL', [
      'redis://',
      'rediss://',
      'redis+sentinel://',
      'rediss+sentinel://',
    ]),
    ports,
  };
}

export function nonBlank(value: string | undefined): string | undefined {
  const trimmed = value?.trim();
  return trimmed ? trimmed : undefined;
}

function portOf(env: NodeJS.ProcessEnv, name: string, fallback: number) {
  const text = nonBlank(env[name]);
  if (text === undefined) return fallback;
  const port = Number(text);
  if (Number.isInteger(port) && port >= 1 && port <= PORT_MAX) return port;
  throw new LauncherError(`${name} must be a port from 1 to ${PORT_MAX}, not "${text}".`);
}

/** @returns As the Runtime reads it. */
function metricsPortOf(env: NodeJS.ProcessEnv): number | 'off' {
  return nonBlank(env.METRICS_PORT) === 'off' ? 'off' : portOf(env, 'METRICS_PORT', 9464);
}

function urlOf(env: NodeJS.ProcessEnv, name: string, starts: string[]) {
  const text = nonBlank(env[name]);
  if (text === undefined) return undefined;
  // The message never repeats the value, which may hold a password.
  if (starts.some((start) => text.startsWith(start))) return text;
  throw new LauncherError(`${name} must be a URL that starts with ${starts.join(', ')}.`);
}
