import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

import { root } from '../packages/devstack/src/settings.mjs';

/**
 * The result of a part of the tests.
 *
 * @typedef {object} Tally
 * @property {number} passed
 * @property {number} skipped
 * @property {string[]} failures The names of the tests that failed, and the first line of each error.
 *
 * @typedef {import('../packages/devstack/src/supervisor.mjs').Supervisor} Supervisor
 */

/** @param {Tally[]} tallies @returns {Tally} */
export function sum(tallies) {
  return {
    passed: tallies.reduce((total, { passed }) => total + passed, 0),
    skipped: tallies.reduce((total, { skipped }) => total + skipped, 0),
    failures: tallies.flatMap(({ failures }) => failures),
  };
}

/** @param {Tally} tally @returns {string} `3 passed, 1 failed`, and how many were skipped. */
export function lineOf({ passed, failures, skipped }) {
  return `${passed} passed, ${failures.length} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/**
 * Runs vitest with the output of this process.
 *
 * @param {Supervisor} supervisor
 * @param {{ name: string, args: string[], env: NodeJS.ProcessEnv }} run `name` is for messages.
 * @returns {Promise<Tally>}
 */
export async function runVitest(supervisor, { name, args, env }) {
  const report = join(supervisor.dataDir, `${name}-report.json`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const exitCode = await supervisor.stream({
    name: 'vitest',
    command: process.execPath,
    args: [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...reporters, ...args],
    env,
  });
  return tallyOf(name, exitCode, report, readVitest);
}

/**
 * Runs Playwright against the stack of the supervisor's data folder.
 *
 * @param {Supervisor} supervisor
 * @param {{ name: string, args: string[], env: NodeJS.ProcessEnv }} run `name` is for messages.
 * @returns {Promise<Tally>}
 */
export async function runPlaywright(supervisor, { name, args, env }) {
  const report = join(supervisor.dataDir, `${name}-report.json`);
  const exitCode = await supervisor.stream({
    name: 'playwright',
    command: process.execPath,
    args: [
      join(root, 'node_modules/@playwright/test/cli.js'),
      ...['test', '--output', join(root, 'test-results', name), ...args],
    ],
    env: { ...env, CEIBA_DATA_DIR: supervisor.dataDir, CEIBA_TEST_REPORT: report },
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
    return {
      passed: 0,
      skipped: 0,
      failures: [`${name}: ended with code ${exitCode} and no report`],
    };
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
 * @typedef {{ status: string, fullName: string, failureMessages?: string[] }} Assertion
 * @typedef {object} TestFile
 * @property {string} name
 * @property {string} status
 * @property {string} [message] Why the file could not run.
 * @property {Assertion[]} assertionResults
 *
 * @param {{ testResults: TestFile[] }} report Of vitest's JSON reporter, which is Jest's format.
 * @returns {Tally}
 */
export function readVitest({ testResults }) {
  const tally = { passed: 0, skipped: 0, failures: /** @type {string[]} */ ([]) };
  for (const { name, status, message, assertionResults } of testResults) {
    const file = relative(root, name);
    const failed = assertionResults.filter((test) => test.status === 'failed');
    tally.failures.push(
      ...failed.map((test) => failureOf(`${file}: ${test.fullName}`, test.failureMessages?.[0])),
    );
    if (status === 'failed' && failed.length === 0) {
      tally.failures.push(failureOf(`${file}: could not run`, message));
    }
    tally.passed += assertionResults.filter((test) => test.status === 'passed').length;
    tally.skipped += assertionResults.filter(
      (test) => test.status !== 'passed' && test.status !== 'failed',
    ).length;
  }
  return tally;
}

/**
 * @typedef {{ errors: { message?: string }[] }} Result
 * @typedef {{ status: string, results?: Result[] }} Test
 * @typedef {{ title: string, file: string, tests: Test[] }} Spec
 * @typedef {{ specs: Spec[], suites?: Suite[] }} Suite
 * @param {{ suites: Suite[], errors: { message?: string }[] }} report Of Playwright's JSON reporter.
 * @returns {Tally}
 */
export function readPlaywright({ suites, errors }) {
  const tally = { passed: 0, skipped: 0, failures: /** @type {string[]} */ ([]) };
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
  tally.failures.push(...errors.map(({ message }) => `tests/e2e: ${message ?? 'an error'}`));
  return tally;
}

/** @param {string} name @param {string} [error] @returns {string} */
function failureOf(name, error = '') {
  const [line = ''] = stripVTControlCharacters(error).trim().split('\n');
  return line === '' ? name : `${name}\n    ${line.slice(0, 300)}`;
}

/** @param {Suite} suite @returns {Spec[]} */
function specsOf({ specs, suites = [] }) {
  return [...specs, ...suites.flatMap(specsOf)];
}
