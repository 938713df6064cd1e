/**
 * `npm run screenshots`: takes screenshots of every page of the console, at phone and desktop width
 * and in both themes, and saves them to `.screenshots`. Those that the README shows are saved to
 * `docs/images`. The pages show a sample installation, which is deleted afterwards.
 */
import { runMain, supervised } from '../packages/devstack/src/lifecycle.mjs';
import { print } from '../packages/devstack/src/output.mjs';
import { readSettings } from '../packages/devstack/src/settings.mjs';
import { withStack } from '../packages/devstack/src/stack.mjs';
import { prepare } from './prepare.mjs';
import { runPlaywright } from './run-tests.mjs';

await runMain(() =>
  supervised(async (supervisor) => {
    print();
    const servers = await prepare(supervisor, readSettings(process.env));
    /** @type {import('../packages/devstack/src/stack.mjs').StackOptions} */
    const stack = { programs: ['runtime', 'console'], ownDatabase: true };
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
