/**
 * `npm test`: everything that can be checked on a machine that has only Node and npm, against real
 * servers and a real browser, apart from a running `npm start`. The last line is the result.
 *
 * `npm test -- --only unit,e2e` runs a part; the parts are named in `PARTS`.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { turbo } from '../packages/devstack/src/build.mjs';
import { createDatabase } from '../packages/devstack/src/databases.mjs';
import { ensureDemo } from '../packages/devstack/src/demo.mjs';
import { LauncherError } from '../packages/devstack/src/errors.mjs';
import { untilEnd } from '../packages/devstack/src/lifecycle.mjs';
import { bold, print, printFailure, red, step } from '../packages/devstack/src/output.mjs';
import { freePort } from '../packages/devstack/src/ports.mjs';
import { writePrivateJson } from '../packages/devstack/src/secrets.mjs';
import { startServices } from '../packages/devstack/src/services.mjs';
import { readSettings, requireNodeVersion, root } from '../packages/devstack/src/settings.mjs';
import {
  addressesOf,
  migrate,
  startConsole,
  startHost,
  startRuntime,
} from '../packages/devstack/src/stack.mjs';
import { createSupervisor, temporaryFolder } from '../packages/devstack/src/supervisor.mjs';
import { installIfNeeded } from './install.mjs';
import { lineOf, readPlaywright, readVitest, sum, tallyOf } from './tally.mjs';

/**
 * @typedef {import('../packages/devstack/src/supervisor.mjs').Supervisor} Supervisor
 * @typedef {import('../packages/devstack/src/services.mjs').Services} Services
 * @typedef {import('./tally.mjs').Tally} Tally
 *
 * @typedef {object} World
 * @property {Supervisor} supervisor
 * @property {Services} services
 * @property {NodeJS.ProcessEnv} env What the tests get to see.
 *
 * @typedef {(world: World) => Promise<Tally>} Part
 */

/**
 * In the order in which they run: what is quick to fail comes first, and what starts and kills
 * servers has the machine to itself.
 *
 * @type {Record<string, Part>}
 */
const PARTS = {
  static: staticChecks,
  unit: (world) => vitest(world, 'unit', ['unit', 'static']),
  integration: (world) => vitest(world, 'integration', ['integration', 'sdk']),
  e2e: endToEnd,
  chaos: (world) => vitest(world, 'chaos', ['chaos']),
  launcher: (world) => vitest(world, 'launcher', ['launcher']),
};

try {
  requireNodeVersion();
  const parts = chosenParts();
  const dataDir = temporaryFolder('ceiba-npm-test-');
  const supervisor = await createSupervisor({ dataDir, removeOnEnd: [dataDir] });
  /** @type {Tally | undefined} */
  let result;
  const exitCode = await untilEnd(
    supervisor,
    async () => {
      result = await testAll(supervisor, parts);
      return result.failures.length === 0 ? 0 : 1;
    },
    () => 130,
  );
  conclude(result);
  process.exit(exitCode);
} catch (error) {
  printFailure(error);
  conclude(undefined);
  process.exit(1);
}

/** @returns {Part[]} The parts to run. */
function chosenParts() {
  const { only } = parseArgs({ options: { only: { type: 'string' } } }).values;
  if (only === undefined) return Object.values(PARTS);
  return only.split(',').map((name) => {
    const part = PARTS[name];
    if (part) return part;
    throw new LauncherError(`--only knows ${Object.keys(PARTS).join(', ')}, not "${name}".`);
  });
}

/** @param {Tally | undefined} result Undefined when the tests did not come to an end. */
function conclude(result) {
  const tally = result ?? { passed: 0, skipped: 0, failures: ['the tests did not come to an end'] };
  print();
  for (const failure of tally.failures) print(`  ${red('✗')} ${failure}`);
  print(lineOf(tally));
}

/**
 * @param {Supervisor} supervisor
 * @param {Part[]} parts
 * @returns {Promise<Tally>}
 */
async function testAll(supervisor, parts) {
  print();
  await step(
    'Packages',
    () => installIfNeeded(supervisor),
    (installed) => (installed ? 'installed' : 'up to date'),
  );
  const { databaseUrl, redisUrl } = readSettings(process.env);
  const [services] = await Promise.all([
    startServices(supervisor, { databaseUrl, redisUrl }),
    step('Build', () => turbo(supervisor, 'build', 'The build failed.')),
  ]);
  mkdirSync(join(supervisor.dataDir, 'reports'));
  const env = {
    ...process.env,
    DATABASE_URL: services.databaseUrl,
    REDIS_URL: services.redisUrl,
    CEIBA_DATA_DIR: supervisor.dataDir,
  };
  const tallies = [];
  for (const part of parts) tallies.push(await part({ supervisor, services, env }));
  return sum(tallies);
}

/** @param {World} world @returns {Promise<Tally>} */
async function staticChecks({ supervisor }) {
  heading('static checks');
  const program = (/** @type {string} */ path) => join(root, 'node_modules', path);
  /** @type {Record<string, () => Promise<unknown>>} */
  const checks = {
    'biome: format and lint': () =>
      supervisor.run({
        name: 'biome',
        command: process.execPath,
        args: [program('@biomejs/biome/bin/biome'), 'check', '--error-on-warnings', '.'],
        failure: 'npx biome check',
      }),
    'types of the workspaces': () => turbo(supervisor, 'typecheck', 'npx turbo run typecheck'),
    'types of the scripts': () => checkTypes(supervisor, 'scripts'),
    'types of the tests': () => checkTypes(supervisor, 'tests'),
  };
  /** @type {Tally} */
  const tally = { passed: 0, skipped: 0, failures: [] };
  for (const [name, check] of Object.entries(checks)) {
    try {
      await step(name, check);
      tally.passed += 1;
    } catch (error) {
      printFailure(error);
      tally.failures.push(name);
    }
  }
  return tally;
}

/** @param {Supervisor} supervisor @param {string} folder Holds a `tsconfig.json`. */
function checkTypes(supervisor, folder) {
  return supervisor.run({
    name: 'tsc',
    command: process.execPath,
    args: [join(root, 'node_modules/typescript/bin/tsc'), '--noEmit', '-p', folder],
    failure: `npx tsc --noEmit -p ${folder}`,
  });
}

/**
 * @param {World} world
 * @param {string} name
 * @param {string[]} projects
 * @returns {Promise<Tally>}
 */
async function vitest({ supervisor, env }, name, projects) {
  heading(name);
  const report = join(supervisor.dataDir, 'reports', `${name}.json`);
  const exitCode = await supervisor.stream({
    name: 'vitest',
    command: process.execPath,
    args: [
      join(root, 'node_modules/vitest/vitest.mjs'),
      'run',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
      ...projects.map((project) => `--project=${project}`),
    ],
    env,
  });
  return tallyOf(name, exitCode, report, readVitest);
}

/**
 * The whole stack as `npm start` serves it, on ports and a database of its own, and a browser.
 *
 * @param {World} world
 * @returns {Promise<Tally>}
 */
async function endToEnd({ supervisor, services: servers, env }) {
  heading('end to end');
  const database = await createDatabase(servers.databaseUrl, { prefix: 'ceiba_e2e' });
  const services = { ...servers, databaseUrl: database.url };
  const ports = { runtime: await freePort(), console: await freePort(), host: await freePort() };
  const addresses = addressesOf(ports);
  const report = join(supervisor.dataDir, 'reports', 'e2e.json');
  await migrate(supervisor, services);
  const served = [await startRuntime(supervisor, services, ports.runtime)];
  try {
    const { runtimeUrl } = addresses;
    const { demo } = await ensureDemo({ supervisor, services, runtimeUrl });
    served.push(await startConsole(supervisor, services, addresses));
    served.push(await startHost(supervisor, addresses, demo));
    const { databaseUrl, redisUrl } = services;
    const stack = { databaseUrl, redisUrl, ...addresses };
    writePrivateJson(join(supervisor.dataDir, 'stack.json'), stack);
    const exitCode = await supervisor.stream({
      name: 'playwright',
      command: process.execPath,
      args: [join(root, 'node_modules/@playwright/test/cli.js'), 'test', '--project=e2e'],
      env: { ...env, DATABASE_URL: databaseUrl, CEIBA_TEST_REPORT: report },
    });
    return tallyOf('end to end', exitCode, report, readPlaywright);
  } finally {
    await Promise.all(served.map((service) => service.stop()));
    await database.drop();
  }
}

/** @param {string} name */
function heading(name) {
  print();
  print(`  ${bold(name)}`);
}
