import { defineConfig } from 'vitest/config';

/** The unit tests alone, for mutation testing: they need no server and no build. */
export default defineConfig({
  test: { include: ['{packages,apps}/*/src/**/*.test.ts'] },
});
