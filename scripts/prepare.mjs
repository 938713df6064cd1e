import { turbo } from '../packages/devstack/src/build.mjs';
import { step } from '../packages/devstack/src/output.mjs';
import { startServices } from '../packages/devstack/src/services.mjs';
import { installIfNeeded } from './install.mjs';

/**
 * @param {import('../packages/devstack/src/supervisor.mjs').Supervisor} supervisor
 * @param {import('./install.mjs').Extent} packages
 */
export function installPackages(supervisor, packages) {
  return step(
    'Packages',
    () => installIfNeeded(supervisor, packages),
    (installed) => (installed ? 'installed' : 'up to date'),
  );
}

/**
 * @typedef {object} Preparation
 * @property {import('./install.mjs').Extent} [packages]
 * @property {boolean} [build]
 * @property {readonly string[]} [without] Workspaces that are not built.
 */

/**
 * The first steps of a command: installs the packages, then starts the databases and builds.
 *
 * @param {import('../packages/devstack/src/supervisor.mjs').Supervisor} supervisor
 * @param {Pick<import('../packages/devstack/src/settings.mjs').Settings, 'databaseUrl' | 'redisUrl'>} settings
 * @param {Preparation} [options]
 * @returns {Promise<import('../packages/devstack/src/services.mjs').Services>}
 */
export async function prepare(supervisor, settings, options = {}) {
  const { packages = 'all', build = true, without } = options;
  await installPackages(supervisor, packages);
  const [services] = await Promise.all([
    startServices(supervisor, settings),
    build && step('Build', () => turbo(supervisor, 'build', 'The build failed.', without)),
  ]);
  return services;
}
