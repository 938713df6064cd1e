/**
 * `npm run screenshots`: pictures of every page of the console, on a phone and on a desk, in both
 * themes, of an installation that is made for them and thrown away. They go to `.screenshots`, and
 * those that the README shows to `docs/images`.
 */
import { join } from 'node:path';

import { turbo } from '../packages/devstack/src/build.mjs';
import { createDatabase } from '../packages/devstack/src/databases.mjs';
import { untilEnd } from '../packages/devstack/src/lifecycle.mjs';
import { print, printFailure, step } from '../packages/devstack/src/output.mjs';
import { freePort } from '../packages/devstack/src/ports.mjs';
import { writePrivateJson } from '../packages/devstack/src/secrets.mjs';
import { startServices } from '../packages/devstack/src/services.mjs';
import { readSettings, requireNodeVersion, root } from '../packages/devstack/src/settings.mjs';
import {
  addressesOf,
  migrate,
  startConsole,
  startRuntime,
} from '../packages/devstack/src/stack.mjs';
import { createSupervisor, temporaryFolder } from '../packages/devstack/src/supervisor.mjs';
import { installIfNeeded } from './install.mjs';

/** @typedef {import('../packages/devstack/src/supervisor.mjs').Supervisor} Supervisor */

try {
  requireNodeVersion();
  const dataDir = temporaryFolder('ceiba-screenshots-');
  const supervisor = await createSupervisor({ dataDir, removeOnEnd: [dataDir] });
  process.exit(
    await untilEnd(
      supervisor,
      () => takeAll(supervisor),
      () => 130,
    ),
  );
} catch (error) {
  printFailure(error);
  process.exit(1);
}

/** @param {Supervisor} supervisor @returns {Promise<number>} The exit code. */
async function takeAll(supervisor) {
  print();
  await step('Packages', () => installIfNeeded(supervisor));
  const [servers] = await Promise.all([
    startServices(supervisor, readSettings(process.env)),
    step('Build', () => turbo(supervisor, 'build', 'The build failed.')),
  ]);
  const database = await createDatabase(servers.databaseUrl, { prefix: 'ceiba_screenshots' });
  const services = { ...servers, databaseUrl: database.url };
  const ports = { runtime: await freePort(), console: await freePort(), host: await freePort() };
  const addresses = addressesOf(ports);
  const served = [];
  try {
    await migrate(supervisor, services);
    served.push(await startRuntime(supervisor, services, ports.runtime));
    served.push(await startConsole(supervisor, services, addresses));
    writePrivateJson(join(supervisor.dataDir, 'stack.json'), { ...services, ...addresses });
    return await supervisor.stream({
      name: 'playwright',
      command: process.execPath,
      // What is shown is one installation: after a failure it would be made a second time.
      args: [
        join(root, 'node_modules/@playwright/test/cli.js'),
        ...['test', '--project=screenshots', '--max-failures=1'],
        ...process.argv.slice(2),
      ],
      env: {
        ...process.env,
        CEIBA_DATA_DIR: supervisor.dataDir,
        DATABASE_URL: services.databaseUrl,
      },
    });
  } finally {
    await Promise.all(served.map((service) => service.stop()));
    await database.drop();
  }
}
