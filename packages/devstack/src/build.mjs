import { availableParallelism } from 'node:os';
import { join } from 'node:path';

import { root } from './settings.mjs';

/**
 * Runs a turbo task in every workspace; turbo takes what has not changed since the last run from
 * its cache.
 *
 * @param {import('./supervisor.mjs').Supervisor} supervisor
 * @param {'build' | 'typecheck'} task
 * @param {string} failure The message of the error when it fails.
 * @param {readonly string[]} [without] Workspaces to leave out.
 * @returns {Promise<string>} The output of turbo.
 */
export async function turbo(supervisor, task, failure, without = []) {
  // Imported here because this file loads before the packages are installed.
  const { buildSha } = await import('@ceiba/build/sha');
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
