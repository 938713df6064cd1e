import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSettings } from '@ceiba/devstack/settings';
import { defineConfig } from '@playwright/test';
import { findBrowser } from './tests/support/browser.ts';

/**
 * The tests use the console of a running stack, which `npm test` or `npm start` started. The data
 * folder holds its addresses and the demo's credentials.
 */
const { dataDir } = readSettings(process.env);
const { executablePath, env } = await findBrowser();
const stack = runningStack();
// Some tests read the database.
process.env.DATABASE_URL ??= stack.databaseUrl;
const report = process.env.CEIBA_TEST_REPORT;

/**
 * Tests that read the whole installation, change who administers it or lock a table. They run after
 * the others, by themselves: `--project=e2e-alone`.
 */
const ALONE = /@alone|\b(isolation|admin|show-once)\.spec/;

/** Pages of tests are too short-lived for optimized code and for processes of their own. */
const BROWSER = ['--js-flags=--no-maglev,--no-turbofan', '--renderer-process-limit=1'];

export default defineConfig({
  projects: [
    // The one that `npm test` runs.
    { name: 'journey', testDir: 'tests/e2e', testMatch: 'first-journey.spec.ts' },
    { name: 'e2e', testDir: 'tests/e2e', grepInvert: ALONE },
    { name: 'e2e-alone', testDir: 'tests/e2e', grep: ALONE, workers: 1 },
    // `npm run screenshots` runs these; they check nothing.
    {
      name: 'screenshots',
      testDir: 'tests/screenshots',
      // Six pictures each.
      timeout: 180_000,
      use: { trace: 'off', screenshot: 'off' },
    },
  ],
  outputDir: 'test-results',
  timeout: 60_000,
  // A page may use the 3 s of its database budget, and a busy machine adds to that.
  expect: { timeout: 15_000 },
  retries: 0,
  forbidOnly: true,
  // Files at a time. They share one installation, in which each test has projects of its own.
  workers: 2,
  reporter: [['list'], ...(report ? [['json', { outputFile: report }] as const] : [])],
  use: {
    baseURL: stack.consoleUrl,
    // Recording takes CPU time from every test: `npx playwright test --trace on` does.
    trace: 'off',
    screenshot: 'only-on-failure',
    // A test looks at states, and each frame between two of them is drawn by the processor.
    contextOptions: { reducedMotion: 'reduce' },
    launchOptions: { executablePath, args: BROWSER, env: { ...definedOf(process.env), ...env } },
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
