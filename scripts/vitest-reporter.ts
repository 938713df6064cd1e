import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';

import { root } from '@ceiba/devstack/settings';
import type { TestCase, TestModule } from 'vitest/node';

import { failureOf, noTests, sum, type Tally } from './tally.ts';

/** What is read of vitest's own. */
interface ReportedModule extends Pick<TestModule, 'moduleId' | 'errors' | 'state'> {
  children: { allTests(): Iterable<Pick<TestCase, 'fullName' | 'result'>> };
  diagnostic(): { collectDuration: number; duration: number };
}

/** A reporter of vitest that writes the tally of a run to the file that CEIBA_TEST_REPORT names. */
export default class TallyReporter {
  onTestRunEnd(modules: readonly ReportedModule[], errors: readonly { message: string }[]) {
    const file = process.env.CEIBA_TEST_REPORT;
    if (file === undefined) return;
    writeFileSync(file, JSON.stringify(tallyOfRun(modules, errors)));
  }
}

/** @param errors Those that belong to no test. */
export function tallyOfRun(
  modules: readonly ReportedModule[],
  errors: readonly { message: string }[],
): Tally {
  const tally = sum(modules.map(tallyOfModule));
  tally.failures.push(...errors.map(({ message }) => failureOf('outside all tests', message)));
  return tally;
}

export function tallyOfModule(module: ReportedModule): Tally {
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
