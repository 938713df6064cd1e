import { availableParallelism } from 'node:os';
import { join } from 'node:path';

import { buildSha } from '@ceiba/build/sha';

import { root } from './settings.ts';
import type { Supervisor } from './supervisor.ts';

/**
 * Runs a turbo task in every workspace; turbo takes what has not changed since the last run from
 * its cache.
 *
 * @param failure The message of the error when it fails.
 * @param without Workspaces to leave out.
 * @returns The output of turbo.
 */
export async function turbo(
  supervisor: Supervisor,
  task: 'build' | 'typecheck',
  failure: string,
  without: readonly string[] = [],
): Promise<string> {
  const options = [
    ...['--output-logs=errors-only', '--log-order=grouped', '--ui=stream'],
    // Its default of ten compilers at once needs gigabytes, and is slower on few cores.
    `--concurrency=${Math.max(2, availableParallelism())}`,
    ...without.map((name) => `--filter=!${name}`),
  ];
  return supervisor.run({
    name: `turbo ${task}`,
    command: process.execPath,
    args: [join(root, 'node_modules/turbo/bin/turbo'), 'run', task, ...options],
    env: {
      ...process.env,
      CEIBA_BUILD_SHA: buildSha(),
      TURBO_TELEMETRY_DISABLED: '1',
      TURBO_NO_UPDATE_NOTIFIER: '1',
      // The build tools choose; NODE_ENV=production of the caller would change what they build.
      NODE_ENV: '',
    },
    failure,
    hint: 'The lines above are the end of its output.',
  });
}
