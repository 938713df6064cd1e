import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { LauncherError } from './errors.mjs';
import { root } from './settings.mjs';

/**
 * Brings `node_modules` in line with `package-lock.json`: runs `npm ci` when something is missing
 * or of another version, and does nothing otherwise.
 *
 * @returns {Promise<boolean>} Whether anything was installed.
 * @throws {LauncherError} With the end of npm's output.
 */
export async function installIfNeeded() {
  if (isInstalled()) return false;
  // NODE_ENV=production, or an `omit` in someone's npm settings, would leave the build tools out.
  await run(...npm('ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund'), {
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

/**
 * Runs a program to its end and keeps its output, which matters only when it fails.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{ failure: string, hint?: string, env?: NodeJS.ProcessEnv, cwd?: string, input?: string, uid?: number, gid?: number }} options
 * @returns {Promise<string>} Its standard output.
 * @throws {LauncherError} With the end of what it wrote.
 */
export function run(command, args, { failure, hint, input = '', ...options }) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, ...options, stdio: 'pipe' });
    let output = '';
    let everything = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
      everything += chunk;
    });
    child.stderr.on('data', (chunk) => {
      everything += chunk;
    });
    child.once('error', (error) =>
      reject(new LauncherError(failure, { hint, output: error.message })),
    );
    child.once('close', (code) => {
      if (code === 0) resolve(output);
      else reject(new LauncherError(failure, { hint, output: lastLines(everything, 30) }));
    });
    // A program that does not read its input ends the pipe early; its exit code tells the rest.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}

/** @param {string} text @param {number} count */
function lastLines(text, count) {
  return text.trimEnd().split('\n').slice(-count).join('\n');
}
