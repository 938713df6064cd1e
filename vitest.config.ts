import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';

const servers = {
  globalSetup: ['tests/support/build-programs.ts'],
  testTimeout: 60_000,
  hookTimeout: 60_000,
};

/** A busy machine may take longer than the five seconds that vitest allows. */
const busy = { testTimeout: 60_000, hookTimeout: 180_000 };

/** Files import in one process: half of the time of a file was the import of code without state. */
const shared = { isolate: false };

/** Files that replace modules, which the files after them would get as well. */
const REPLACE_MODULES = [
  'apps/console/src/server/**/*.test.ts',
  'packages/domain/src/password.test.ts',
];

/** Each starts and kills servers, so one file at a time. */
const proofs = { ...servers, testTimeout: 300_000, fileParallelism: false };

/** They take minutes, or need servers that few machines have: only `npm run prove` runs them. */
const proofsWithoutSmallSize = process.env.CEIBA_PROVE === 'full' ? ['tests/chaos/*.proof.ts'] : [];

export default defineConfig({
  test: {
    // Most tests wait for servers, so two files at a time pay on two cores as well.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // With --watch: the tests of a program run its build, so they import none of this.
    forceRerunTriggers: [...configDefaults.forceRerunTriggers, '**/apps/{runtime,cli}/src/**'],
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{packages,apps}/*/src/**/*.test.ts', '{scripts,bench}/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...REPLACE_MODULES],
          ...shared,
          ...busy,
        },
      },
      { test: { name: 'unit-alone', include: REPLACE_MODULES, ...busy } },
      { test: { name: 'static', include: ['tests/{static/**/*,docs/*}.test.ts'], ...busy } },
      {
        test: {
          name: 'integration',
          include: ['tests/{integration,golden,docs/integration}/**/*.test.ts'],
          // They mostly wait: for programs that start, and for what is written every second.
          maxWorkers: Math.max(3, availableParallelism()),
          ...shared,
          ...servers,
        },
      },
      {
        test: {
          name: 'deployment',
          include: ['tests/{deployment,docs/deployment}/**/*.test.ts'],
          ...servers,
        },
      },
      {
        test: {
          name: 'sdk',
          include: ['tests/{sdk,docs/sdk}/**/*.test.ts'],
          ...servers,
          globalSetup: [
            ...servers.globalSetup,
            'tests/sdk/support/build-sdk.ts',
            'tests/sdk/support/build-next.ts',
          ],
        },
      },
      { test: { name: 'promises', include: ['tests/promises/**/*.test.ts'], ...proofs } },
      {
        test: {
          name: 'chaos',
          include: ['tests/chaos/**/*.test.ts', ...proofsWithoutSmallSize],
          ...proofs,
        },
      },
      {
        test: {
          name: 'launcher',
          include: ['tests/launcher/**/*.test.ts'],
          testTimeout: 600_000,
          hookTimeout: 600_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
