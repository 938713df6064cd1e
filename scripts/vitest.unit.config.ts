import { defineConfig } from 'vitest/config';

/** The unit tests for mutation testing: they need no server and no build. */
export default defineConfig({
  test: {
    include: ['{packages,apps}/*/src/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'packages/devstack/**'],
  },
});
