/**
 * `npm start`: brings up all of Ceiba on a machine that has only Node and npm, with a demo to try,
 * and runs until Ctrl-C. Only Node's own modules are used before `npm ci` has run.
 */
import { existsSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';

import { turbo } from '../packages/devstack/src/build.mjs';
import { ensureDemo } from '../packages/devstack/src/demo.mjs';
import { untilEnd } from '../packages/devstack/src/lifecycle.mjs';
import { bold, cyan, dim, print, printFailure, step } from '../packages/devstack/src/output.mjs';
import { requireFreePorts } from '../packages/devstack/src/ports.mjs';
import { readJson, writePrivateJson } from '../packages/devstack/src/secrets.mjs';
import { startServices } from '../packages/devstack/src/services.mjs';
import {
  loadEnvFile,
  readSettings,
  requireNodeVersion,
  root,
} from '../packages/devstack/src/settings.mjs';
import {
  addressesOf,
  migrate,
  startConsole,
  startHost,
  startRuntime,
} from '../packages/devstack/src/stack.mjs';
import { createSupervisor } from '../packages/devstack/src/supervisor.mjs';
import { installIfNeeded } from './install.mjs';

/**
 * @typedef {import('../packages/devstack/src/settings.mjs').Settings} Settings
 * @typedef {import('../packages/devstack/src/supervisor.mjs').Supervisor} Supervisor
 */

try {
  requireNodeVersion();
  loadEnvFile();
  const settings = readSettings(process.env);
  const stackFile = join(settings.dataDir, 'stack.json');
  const supervisor = await createSupervisor({
    dataDir: settings.dataDir,
    removeOnEnd: [stackFile],
  });
  const exitCode = await untilEnd(
    supervisor,
    () => serve(supervisor, settings, stackFile),
    () => {
      print();
      print('  Stopping …');
      return 0;
    },
  );
  if (exitCode === 0) print(`  Stopped. ${dim('npm start brings everything back.')}`);
  process.exit(exitCode);
} catch (error) {
  printFailure(error);
  process.exit(1);
}

/**
 * @param {Supervisor} supervisor
 * @param {Settings} settings
 * @param {string} stackFile
 * @returns {Promise<never>} Rejects when something fails; otherwise goes on until it is stopped.
 */
async function serve(supervisor, settings, stackFile) {
  const { ports } = settings;
  rmSync(stackFile, { force: true });
  await requireFreePorts([
    { name: 'Runtime', variable: 'RUNTIME_PORT', port: ports.runtime },
    { name: 'console', variable: 'CONSOLE_PORT', port: ports.console },
    { name: 'example API', variable: 'HOST_PORT', port: ports.host },
  ]);
  greet();
  await step(
    'Packages',
    () => installIfNeeded(supervisor),
    (installed) => (installed ? 'installed' : 'up to date'),
  );
  const [services] = await Promise.all([
    startServices(supervisor, settings),
    step('Build', () => turbo(supervisor, 'build', 'The build failed.')),
  ]);
  await step(
    'Migrations',
    () => migrate(supervisor, services),
    (told) => told.replace(/:.*/s, ''),
  );

  const addresses = addressesOf(ports);
  const { runtimeUrl, consoleUrl, hostUrl } = addresses;
  const consoleIsUp = step('Console', () => startConsole(supervisor, services, addresses));
  const hostIsUp = step('Runtime', () => startRuntime(supervisor, services, ports.runtime)).then(
    async () => {
      const world = { supervisor, services, runtimeUrl };
      const { demo } = await step(
        'Demo project',
        () => ensureDemo(world),
        ({ news }) => news,
      );
      await step('Example API', () => startHost(supervisor, addresses, demo));
      return demo;
    },
  );
  const [demo] = await Promise.all([hostIsUp, consoleIsUp]);
  const { databaseUrl, redisUrl } = services;
  writePrivateJson(stackFile, { databaseUrl, redisUrl, runtimeUrl, consoleUrl, hostUrl });
  invite(addresses, demo, settings);
  return new Promise(() => {});
}

function greet() {
  const version = readJson(join(root, 'package.json'))?.version;
  print();
  print(`  ${bold('Ceiba')} ${dim(String(version))}`);
  if (!existsSync(join(root, 'apps/console/.next/standalone'))) {
    print(dim('  The first start installs and builds, which takes a minute or two.'));
  }
  print();
}

/**
 * @param {import('../packages/devstack/src/stack.mjs').Addresses} addresses
 * @param {import('../packages/devstack/src/demo.mjs').Demo} demo
 * @param {Settings} settings
 */
function invite({ runtimeUrl, consoleUrl, hostUrl }, demo, settings) {
  /** @type {(answer: string, path: string, apiKey: string) => void} */
  const offer = (answer, path, apiKey) => {
    print(`    ${answer}`);
    print(`         ${cyan(`curl -i ${hostUrl}${path} -H 'Authorization: Bearer ${apiKey}'`)}`);
  };
  print();
  print(`  ${bold('Console')}      ${cyan(consoleUrl)}`);
  print(`               sign in as ${demo.ownerEmail} with ${demo.ownerPassword}`);
  print(`  ${bold('Runtime')}      ${cyan(runtimeUrl)}`);
  print(`  ${bold('Example API')}  ${cyan(hostUrl)} ${dim('asks the Runtime about each request')}`);
  print();
  print(`  ${bold('Try it')}       paste one of these into another terminal`);
  offer('200  let through: a policy of the demo project covers it', '/v1/reports', demo.apiKey);
  offer('403  service_forbidden: no policy covers it', '/v1/billing', demo.apiKey);
  offer('401  service_unauthorized: there is no such key', '/v1/reports', 'nonsense');
  print();
  print(dim(`  Ctrl-C stops everything. Data and logs: ${nameOf(settings.dataDir)}`));
}

/** @param {string} folder @returns {string} Relative where it lies in the repository. */
function nameOf(folder) {
  const inside = relative(root, folder);
  return inside.startsWith('..') ? folder : `${inside}/`;
}
