import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findBrowser } from '@ceiba/devstack/browser';
import { readSettings } from '@ceiba/devstack/settings';
import { defineConfig } from '@playwright/test';

/**
 * The tests drive the console of a stack that runs: the one that `npm test` starts, or that of
 * `npm start` in the same folder. Its addresses and the demo's credentials are in the data folder.
 */
const { dataDir } = readSettings(process.env);
const { executablePath, env } = await findBrowser();
const stack = runningStack();
// Some tests look at what is stored.
process.env.DATABASE_URL ??= stack.databaseUrl;
const report = process.env.CEIBA_TEST_REPORT;

export default defineConfig({
  projects: [
    { name: 'e2e', testDir: 'tests/e2e' },
    // Pictures for people; `npm run screenshots` takes them.
    {
      name: 'screenshots',
      testDir: 'tests/screenshots',
      use: { trace: 'off', screenshot: 'off' },
    },
  ],
  outputDir: 'test-results',
  timeout: 60_000,
  // A page may take the 3 s of its database budget, and a busy machine its time beside that.
  expect: { timeout: 15_000 },
  retries: 0,
  forbidOnly: true,
  // The first user of an installation is its administrator: tests of that share one installation.
  workers: 1,
  reporter: [['list'], ...(report ? [['json', { outputFile: report }] as const] : [])],
  use: {
    baseURL: stack.consoleUrl,
    trace: 'retain-on-failure',
    screenshot: 'only-on-failure',
    launchOptions: { executablePath, env: { ...definedOf(process.env), ...env } },
  },
});

function runningStack(): { consoleUrl: string; databaseUrl: string } {
  try {
    return JSON.parse(readFileSync(join(dataDir, 'stack.json'), 'utf8'));
  } catch {
    throw new Error(`There is no running stack in ${dataDir}: run npm start first, or npm test.`);
  }
}

function definedOf(source: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(source).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
