import { join } from 'node:path';

import { turbo } from '@ceiba/devstack/build';
import { LauncherError } from '@ceiba/devstack/errors';
import { bold, dim, durationSince, print, printFailure, step } from '@ceiba/devstack/output';
import type { Services } from '@ceiba/devstack/services';
import { readSettings, root } from '@ceiba/devstack/settings';
import { type StackOptions, withStack } from '@ceiba/devstack/stack';
import type { Supervisor } from '@ceiba/devstack/supervisor';

import { type Preparation, prepare } from './prepare.ts';
import { runPlaywright, runVitest } from './run-tests.ts';
import { lineOf, noTests, sum, type Tally } from './tally.ts';

interface World {
  supervisor: Supervisor;
  services: Services;
  /** The environment of the tests. */
  env: NodeJS.ProcessEnv;
  /** Begins each line of the output, where parts share the screen. */
  prefix?: string;
  /** How readily a part yields the processor to others. */
  niceness?: number;
}

type Part = (world: World) => Promise<Tally>;

/** Lanes of names of parts. */
type Stage = string[][];

export const PARTS: Record<string, Part> = {
  static: staticChecks,
  unit: vitest('unit', 'unit-alone', 'static'),
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
 */
export const LEVELS = {
  /** What `npm test` runs. */
  daily: [[['static', 'unit']], [['integration'], ['journey', 'promises']]],
  /** What `npm run test:all` runs: every test. */
  all: [
    [['static', 'unit']],
    [
      ['integration', 'sdk', 'launcher'],
      ['promises', 'chaos', 'deployment'],
    ],
    [['e2e']],
  ],
};

/** These judge how soon a Runtime answers, so those beside them yield the processor. */
const PROOFS = ['promises', 'chaos'];

/** @throws {LauncherError} When there is none. */
export function partNamed(name: string): Part {
  const part = PARTS[name];
  if (part) return part;
  throw new LauncherError(`--only knows ${Object.keys(PARTS).join(', ')}, not "${name}".`);
}

export async function runStages(supervisor: Supervisor, stages: Stage[]): Promise<Tally> {
  const names = stages.flat(2);
  // No servers, and turbo builds what the types need.
  if (names.every((name) => name === 'static')) return staticChecks({ supervisor });
  const world = await openWorld(supervisor);
  const width = Math.max(...names.map((name) => name.length));
  const tallies: Tally[] = [];
  for (const lanes of stages) {
    const run = async (lane: string[]) => {
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

/** Starts the databases and builds, so that no part has to build while another reads what is built. */
export async function openWorld(supervisor: Supervisor, options?: Preparation): Promise<World> {
  const { databaseUrl, redisUrl } = readSettings(process.env);
  const services = await prepare(supervisor, { databaseUrl, redisUrl }, options);
  const env = {
    ...process.env,
    DATABASE_URL: services.databaseUrl,
    REDIS_URL: services.redisUrl,
    CEIBA_DATA_DIR: supervisor.dataDir,
    ...(options?.build !== false && { CEIBA_PROGRAMS_ARE_BUILT: '1' }),
  };
  return { supervisor, services, env };
}

async function runPart(name: string, world: World) {
  const startedAtMs = performance.now();
  print();
  print(`  ${bold(name)}`);
  const tally = await partNamed(name)(world);
  print();
  print(`  ${bold(name)}: ${lineOf(tally)} ${dim(`in ${durationSince(startedAtMs)}`)}`);
  return tally;
}

async function staticChecks({ supervisor }: Pick<World, 'supervisor'>): Promise<Tally> {
  const program = (path: string) => join(root, 'node_modules', path);
  const checks: Record<string, () => Promise<unknown>> = {
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

/** @param folder Holds a `tsconfig.json`. */
function checkTypes(supervisor: Supervisor, folder: string) {
  return supervisor.run({
    name: 'tsc',
    command: process.execPath,
    args: [join(root, 'node_modules/typescript7/bin/tsc'), '--noEmit', '-p', folder],
    failure: `npx tsc --noEmit -p ${folder}`,
  });
}

function vitest(...projects: string[]): Part {
  const [name = ''] = projects;
  const args = projects.map((project) => `--project=${project}`);
  return ({ supervisor, services: _, ...world }) => runVitest(supervisor, { name, args, ...world });
}

/** @param projects Run one after the other. */
function playwright(...projects: string[]): Part {
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
 */
export function withBrowserStack<T>(
  { supervisor, services, env }: World,
  work: (env: NodeJS.ProcessEnv) => Promise<T>,
): Promise<T> {
  const stack: StackOptions = { programs: ['runtime', 'console', 'host'], ownDatabase: true };
  return withStack(supervisor, services, stack, ({ databaseUrl }) =>
    work({ ...env, DATABASE_URL: databaseUrl }),
  );
}
