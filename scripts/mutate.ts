/**
 * `npm run mutate`: mutation testing with Stryker. It changes the code of each group, one mutation at
 * a time, and counts the mutants that no unit test kills. A group fails below 90 % of killed mutants.
 * It takes about 40 minutes on two cores, and less where .stryker holds an earlier run.
 * docs/reference/proofs.md lists the results of the last run and explains the surviving mutants.
 *
 *   npm run mutate -- domain sdk     runs some of the groups
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

import { print, red } from '@ceiba/devstack/output';
import { root } from '@ceiba/devstack/settings';

/** The files of each group. Code that calls servers or frameworks has its tests elsewhere. */
const GROUPS = {
  domain: ['packages/domain/src/*.ts', '!**/index.ts', '!**/test-support.ts'],
  redis: ['address', 'epoch'].map((name) => `packages/process/src/redis/${name}.ts`),
  sdk: [
    ...['packages/sdk/src/*.ts', 'packages/sdk/src/http/*.ts'],
    ...['express', 'fastify', 'fetch', 'hono', 'next', 'node', 'node-reply'].map(
      (adapter) => `!packages/sdk/src/${adapter}.ts`,
    ),
    ...['index', 'platform-edge', 'testing'].map((name) => `!packages/sdk/src/${name}.ts`),
  ],
  limiter: ['apps/runtime/src/limiter/*.ts', 'apps/runtime/src/decision/project-secret.ts'],
};

const names = Object.keys(GROUPS);
const chosen = process.argv.length > 2 ? process.argv.slice(2) : names;
const unknown = chosen.find((name) => !names.includes(name));
if (unknown) {
  print(red(`The groups are ${names.join(', ')}, not "${unknown}".`));
  process.exit(1);
}

const failed = Object.entries(GROUPS)
  .filter(([name]) => chosen.includes(name))
  .filter(([name, files]) => !isKilled(name, files))
  .map(([name]) => name);
if (failed.length > 0) print(red(`Too many mutants survived in ${failed.join(', ')}.`));
process.exit(failed.length > 0 ? 1 : 0);

function isKilled(name: string, files: readonly string[]) {
  const { status } = spawnSync(
    process.execPath,
    [
      join(root, 'node_modules/@stryker-mutator/core/bin/stryker.js'),
      'run',
      'scripts/stryker.config.mjs',
      ...['--mutate', [...files, '!**/*.test.ts'].join(',')],
      ...['--incrementalFile', `.stryker/${name}.json`],
    ],
    { cwd: root, stdio: 'inherit' },
  );
  return status === 0;
}
