import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterAll, describe, expect, it } from 'vitest';

import { LEVELS, PARTS } from './parts.ts';
import { readPlaywright, tallyOf } from './run-tests.ts';
import { lineOf, noTests, slowest, sum, type Tally } from './tally.ts';
import { tallyOfModule, tallyOfRun } from './vitest-reporter.ts';

const folder = mkdtempSync(join(tmpdir(), 'ceiba-tally-'));
afterAll(() => rmSync(folder, { recursive: true }));

const same = (report: Tally) => report;
const tally = (given: Partial<Tally>): Tally => ({ ...noTests(), ...given });

function reportOf(report: unknown): string {
  const file = join(folder, 'report.json');
  writeFileSync(file, JSON.stringify(report));
  return file;
}

type State = 'passed' | 'failed' | 'skipped' | 'pending';
/** A file as vitest reports it. */
const module = (states: State[], errors: { message: string }[] = []) =>
  ({
    moduleId: fileURLToPath(new URL('../x.test.ts', import.meta.url)),
    errors: () => (states.length === 0 ? errors : []),
    state: () => (errors.length > 0 ? 'failed' : 'passed'),
    diagnostic: () => ({ collectDuration: 500, duration: 1000 }),
    children: {
      allTests: () =>
        states.map((state, index) => ({
          fullName: `test ${index}`,
          result: () => ({ state, errors: state === 'failed' ? errors : undefined }),
        })),
    },
  }) as unknown as Parameters<typeof tallyOfModule>[0];

describe('the result', () => {
  it('mentions skipped tests only where there are some', () => {
    expect(lineOf(tally({ passed: 3 }))).toBe('3 passed, 0 failed');
    const some = tally({ passed: 3, skipped: 2, failures: ['a'] });
    expect(lineOf(some)).toBe('3 passed, 1 failed, 2 skipped');
  });

  it('is the sum of the parts', () => {
    const files = [{ file: 'a.test.ts', seconds: 1 }];
    const parts = [
      tally({ passed: 1, failures: ['a'], files }),
      tally({ passed: 2, skipped: 3, failures: ['b', 'c'] }),
    ];
    expect(sum(parts)).toEqual({ passed: 3, skipped: 3, failures: ['a', 'b', 'c'], files });
  });

  it('names the slowest files first', () => {
    const files = [1, 3, 2].map((seconds) => ({ file: `${seconds}.test.ts`, seconds }));
    const names = slowest(tally({ files }), 2).map(({ file }) => file);
    expect(names).toEqual(['3.test.ts', '2.test.ts']);
  });
});

describe('a run of vitest', () => {
  it('counts a test that neither passed nor failed as skipped', () => {
    const { failures, files, ...counts } = tallyOfModule(
      module(['passed', 'failed', 'skipped', 'pending'], [{ message: 'wrong' }]),
    );
    expect(counts).toEqual({ passed: 1, skipped: 2 });
    expect(failures).toEqual(['x.test.ts: test 1\n    wrong']);
    expect(files).toEqual([{ file: 'x.test.ts', seconds: 1.5 }]);
  });

  it('shows an error without colours, up to forty lines', () => {
    const message = `\u001b[31mnpm start\u001b[39m${'\nline'.repeat(50)}`;
    const { failures } = tallyOfModule(module(['failed'], [{ message }]));
    expect(failures).toEqual([`x.test.ts: test 0\n    npm start${'\n    line'.repeat(39)}`]);
  });

  it('fails when a file could not be loaded', () => {
    const { failures } = tallyOfModule(module([], [{ message: 'no such import' }]));
    expect(failures).toEqual(['x.test.ts: could not run\n    no such import']);
  });

  it.each([
    ['wrote no report', 0, join(folder, 'missing.json')],
    ['found no test', 0, reportOf(noTests())],
  ])('fails when it %s', (_, exitCode, file) => {
    expect(tallyOf('unit', exitCode, file, same).failures).toHaveLength(1);
  });

  it('names an error outside all tests', () => {
    const { failures } = tallyOfRun([module(['passed'])], [{ message: 'read ECONNRESET' }]);
    expect(failures).toEqual(['outside all tests\n    read ECONNRESET']);
  });

  it('fails on an error outside all tests', () => {
    const file = reportOf(tally({ passed: 1 }));
    expect(tallyOf('unit', 0, file, same).failures).toEqual([]);
    expect(tallyOf('unit', 1, file, same).failures).toHaveLength(1);
  });
});

describe('a run of Playwright', () => {
  const suite = (...statuses: string[]) => ({
    title: 'a.spec.ts',
    specs: statuses.map((status) => ({ title: status, file: 'a.spec.ts', tests: [{ status }] })),
  });

  it('counts nested suites, and a flaky test as failed', () => {
    const suites = [{ ...suite('expected'), suites: [suite('skipped', 'unexpected', 'flaky')] }];
    const { failures, ...counts } = readPlaywright({ suites, errors: [] });
    expect(counts).toMatchObject({ passed: 1, skipped: 1 });
    expect(failures).toHaveLength(2);
  });

  it('names what a test that ran out of time waited for, and adds up the time of a file', () => {
    const errors = [{ message: 'Test timeout of 60000ms exceeded.' }, { message: 'no dialog' }];
    const tests = [{ status: 'unexpected', results: [{ errors, duration: 1500 }] }];
    const title = 'b.spec.ts';
    const specs = [{ title: 'b', file: title, tests }];
    const { failures, files } = readPlaywright({ suites: [{ title, specs }], errors: [] });
    expect(failures).toEqual(['b.spec.ts: b\n    no dialog']);
    expect(files).toEqual([{ file: 'tests/e2e/b.spec.ts', seconds: 1.5 }]);
  });

  it('fails on an error outside all tests', () => {
    const errors = [{ message: 'no browser' }];
    expect(readPlaywright({ suites: [], errors }).failures).toEqual(['tests/e2e: no browser']);
  });
});

it('npm run test:all runs every project of vitest and Playwright that tests something', () => {
  const projectsOf = (config: string) => {
    const text = readFileSync(new URL(`../${config}`, import.meta.url), 'utf8');
    return [...text.matchAll(/name: '([\w-]+)'/g)].map(([, name]) => name!);
  };
  const source = readFileSync(new URL('parts.ts', import.meta.url), 'utf8');
  const run = LEVELS.all.flat(2).flatMap((part) => {
    const [, names = ''] = new RegExp(`\\b${part}: \\w+\\((.*)\\)`).exec(source) ?? [];
    return [...names.matchAll(/'([\w-]+)'/g)].map(([, name]) => name);
  });
  const all = [...projectsOf('vitest.config.ts'), ...projectsOf('playwright.config.ts')];
  // The journey is one of the tests of e2e.
  expect(run.sort()).toEqual(all.filter((name) => !/^(screenshots|journey)$/.test(name)).sort());
});

it('each level runs parts that there are', () => {
  for (const stages of Object.values(LEVELS)) {
    expect(Object.keys(PARTS)).toEqual(expect.arrayContaining(stages.flat(2)));
  }
});
