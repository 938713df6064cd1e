/**
 * `npm test`: every check that a machine with only Node and npm can run, against real servers and a
 * real browser, independent of a running `npm start`. The last line is the result.
 *
 * `npm test -- --only unit,e2e` runs a part; `PARTS` names the parts.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { turbo } from '../packages/devstack/src/build.mjs';
import { LauncherError } from '../packages/devstack/src/errors.mjs';
import { runMain, supervised } from '../packages/devstack/src/lifecycle.mjs';
import { bold, print, printFailure, red, step } from '../packages/devstack/src/output.mjs';
import { readSettings, root } from '../packages/devstack/src/settings.mjs';
import { withStack } from '../packages/devstack/src/stack.mjs';
import { installPackages, prepare } from './prepare.mjs';
import { lineOf, runPlaywright, runVitest, sum } from './run-tests.mjs';

/**
 * @typedef {import('../packages/devstack/src/supervisor.mjs').Supervisor} Supervisor
 * @typedef {import('../packages/devstack/src/services.mjs').Services} Services
 * @typedef {import('./run-tests.mjs').Tally} Tally
 *
 * @typedef {object} World
 * @property {Supervisor} supervisor
 * @property {Services} services
 * @property {NodeJS.ProcessEnv} env The environment of the tests.
 *
 * @typedef {(world: World) => Promise<Tally>} Part
 */

/**
 * In the order in which they run: what fails fast comes first, and what starts and kills servers
 * runs alone.
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

/** @type {Tally | undefined} */
let result;
process.once('exit', () => conclude(result));

await runMain(() => {
  const parts = chosenParts();
  return supervised(async (supervisor) => {
    result = await testAll(supervisor, parts);
    return result.failures.length === 0 ? 0 : 1;
  });
});

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

/** @param {Tally} [tally] Absent when the tests did not finish. */
function conclude(tally = { passed: 0, skipped: 0, failures: ['the tests did not finish'] }) {
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
  if (parts.every((part) => part === staticChecks)) {
    // No servers, and turbo builds what the types need.
    await installPackages(supervisor, 'all');
    return staticChecks({ supervisor });
  }
  const { databaseUrl, redisUrl } = readSettings(process.env);
  const services = await prepare(supervisor, { databaseUrl, redisUrl });
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

/** @param {Pick<World, 'supervisor'>} world @returns {Promise<Tally>} */
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
function vitest({ supervisor, env }, name, projects) {
  heading(name);
  const args = projects.map((project) => `--project=${project}`);
  return runVitest(supervisor, { name, args, env });
}

/**
 * A browser, and the stack as `npm start` serves it, on free ports and a database of its own.
 *
 * @param {World} world
 * @returns {Promise<Tally>}
 */
function endToEnd({ supervisor, services, env }) {
  heading('end to end');
  /** @type {import('../packages/devstack/src/stack.mjs').StackOptions} */
  const stack = { programs: ['runtime', 'console', 'host'], ownDatabase: true };
  return withStack(supervisor, services, stack, async ({ databaseUrl }) => {
    const tallies = [];
    for (const name of ['e2e', 'e2e-alone']) {
      const run = { name, args: [`--project=${name}`], env: { ...env, DATABASE_URL: databaseUrl } };
      tallies.push(await runPlaywright(supervisor, run));
    }
    return sum(tallies);
  });
}

/** @param {string} name */
function heading(name) {
  print();
  print(`  ${bold(name)}`);
}
