import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { root } from '../packages/devstack/src/settings.mjs';
import { failed, failureOf, noTests } from './tally.mjs';

/**
 * @typedef {import('../packages/devstack/src/supervisor.mjs').Supervisor} Supervisor
 * @typedef {import('./tally.mjs').Tally} Tally
 *
 * @typedef {object} Run
 * @property {string} name For messages.
 * @property {string[]} args
 * @property {NodeJS.ProcessEnv} env
 * @property {string} [prefix] Begins each line of the output, where several runs share the screen.
 * @property {number} [niceness] How readily it yields the processor to others.
 * @property {boolean} [watch] Whether vitest runs again after each change, until it is stopped.
 */

/**
 * Runs vitest with the output of this process.
 *
 * @param {Supervisor} supervisor
 * @param {Run} run
 * @returns {Promise<Tally>}
 */
export async function runVitest(supervisor, { name, args, env, watch = false, ...shown }) {
  const report = join(supervisor.dataDir, `${name}-report.json`);
  const reporters = ['default', join(root, 'scripts/vitest-reporter.mjs')];
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
  return tallyOf(name, exitCode, report, (tally) => tally);
}

/**
 * Runs Playwright against the stack of the supervisor's data folder.
 *
 * @param {Supervisor} supervisor
 * @param {Run} run
 * @returns {Promise<Tally>}
 */
export async function runPlaywright(supervisor, { name, args, env, ...shown }) {
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
 *
 * @param {string} name
 * @param {number} exitCode
 * @param {string} reportFile
 * @param {(report: any) => Tally} read
 * @returns {Tally}
 */
export function tallyOf(name, exitCode, reportFile, read) {
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

/**
 * @typedef {{ errors: { message?: string }[], duration?: number }} Result
 * @typedef {{ status: string, results?: Result[] }} Test
 * @typedef {{ title: string, file: string, tests: Test[] }} Spec
 * @typedef {{ title: string, specs: Spec[], suites?: Suite[] }} Suite
 * @param {{ suites: Suite[], errors: { message?: string }[] }} report Of Playwright's JSON reporter.
 * @returns {Tally}
 */
export function readPlaywright({ suites, errors }) {
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

/** @param {Suite} suite @returns {Spec[]} */
function specsOf({ specs, suites = [] }) {
  return [...specs, ...suites.flatMap(specsOf)];
}

/** @param {Spec[]} specs */
function secondsOf(specs) {
  const results = specs.flatMap(({ tests }) => tests.flatMap((test) => test.results ?? []));
  return results.reduce((total, { duration = 0 }) => total + duration, 0) / 1000;
}
