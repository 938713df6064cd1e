import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { root } from './settings.mjs';

/**
 * Brings `node_modules` in line with `package-lock.json`: runs `npm ci` when something is missing
 * or of another version, and does nothing otherwise.
 *
 * @param {import('./supervisor.mjs').Supervisor} supervisor
 * @returns {Promise<boolean>} Whether anything was installed.
 * @throws {import('./errors.mjs').LauncherError} With the end of npm's output.
 */
export async function installIfNeeded(supervisor) {
  if (isInstalled()) return false;
  // NODE_ENV=production, or an `omit` in someone's npm settings, would leave the build tools out.
  const [command, args] = npm('ci', '--include=dev', '--include=optional');
  await supervisor.run({
    name: 'npm ci',
    command,
    args,
    failure: 'npm ci failed.',
    hint: 'Check the network and the npm registry (npm config get registry), then try again.',
  });
  return true;
}

/**
 * npm records what it installed in `node_modules/.package-lock.json` at the end of a whole
 * install; an install that was cut short leaves none.
 *
 * @param {string} [directory] A workspace root.
 * @returns {boolean} Whether every package of the lock that this platform needs is there.
 */
export function isInstalled(directory = root) {
  const installed = packagesOf(join(directory, 'node_modules/.package-lock.json'));
  const locked = packagesOf(join(directory, 'package-lock.json'));
  if (installed === undefined || locked === undefined) return false;
  const required = Object.entries(locked).filter(([path]) => path.includes('node_modules/'));
  return (
    required.every(([path, entry]) => {
      const found = installed[path];
      if (found === undefined) return entry.optional === true || entry.devOptional === true;
      return found.version === entry.version && found.integrity === entry.integrity;
    }) && existsSync(join(directory, 'node_modules/.bin/turbo'))
  );
}

/**
 * @typedef {{ version?: string, integrity?: string, optional?: boolean, devOptional?: boolean }} LockEntry
 * @param {string} file
 * @returns {Record<string, LockEntry> | undefined}
 */
function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch {
    return undefined;
  }
}

/**
 * The npm that runs this script, else the one on PATH.
 *
 * @param {...string} args
 * @returns {[command: string, args: string[]]}
 */
function npm(...args) {
  const cli = process.env.npm_execpath;
  return cli?.endsWith('.js') && existsSync(cli)
    ? [process.execPath, [cli, ...args]]
    : ['npm', args];
}
