import { join } from 'node:path';

import { turbo } from '../packages/devstack/src/build.mjs';
import { LauncherError } from '../packages/devstack/src/errors.mjs';
import {
  bold,
  dim,
  durationSince,
  print,
  printFailure,
  step,
} from '../packages/devstack/src/output.mjs';
import { readSettings, root } from '../packages/devstack/src/settings.mjs';
import { withStack } from '../packages/devstack/src/stack.mjs';
import { installPackages, prepare } from './prepare.mjs';
import { runPlaywright, runVitest } from './run-tests.mjs';
import { lineOf, noTests, sum } from './tally.mjs';

/**
 * @typedef {import('../packages/devstack/src/supervisor.mjs').Supervisor} Supervisor
 * @typedef {import('../packages/devstack/src/services.mjs').Services} Services
 * @typedef {import('./tally.mjs').Tally} Tally
 *
 * @typedef {object} World
 * @property {Supervisor} supervisor
 * @property {Services} services
 * @property {NodeJS.ProcessEnv} env The environment of the tests.
 * @property {string} [prefix] Begins each line of the output, where parts share the screen.
 * @property {number} [niceness] How readily a part yields the processor to others.
 *
 * @typedef {(world: World) => Promise<Tally>} Part
 * @typedef {string[][]} Stage Lanes of names of parts.
 */

/** @type {Record<string, Part>} */
export const PARTS = {
  static: staticChecks,
  unit: vitest('unit', 'static'),
  integration: vitest('integration'),
  deployment: vitest('deployment'),
  sdk: vitest('sdk'),
  launcher: vitest('launcher'),
  promises: vitest('promises'),
  chaos: vitest('chaos'),
  journey: playwright('journey'),
  e2e: playwright('e2e', 'e2e-alone'),
};

/**
 * The stages of each level, one after the other. A stage has lanes that run at once, beside one that
 * computes one that waits, and a lane has parts, one after the other. What fails fast comes first.
 *
 * @satisfies {Record<string, Stage[]>}
 */
export const LEVELS = {
  /** What `npm test` runs. */
  daily: [[['static', 'unit']], [['integration'], ['journey', 'promises']]],
  /** What `npm run test:all` runs: every test. */
  all: [
    [['static', 'unit']],
    [
      ['integration', 'sdk', 'deployment', 'launcher'],
      ['promises', 'chaos'],
    ],
    [['e2e']],
  ],
};

/** These judge how soon a Runtime answers, so those beside them yield the processor. */
const PROOFS = ['promises', 'chaos'];

/** @param {string} name @returns {Part} @throws {LauncherError} When there is none. */
export function partNamed(name) {
  const part = PARTS[name];
  if (part) return part;
  throw new LauncherError(`--only knows ${Object.keys(PARTS).join(', ')}, not "${name}".`);
}

/**
 * @param {Supervisor} supervisor
 * @param {Stage[]} stages
 * @returns {Promise<Tally>}
 */
export async function runStages(supervisor, stages) {
  const names = stages.flat(2);
  if (names.every((name) => name === 'static')) {
    // No servers, and turbo builds what the types need.
    await installPackages(supervisor, 'all');
    return staticChecks({ supervisor });
  }
  const world = await openWorld(supervisor);
  const width = Math.max(...names.map((name) => name.length));
  const tallies = /** @type {Tally[]} */ ([]);
  for (const lanes of stages) {
    const run = async (/** @type {string[]} */ lane) => {
      for (const name of lane) {
        const beside = {
          prefix: dim(`${name.padEnd(width)} | `),
          niceness: PROOFS.includes(name) ? 0 : 10,
        };
        tallies.push(await runPart(name, { ...world, ...(lanes.length > 1 && beside) }));
      }
    };
    await Promise.all(lanes.map(run));
  }
  return sum(tallies);
}

/**
 * Installs, starts the databases and builds.
 *
 * @param {Supervisor} supervisor
 * @param {import('./prepare.mjs').Preparation} [options]
 * @returns {Promise<World>}
 */
export async function openWorld(supervisor, options) {
  const { databaseUrl, redisUrl } = readSettings(process.env);
  const services = await prepare(supervisor, { databaseUrl, redisUrl }, options);
  const env = {
    ...process.env,
    DATABASE_URL: services.databaseUrl,
    REDIS_URL: services.redisUrl,
    CEIBA_DATA_DIR: supervisor.dataDir,
  };
  return { supervisor, services, env };
}

/** @param {string} name @param {World} world */
async function runPart(name, world) {
  const startedAtMs = performance.now();
  print();
  print(`  ${bold(name)}`);
  const tally = await partNamed(name)(world);
  print();
  print(`  ${bold(name)}: ${lineOf(tally)} ${dim(`in ${durationSince(startedAtMs)}`)}`);
  return tally;
}

/** @param {Pick<World, 'supervisor'>} world @returns {Promise<Tally>} */
async function staticChecks({ supervisor }) {
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
  const tally = noTests();
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

/** @param {...string} projects @returns {Part} */
function vitest(...projects) {
  const [name = ''] = projects;
  const args = projects.map((project) => `--project=${project}`);
  return ({ supervisor, services: _, ...world }) => runVitest(supervisor, { name, args, ...world });
}

/** @param {...string} projects Run one after the other. @returns {Part} */
function playwright(...projects) {
  return ({ supervisor, services, env: given, ...shown }) =>
    withBrowserStack({ supervisor, services, env: given }, async (env) => {
      const tallies = [];
      for (const name of projects) {
        const run = { name, args: [`--project=${name}`], env, ...shown };
        tallies.push(await runPlaywright(supervisor, run));
      }
      return sum(tallies);
    });
}

/**
 * Starts what the browser tests need: the stack as `npm start` serves it, on free ports and a database
 * of its own.
 *
 * @template T
 * @param {World} world
 * @param {(env: NodeJS.ProcessEnv) => Promise<T>} work
 * @returns {Promise<T>}
 */
export function withBrowserStack({ supervisor, services, env }, work) {
  /** @type {import('../packages/devstack/src/stack.mjs').StackOptions} */
  const stack = { programs: ['runtime', 'console', 'host'], ownDatabase: true };
  return withStack(supervisor, services, stack, ({ databaseUrl }) =>
    work({ ...env, DATABASE_URL: databaseUrl }),
  );
}
