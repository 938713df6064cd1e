/**
 * `node scripts/bootstrap.mjs <command> …`: installs the packages that a command needs, and runs
 * `scripts/<command>.ts`. Plain JavaScript without packages, since in a fresh clone there are none.
 */
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { uptime } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
// Whole, because an old Node has no `parseEnv`, and could not say that it is too old.
import util from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Names the process that installs, and its npm, which outlives a process that was killed. */
const lockFile = join(root, '.ceiba/install.pid');

const HINT = 'Check the network and the registry (npm config get registry), then try again.';

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

/** Nothing when a test imports this file. */
async function main() {
  const [, program = '', command = ''] = process.argv;
  if (realpathSync(program) !== fileURLToPath(import.meta.url)) return;
  requireNodeVersion();
  await installIfNeeded(command);
  process.argv.splice(2, 1);
  // First, because tsx would slow down the import of its hundred files.
  await import('execa');
  const { register } = await import('tsx/esm/api');
  register();
  await import(new URL(`${command}.ts`, import.meta.url).href);
}

/** An older Node would fail later, with a syntax error. */
function requireNodeVersion() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  console.log(`\n  Ceiba needs Node 20.19 or newer; this is ${process.versions.node}.`);
  console.log(
    '  Install the current LTS release from https://nodejs.org and run the command again.',
  );
  process.exit(1);
}

/**
 * Runs npm when a package that the command needs is missing or has another version. Commands that
 * start at the same time wait for the first of them.
 *
 * @param {string} command
 */
async function installIfNeeded(command) {
  const extent = command === 'start' ? 'programs' : 'all';
  for (let isWaiting = false; !isInstalled(extent); isWaiting = true) {
    if (takeLock()) return runNpm(command, extent);
    if (!isWaiting) {
      console.log(`\n  Another command installs the packages; waiting for it (${lockFile}) …`);
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

/** @returns {boolean} Whether this process is the one that installs. */
function takeLock() {
  mkdirSync(dirname(lockFile), { recursive: true, mode: 0o711 });
  const draft = `${lockFile}.${process.pid}`;
  try {
    writeFileSync(draft, String(process.pid));
    // A hard link appears with its whole content, also on a full disk, and never replaces a file.
    linkSync(draft, lockFile);
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
    const { mtimeMs = Date.now() } = statSync(lockFile, { throwIfNoEntry: false }) ?? {};
    const isOfEarlierBoot = mtimeMs < Date.now() - uptime() * 1000;
    const text = readText(lockFile);
    if (text === undefined) return false; // released by now
    // A container gives the same ids again.
    const holders = text.split(' ').filter((pid) => pid !== `${process.pid}`);
    if (isOfEarlierBoot || !holders.some(isRunning)) rmSync(lockFile, { force: true });
    return false;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** @param {string} pid @returns {boolean} */
function isRunning(pid) {
  try {
    // A signal to 0 reaches this process itself.
    return Number(pid) > 0 && process.kill(Number(pid), 0);
  } catch {
    return false;
  }
}

/**
 * @param {string} command
 * @param {Extent} extent
 */
async function runNpm(command, extent) {
  const args = installation(extent);
  const stack = args[0] === 'ci' ? runningStack() : undefined;
  if (stack !== undefined) {
    rmSync(lockFile, { force: true });
    console.log('\n  The packages have changed, and Ceiba runs with the ones of before.');
    console.log(
      `  Stop it with Ctrl-C in its terminal, or: kill ${stack}. Then run the command again.`,
    );
    return end(command);
  }
  console.log(
    `\n  Installing the packages (npm ${args[0]}): a minute or two, and 1.1 GB with the build …`,
  );
  const flags = ['--include=dev', '--include=optional', '--loglevel=error'];
  const result = await resultOf(...npm(...args, ...flags));
  if (result === 'done') writeFileSync(stampFile(root), stampOf(root, extent));
  rmSync(lockFile, { force: true });
  if (result === 'done') return;
  if (result === 'failed') console.log(`\n  npm ${args[0]} failed. ${HINT}`);
  end(command);
}

/** @param {string} command */
function end(command) {
  if (command === 'test') console.log('\n0 passed, 1 failed');
  process.exit(1);
}

/** @returns {string | undefined} The process id of the launcher that runs in this data folder. */
function runningStack() {
  // As `npm start` reads it, for this alone: tests have other settings.
  const { CEIBA_DATA_DIR: ofFile } = util.parseEnv(readText(join(root, '.env')) ?? '');
  const dataDir = resolve(root, process.env.CEIBA_DATA_DIR || ofFile || '.ceiba');
  const text = readText(join(dataDir, 'launcher.json')) ?? '';
  const [, pid, startedAt] = /"pid":(\d+),"startedAt":"([^"]+)"/.exec(text) ?? [];
  return pid !== undefined && startOf(pid) === startedAt ? pid : undefined;
}

/**
 * When a process started: another program may have its id by now. As `startOf` of
 * `packages/devstack/src/processes.ts`, which needs packages.
 *
 * @param {string} pid
 * @returns {string | undefined}
 */
function startOf(pid) {
  try {
    if (process.platform !== 'linux') {
      return execFileSync('ps', ['-o', 'lstart=', '-p', pid], { encoding: 'utf8' }).trim();
    }
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

/**
 * Runs a program until it ends, or until this command is asked to.
 *
 * @param {string} program
 * @param {string[]} args
 * @returns {Promise<'done' | 'failed' | 'stopped'>}
 */
function resultOf(program, args) {
  const child = spawn(program, args, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    // A group of its own, to stop what npm runs as well.
    detached: true,
  });
  appendFileSync(lockFile, ` ${child.pid}`);
  let isStopped = false;
  const stop = () => {
    if (isStopped || child.pid === undefined) return;
    isStopped = true;
    const { pid } = child;
    stopGroup(pid, 'SIGTERM');
    setTimeout(() => stopGroup(pid, 'SIGKILL'), 3000).unref();
  };
  const { ppid } = process;
  const check = setInterval(() => process.ppid === ppid || stop(), 500);
  process.on('SIGINT', stop).on('SIGTERM', stop);
  return new Promise((resolve) => {
    /** @param {unknown} code An error when it could not be run. */
    const end = (code) => {
      clearInterval(check);
      process.off('SIGINT', stop).off('SIGTERM', stop);
      resolve(isStopped ? 'stopped' : code === 0 ? 'done' : 'failed');
    };
    child.once('error', end).once('exit', end);
  });
}

/** @param {number} pid @param {NodeJS.Signals} signal */
function stopGroup(pid, signal) {
  try {
    process.kill(-pid, signal);
  } catch {
    // It has ended by now.
  }
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
function stampFile(directory) {
  return join(directory, 'node_modules/.ceiba-installed');
}

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

await main();
