import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { root } from '@ceiba/devstack/settings';
import type { Supervisor } from '@ceiba/devstack/supervisor';

import { failed, failureOf, noTests, type Tally } from './tally.ts';

interface Run {
  /** For messages. */
  name: string;
  args: string[];
  env: NodeJS.ProcessEnv;
  /** Begins each line of the output, where several runs share the screen. */
  prefix?: string;
  /** How readily it yields the processor to others. */
  niceness?: number;
  /** Whether vitest runs again after each change, until it is stopped. */
  watch?: boolean;
}

/** Runs vitest with the output of this process. */
export async function runVitest(
  supervisor: Supervisor,
  { name, args, env, watch = false, ...shown }: Run,
): Promise<Tally> {
  const report = join(supervisor.dataDir, `${name}-report.json`);
  const reporters = ['default', join(root, 'scripts/vitest-reporter.ts')];
  const exitCode = await supervisor.stream({
    name: 'vitest',
    command: process.execPath,
    args: [
      join(root, 'node_modules/vitest/vitest.mjs'),
      watch ? 'watch' : 'run',
      ...reporters.map((reporter) => `--reporter=${reporter}`),
      ...args,
    ],
    env: { ...env, CEIBA_TEST_REPORT: report },
    ...shown,
  });
  return tallyOf(name, exitCode, report, (tally: Tally) => tally);
}

/** Runs Playwright against the stack of the supervisor's data folder. */
export async function runPlaywright(
  supervisor: Supervisor,
  { name, args, env, ...shown }: Run,
): Promise<Tally> {
  const report = join(supervisor.dataDir, `${name}-report.json`);
  const exitCode = await supervisor.stream({
    name: 'playwright',
    command: process.execPath,
    args: [
      join(root, 'node_modules/@playwright/test/cli.js'),
      ...['test', '--output', join(root, 'test-results', name), ...args],
    ],
    env: { ...env, CEIBA_DATA_DIR: supervisor.dataDir, CEIBA_TEST_REPORT: report },
    ...shown,
  });
  return tallyOf(name, exitCode, report, readPlaywright);
}

/**
 * Reads the report of a test runner. A run that found no test, or that failed without a failed test
 * (a file that could not be loaded, an unhandled error, no report at all), counts as a failure.
 */
export function tallyOf<Report>(
  name: string,
  exitCode: number,
  reportFile: string,
  read: (report: Report) => Tally,
): Tally {
  if (!existsSync(reportFile)) {
    return failed(`${name}: ended with code ${exitCode} and no report`);
  }
  const tally = read(JSON.parse(readFileSync(reportFile, 'utf8')));
  const isEmpty = tally.passed + tally.skipped + tally.failures.length === 0;
  if (isEmpty) tally.failures.push(`${name}: found no test`);
  else if (exitCode !== 0 && tally.failures.length === 0) {
    tally.failures.push(`${name}: ended with code ${exitCode}`);
  }
  return tally;
}

interface Result {
  errors: { message?: string }[];
  duration?: number;
}

interface Spec {
  title: string;
  file: string;
  tests: { status: string; results?: Result[] }[];
}

interface Suite {
  title: string;
  specs: Spec[];
  suites?: Suite[];
}

/** @param report Of Playwright's JSON reporter. */
export function readPlaywright({
  suites,
  errors,
}: {
  suites: Suite[];
  errors: { message?: string }[];
}): Tally {
  const tally = noTests();
  const specs = suites.flatMap(specsOf);
  for (const { title, file, tests } of specs) {
    for (const { status, results } of tests) {
      if (status === 'expected') tally.passed += 1;
      else if (status === 'skipped') tally.skipped += 1;
      else {
        // A timeout is followed by what the test waited for.
        const error = results?.at(-1)?.errors.at(-1)?.message;
        tally.failures.push(failureOf(`${file}: ${title}`, error));
      }
    }
  }
  tally.files = suites.map((suite) => ({
    file: `tests/e2e/${suite.title}`,
    seconds: secondsOf(specsOf(suite)),
  }));
  tally.failures.push(...errors.map(({ message }) => `tests/e2e: ${message ?? 'an error'}`));
  return tally;
}

function specsOf({ specs, suites = [] }: Suite): Spec[] {
  return [...specs, ...suites.flatMap(specsOf)];
}

function secondsOf(specs: Spec[]) {
  const results = specs.flatMap(({ tests }) => tests.flatMap((test) => test.results ?? []));
  return results.reduce((total, { duration = 0 }) => total + duration, 0) / 1000;
}
