import { defineConfig } from 'vitest/config';

const servers = {
  globalSetup: ['tests/support/build-runtime.ts'],
  testTimeout: 30_000,
  hookTimeout: 60_000,
};

/** Minutes long, or in need of what few machines have: `npm run prove` alone runs them. */
const proofsWithoutSmallSize = process.env.CEIBA_PROVE === 'full' ? ['tests/chaos/*.proof.ts'] : [];

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{packages,apps}/*/src/**/*.test.ts', 'scripts/**/*.test.ts'],
        },
      },
      {
        test: {
          name: 'static',
          include: ['tests/static/**/*.test.ts'],
        },
      },
      {
        test: {
          name: 'integration',
          include: ['tests/integration/**/*.test.ts', 'tests/golden/**/*.test.ts'],
          ...servers,
        },
      },
      {
        test: {
          name: 'sdk',
          include: ['tests/sdk/**/*.test.ts'],
          ...servers,
          globalSetup: [
            ...servers.globalSetup,
            'tests/sdk/support/build-sdk.ts',
            'tests/sdk/support/build-next.ts',
          ],
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'chaos',
          include: ['tests/chaos/**/*.test.ts', ...proofsWithoutSmallSize],
          ...servers,
          testTimeout: 300_000,
          fileParallelism: false,
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
