import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { root } from '../packages/devstack/src/settings.mjs';

/**
 * Runs `npm ci` when a package of `package-lock.json` is missing or has another version.
 *
 * @param {import('../packages/devstack/src/supervisor.mjs').Supervisor} supervisor
 * @returns {Promise<boolean>} Whether anything was installed.
 * @throws {import('../packages/devstack/src/errors.mjs').LauncherError} With the end of npm's output.
 */
export async function installIfNeeded(supervisor) {
  if (isInstalled()) return false;
  // Also under NODE_ENV=production, or `omit` in npm's settings, the build tools are needed.
  const [command, args] = npm('ci', '--include=dev', '--include=optional');
  await supervisor.run({
    name: 'npm ci',
    command,
    args,
    failure: 'npm ci failed.',
    hint: 'Check the network and the npm registry (npm config get registry), then try again.',
  });
  writeFileSync(stampFile(root), lockDigest(root));
  return true;
}

/**
 * Whether `node_modules` matches `package-lock.json`: this launcher installed exactly that lock, or
 * npm's record of its last install (an interrupted one leaves none) names every package of the lock
 * that this platform needs.
 *
 * @param {string} [directory] A workspace root.
 * @returns {boolean}
 */
export function isInstalled(directory = root) {
  if (!existsSync(join(directory, 'node_modules/.package-lock.json'))) return false;
  return readText(stampFile(directory)) === lockDigest(directory) || holdsTheLock(directory);
}

/** @param {string} directory */
const stampFile = (directory) => join(directory, 'node_modules/.ceiba-installed');

/** @param {string} directory @returns {string} Of the lock and the platform, since binaries differ by platform. */
function lockDigest(directory) {
  const lock = readText(join(directory, 'package-lock.json'));
  return createHash('sha256').update(`${process.platform} ${process.arch} ${lock}`).digest('hex');
}

/** @param {string} directory */
function holdsTheLock(directory) {
  const installed = packagesOf(join(directory, 'node_modules/.package-lock.json'));
  const locked = packagesOf(join(directory, 'package-lock.json'));
  if (installed === undefined || locked === undefined) return false;
  const required = Object.entries(locked).filter(([path]) => path.includes('node_modules/'));
  return required.every(([path, entry]) => {
    const found = installed[path];
    if (found === undefined) return entry.optional === true || entry.devOptional === true;
    return found.version === entry.version && found.integrity === entry.integrity;
  });
}

/**
 * @typedef {{ version?: string, integrity?: string, optional?: boolean, devOptional?: boolean }} LockEntry
 * @param {string} file
 * @returns {Record<string, LockEntry> | undefined}
 */
function packagesOf(file) {
  const text = readText(file);
  try {
    return text === undefined ? undefined : JSON.parse(text).packages;
  } catch {
    return undefined;
  }
}

/** @param {string} file @returns {string | undefined} */
function readText(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
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
