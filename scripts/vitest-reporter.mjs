import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';

import { root } from '../packages/devstack/src/settings.mjs';
import { failureOf, noTests, sum } from './tally.mjs';

/**
 * @typedef {import('./tally.mjs').Tally} Tally
 * @typedef {Pick<import('vitest/node').TestModule, 'moduleId' | 'errors' | 'state'> & {
 *   children: { allTests(): Iterable<Pick<import('vitest/node').TestCase, 'fullName' | 'result'>> },
 *   diagnostic(): { collectDuration: number, duration: number },
 * }} TestModule
 */

/** A reporter of vitest that writes the tally of a run to the file that CEIBA_TEST_REPORT names. */
export default class TallyReporter {
  /**
   * @param {readonly TestModule[]} modules
   * @param {readonly { message: string }[]} errors That belong to no test.
   */
  onTestRunEnd(modules, errors) {
    const file = process.env.CEIBA_TEST_REPORT;
    if (file === undefined) return;
    writeFileSync(file, JSON.stringify(tallyOfRun(modules, errors)));
  }
}

/**
 * @param {readonly TestModule[]} modules
 * @param {readonly { message: string }[]} errors That belong to no test.
 * @returns {Tally}
 */
export function tallyOfRun(modules, errors) {
  const tally = sum(modules.map(tallyOfModule));
  tally.failures.push(...errors.map(({ message }) => failureOf('outside all tests', message)));
  return tally;
}

/** @param {TestModule} module @returns {Tally} */
export function tallyOfModule(module) {
  const tally = noTests();
  const file = relative(root, module.moduleId);
  for (const test of module.children.allTests()) {
    const { state, errors } = test.result();
    if (state === 'passed') tally.passed += 1;
    else if (state !== 'failed') tally.skipped += 1;
    else tally.failures.push(failureOf(`${file}: ${test.fullName}`, errors?.[0]?.message));
  }
  if (module.state() === 'failed' && tally.failures.length === 0) {
    tally.failures.push(failureOf(`${file}: could not run`, module.errors()[0]?.message));
  }
  const { collectDuration, duration } = module.diagnostic();
  tally.files.push({ file, seconds: (collectDuration + duration) / 1000 });
  return tally;
}
