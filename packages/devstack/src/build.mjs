import { join } from 'node:path';

import { root } from './settings.mjs';

/**
 * Runs a turbo task over the workspace; what has not changed since the last run is taken from
 * turbo's cache.
 *
 * @param {import('./supervisor.mjs').Supervisor} supervisor
 * @param {'build' | 'typecheck'} task
 * @param {string} failure What to say when it fails.
 * @returns {Promise<string>} What turbo wrote.
 */
export async function turbo(supervisor, task, failure) {
  // Not at the top: this file is loaded before the packages are installed.
  const { buildSha } = await import('@ceiba/build/sha');
  const options = ['--output-logs=errors-only', '--log-order=grouped', '--ui=stream'];
  return supervisor.run({
    name: `turbo ${task}`,
    command: process.execPath,
    args: [join(root, 'node_modules/turbo/bin/turbo'), 'run', task, ...options],
    env: {
      ...process.env,
      CEIBA_BUILD_SHA: buildSha(),
      TURBO_TELEMETRY_DISABLED: '1',
      TURBO_NO_UPDATE_NOTIFIER: '1',
      // A production environment would be passed on to the build tools' own choice of what to do.
      NODE_ENV: '',
    },
    failure,
    hint: 'The lines above are the end of its output.',
  });
}
