/**
 * `npm test`: what each change needs, against real servers and a real browser, independent of a running
 * `npm start`. `npm run test:all`: everything. The last line is the result.
 *
 *   npm test -- --only unit,e2e           parts of everything; `PARTS` names them
 *   npm test -- tests/golden keys.spec    files, by a part of their paths
 *   npm test -- 'denies a revoked key'    tests, by a part of their titles
 *   npm test -- tests/golden --watch      again after each change
 */
import { parseArgs } from 'node:util';

import { LauncherError } from '@ceiba/devstack/errors';
import { runMain, supervised } from '@ceiba/devstack/lifecycle';
import { bold, dim, print, red } from '@ceiba/devstack/output';
import type { Supervisor } from '@ceiba/devstack/supervisor';

import { chooseTests, runChosen } from './chosen-tests.ts';
import { LEVELS, partNamed, runStages } from './parts.ts';
import { failed, lineOf, slowest, type Tally } from './tally.ts';

let result: Tally | undefined;
process.once('exit', () => conclude(result ?? failed('the tests did not finish')));

await runMain(() => {
  const run = choose();
  return supervised(async (supervisor) => {
    print();
    result = await run(supervisor);
    return result.failures.length === 0 ? 0 : 1;
  });
});

function choose(): (supervisor: Supervisor) => Promise<Tally> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { only: { type: 'string' }, all: { type: 'boolean' }, watch: { type: 'boolean' } },
  });
  const { only, all = false, watch = false } = values;
  if (positionals.length > 0) {
    const tests = chooseTests(positionals);
    return (supervisor) => runChosen(supervisor, tests, watch);
  }
  if (watch) throw new LauncherError('--watch needs the path or the title of a test.');
  const stages = only === undefined ? LEVELS[all ? 'all' : 'daily'] : [[only.split(',')]];
  stages.flat(2).forEach(partNamed);
  return (supervisor) => runStages(supervisor, stages);
}

function conclude(tally: Tally) {
  if (tally.files.length > 1) {
    print();
    print(`  ${bold('The slowest files')}`);
    for (const { file, seconds } of slowest(tally, 10)) {
      print(`  ${`${seconds.toFixed(1)} s`.padStart(9)}  ${dim(file)}`);
    }
  }
  print();
  for (const failure of tally.failures) print(`  ${red('✗')} ${failure}`);
  print(lineOf(tally));
}
