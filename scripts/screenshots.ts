/**
 * `npm run screenshots`: takes screenshots of every page of the console, at phone and desktop width
 * and in both themes, and saves them to `.screenshots`. Those that the README shows are saved to
 * `docs/images`. The pages show a sample installation, which is deleted afterwards.
 */
import { runMain, supervised } from '@ceiba/devstack/lifecycle';
import { print } from '@ceiba/devstack/output';
import { readSettings } from '@ceiba/devstack/settings';
import { type StackOptions, withStack } from '@ceiba/devstack/stack';

import { prepare } from './prepare.ts';
import { runPlaywright } from './run-tests.ts';

await runMain(() =>
  supervised(async (supervisor) => {
    print();
    const servers = await prepare(supervisor, readSettings(process.env));
    const stack: StackOptions = { programs: ['runtime', 'console'], ownDatabase: true };
    return withStack(supervisor, servers, stack, async ({ databaseUrl }) => {
      const { failures } = await runPlaywright(supervisor, {
        name: 'screenshots',
        // All screenshots show one installation; after a failure, a new worker would create it again.
        args: ['--project=screenshots', '--max-failures=1', ...process.argv.slice(2)],
        env: { ...process.env, DATABASE_URL: databaseUrl },
      });
      return failures.length === 0 ? 0 : 1;
    });
  }),
);
