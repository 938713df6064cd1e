import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, describe, expect, it } from 'vitest';

import { lineOf, readPlaywright, readVitest, sum, tallyOf } from './run-tests.mjs';

const folder = mkdtempSync(join(tmpdir(), 'ceiba-tally-'));
afterAll(() => rmSync(folder, { recursive: true }));

function reportOf(report: unknown): string {
  const file = join(folder, 'report.json');
  writeFileSync(file, JSON.stringify(report));
  return file;
}

const vitestFile = (status: string, ...statuses: string[]) => ({
  name: '/x.test.ts',
  status,
  assertionResults: statuses.map((each, index) => ({ status: each, fullName: `test ${index}` })),
});

describe('the result', () => {
  it('mentions skipped tests only where there are some', () => {
    expect(lineOf({ passed: 3, skipped: 0, failures: [] })).toBe('3 passed, 0 failed');
    expect(lineOf({ passed: 3, skipped: 2, failures: ['a'] })).toBe(
      '3 passed, 1 failed, 2 skipped',
    );
  });

  it('is the sum of the parts', () => {
    const parts = [
      { passed: 1, skipped: 0, failures: ['a'] },
      { passed: 2, skipped: 3, failures: ['b', 'c'] },
    ];
    expect(sum(parts)).toEqual({ passed: 3, skipped: 3, failures: ['a', 'b', 'c'] });
  });
});

describe('a run of vitest', () => {
  it('counts a test that neither passed nor failed as skipped', () => {
    const testResults = [vitestFile('failed', 'passed', 'failed', 'skipped', 'todo', 'pending')];
    const { failures, ...counts } = readVitest({ testResults });
    expect(counts).toEqual({ passed: 1, skipped: 3 });
    expect(failures).toEqual([expect.stringContaining('x.test.ts: test 1')]);
  });

  it('fails when a file could not be loaded', () => {
    expect(readVitest({ testResults: [vitestFile('failed')] }).failures).toHaveLength(1);
  });

  it('names the first line of an error, without colours', () => {
    const failureMessages = ['\u001b[31mError: no answer\u001b[39m\n    at x.ts:1'];
    const assertionResults = [{ status: 'failed', fullName: 'a', failureMessages }];
    const broken = { name: '/y.test.ts', status: 'failed', message: 'no such import' };
    const { failures } = readVitest({
      testResults: [
        { name: '/x.test.ts', status: 'failed', assertionResults },
        { ...broken, assertionResults: [] },
      ],
    });
    expect(failures).toEqual([
      expect.stringMatching(/x\.test\.ts: a\n {4}Error: no answer$/),
      expect.stringMatching(/y\.test\.ts: could not run\n {4}no such import$/),
    ]);
  });

  it.each([
    ['wrote no report', 0, join(folder, 'missing.json')],
    ['found no test', 0, reportOf({ testResults: [] })],
  ])('fails when it %s', (_, exitCode, file) => {
    expect(tallyOf('unit', exitCode, file, readVitest).failures).toHaveLength(1);
  });

  it('fails on an error outside all tests', () => {
    const file = reportOf({ testResults: [vitestFile('passed', 'passed')] });
    expect(tallyOf('unit', 0, file, readVitest).failures).toEqual([]);
    expect(tallyOf('unit', 1, file, readVitest).failures).toHaveLength(1);
  });
});

describe('a run of Playwright', () => {
  const suite = (...statuses: string[]) => ({
    specs: statuses.map((status) => ({ title: status, file: 'a.spec.ts', tests: [{ status }] })),
  });

  it('counts nested suites, and a flaky test as failed', () => {
    const suites = [{ ...suite('expected'), suites: [suite('skipped', 'unexpected', 'flaky')] }];
    const tally = readPlaywright({ suites, errors: [] });
    expect(tally).toMatchObject({ passed: 1, skipped: 1 });
    expect(tally.failures).toHaveLength(2);
  });

  it('names what a test that ran out of time waited for', () => {
    const errors = [{ message: 'Test timeout of 60000ms exceeded.' }, { message: 'no dialog' }];
    const tests = [{ status: 'unexpected', results: [{ errors }] }];
    const suites = [{ specs: [{ title: 'b', file: 'b.spec.ts', tests }] }];
    expect(readPlaywright({ suites, errors: [] }).failures).toEqual([
      'b.spec.ts: b\n    no dialog',
    ]);
  });

  it('fails on an error outside all tests', () => {
    const errors = [{ message: 'no browser' }];
    expect(readPlaywright({ suites: [], errors }).failures).toEqual(['tests/e2e: no browser']);
  });
});

it('npm test runs every project of vitest', () => {
  const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
  const projects = [...read('../vitest.config.ts').matchAll(/name: '(\w+)'/g)].map(
    ([, name]) => name,
  );
  const calls = [...read('test.mjs').matchAll(/vitest\(world, '\w+', \[([^\]]+)\]\)/g)];
  const run = calls.flatMap(([, names]) =>
    [...names!.matchAll(/'(\w+)'/g)].map(([, name]) => name),
  );
  expect(projects.length).toBeGreaterThan(4);
  expect(run.sort()).toEqual(projects.sort());
});
