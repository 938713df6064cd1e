import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { root } from '../packages/devstack/src/settings.mjs';

/**
 * What a command needs: `programs` are the packages that build and run Ceiba, `all` are also those
 * that only tests, checks and benchmarks use.
 *
 * @typedef {'programs' | 'all'} Extent
 */

/** The workspaces that `npm start` builds and runs. */
const PROGRAMS = [
  '@ceiba/cli',
  '@ceiba/console',
  '@ceiba/devstack',
  '@ceiba/example-express-api',
  '@ceiba/runtime',
  '@ceiba/sdk',
];

/**
 * Runs npm when a package that the command needs is missing or has another version.
 *
 * @param {import('../packages/devstack/src/supervisor.mjs').Supervisor} supervisor
 * @param {Extent} extent
 * @returns {Promise<boolean>} Whether anything was installed.
 * @throws {import('../packages/devstack/src/errors.mjs').LauncherError} With the end of npm's output.
 */
export async function installIfNeeded(supervisor, extent) {
  if (isInstalled(extent)) return false;
  const args = installation(extent);
  const name = `npm ${args[0]}`;
  const [command, allArgs] = npm(...args, '--include=dev', '--include=optional');
  await supervisor.run({
    name,
    command,
    args: allArgs,
    failure: `${name} failed.`,
    hint: 'Check the network and the npm registry (npm config get registry), then try again.',
  });
  writeFileSync(stampFile(root), stampOf(root, extent));
  return true;
}

/**
 * What npm has to do. `--include` is for NODE_ENV=production and for `omit` in npm's settings: build
 * tools are development dependencies.
 *
 * @param {Extent} extent
 * @param {string} [directory] A workspace root.
 * @returns {string[]}
 */
export function installation(extent, directory = root) {
  if (extent === 'programs') return ['ci', ...PROGRAMS.map((name) => `--workspace=${name}`)];
  // Adds to what `npm start` installed, which may be running. `npm ci` would remove it first.
  return isInstalled('programs', directory) ? ['install', '--no-save'] : ['ci'];
}

/**
 * Whether `node_modules` has what is needed of `package-lock.json`: this launcher installed that
 * much of exactly that lock, or npm's record of its last install (an interrupted one leaves none) names
 * every package of the lock that this platform needs.
 *
 * @param {Extent} extent
 * @param {string} [directory] A workspace root.
 * @returns {boolean}
 */
export function isInstalled(extent, directory = root) {
  if (!existsSync(join(directory, 'node_modules/.package-lock.json'))) return false;
  const enough = [stampOf(directory, 'all'), stampOf(directory, extent)];
  return enough.includes(readText(stampFile(directory)) ?? '') || holdsTheLock(directory);
}

/** @param {string} directory */
const stampFile = (directory) => join(directory, 'node_modules/.ceiba-installed');

/**
 * @param {string} directory
 * @param {Extent} extent
 * @returns {string} Names the lock and the platform, since binaries differ by platform.
 */
function stampOf(directory, extent) {
  const lock = readText(join(directory, 'package-lock.json'));
  const digest = createHash('sha256').update(`${process.platform} ${process.arch} ${lock}`);
  return `${extent} ${digest.digest('hex')}`;
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
