import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { LauncherError } from './errors.mjs';

/** The repository's root. */
export const root = fileURLToPath(new URL('../../..', import.meta.url));

/** The address that all programs listen on. */
export const PORT_MAX = 65_535;
export const loopback = '127.0.0.1';

/**
 * The settings of `npm start`; `.env.example` lists every name.
 *
 * @typedef {object} Settings
 * @property {string} dataDir The folder of the databases, the logs and the demo's credentials.
 * @property {string | undefined} databaseUrl A PostgreSQL to use instead of the embedded one.
 * @property {string | undefined} redisUrl A Redis to use instead of a local one.
 * @property {Ports} ports
 *
 * @typedef {object} Ports
 * @property {number} runtime
 * @property {number} console
 * @property {number} host
 * @property {number | 'off'} [metrics] A free port unless given.
 */

/** @throws {LauncherError} On a Node that is too old, which would fail later with a syntax error. */
export function requireNodeVersion() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  throw new LauncherError(`Ceiba needs Node 20.19 or newer; this is ${process.versions.node}.`, {
    hint: 'Install the current LTS release from https://nodejs.org and run the command again.',
  });
}

/** Reads `.env` at the root; a variable that is already set wins over the file. */
export function loadEnvFile() {
  const file = join(root, '.env');
  if (existsSync(file)) process.loadEnvFile(file);
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {Settings}
 * @throws {LauncherError} Naming the variable that is wrong.
 */
export function readSettings(env) {
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

/** @param {string | undefined} value @returns {string | undefined} */
export function nonBlank(value) {
  const trimmed = value?.trim();
  return trimmed ? trimmed : undefined;
}

/** @param {NodeJS.ProcessEnv} env @param {string} name @param {number} fallback */
function portOf(env, name, fallback) {
  const text = nonBlank(env[name]);
  if (text === undefined) return fallback;
  const port = Number(text);
  if (Number.isInteger(port) && port >= 1 && port <= PORT_MAX) return port;
  throw new LauncherError(`${name} must be a port from 1 to ${PORT_MAX}, not "${text}".`);
}

/** @param {NodeJS.ProcessEnv} env @returns {number | 'off'} As the Runtime reads it. */
function metricsPortOf(env) {
  return nonBlank(env.METRICS_PORT) === 'off' ? 'off' : portOf(env, 'METRICS_PORT', 9464);
}

/** @param {NodeJS.ProcessEnv} env @param {string} name @param {string[]} starts */
function urlOf(env, name, starts) {
  const text = nonBlank(env[name]);
  if (text === undefined) return undefined;
  // The message never repeats the value, which may hold a password.
  if (starts.some((start) => text.startsWith(start))) return text;
  throw new LauncherError(`${name} must be a URL that starts with ${starts.join(', ')}.`);
}
