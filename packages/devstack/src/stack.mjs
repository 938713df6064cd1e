import { rmSync } from 'node:fs';
import { join } from 'node:path';

import { createDatabase } from './databases.mjs';
import { ensureDemo } from './demo.mjs';
import { step } from './output.mjs';
import { freePort } from './ports.mjs';
import { migrate, programStage, startConsole, startHost, startRuntime } from './programs.mjs';
import { writePrivateJson } from './secrets.mjs';
import { loopback } from './settings.mjs';

/**
 * @typedef {import('./supervisor.mjs').Supervisor} Supervisor
 * @typedef {import('./services.mjs').Services} Services
 * @typedef {import('./demo.mjs').Demo} Demo
 *
 * @typedef {import('./settings.mjs').Ports} Ports
 * @typedef {object} Addresses
 * @property {string} runtimeUrl
 * @property {string} consoleUrl
 * @property {string} hostUrl
 * @property {string} [metricsUrl] Absent where the metrics are off.
 *
 * @typedef {object} StackOptions
 * @property {('runtime' | 'console' | 'host')[]} programs The host needs the Runtime, and creates
 *   the demo project that it asks for.
 * @property {boolean} [ownDatabase] Whether to create a database for this stack, and drop it at the
 *   end, instead of using that of `servers`.
 * @property {Ports} [ports] Free ports unless given.
 * @property {boolean} [reload] Whether Runtime and console start again after each change of their source.
 *
 * @typedef {Services & Addresses & { demo: Demo | undefined }} Stack
 */

/** @param {string} dataDir @returns {string} The file with the addresses of the running stack. */
export function stackFileIn(dataDir) {
  return join(dataDir, 'stack.json');
}

/**
 * Applies the migrations, starts Ceiba's programs, runs `work` against them, and stops them
 * afterwards, also when a program does not start or the work fails.
 *
 * @template T
 * @param {Supervisor} supervisor
 * @param {Services} servers The databases, as `startServices` returns them.
 * @param {StackOptions} options
 * @param {(stack: Stack) => Promise<T>} work
 * @returns {Promise<T>}
 * @throws {import('./errors.mjs').LauncherError} With the end of the log of what did not start.
 */
export async function withStack(supervisor, servers, options, work) {
  const { programs, ownDatabase, ports, reload = false } = options;
  const database =
    ownDatabase && (await createDatabase(servers.databaseUrl, { prefix: 'ceiba_stack' }));
  const services = database ? { ...servers, databaseUrl: database.url } : servers;
  const metrics = ports?.metrics ?? (await freePort());
  const addresses = addressesOf({ ...(ports ?? (await freePorts())), metrics });
  const stackFile = stackFileIn(supervisor.dataDir);
  rmSync(stackFile, { force: true });
  try {
    const migrated = () => migrate(supervisor, services);
    await step('Migrations', migrated, (output) => output.replace(/:.*/s, ''));
    const [demo] = await Promise.all([
      startDecisions(supervisor, services, addresses, { programs, reload }),
      programs.includes('console') &&
        step('Console', () => startConsole(supervisor, services, addresses, { reload })),
    ]);
    const { databaseUrl, redisUrl } = services;
    writePrivateJson(stackFile, { databaseUrl, redisUrl, ...addresses });
    return await work({ ...services, ...addresses, demo });
  } finally {
    await supervisor.stopOnly(({ stage }) => stage === programStage);
    if (database) await database.drop();
  }
}

/**
 * Starts the Runtime, and the host with the demo project.
 *
 * @param {Supervisor} supervisor
 * @param {Services} services
 * @param {Addresses} addresses
 * @param {{ programs: StackOptions['programs'], reload: boolean }} options
 * @returns {Promise<Demo | undefined>}
 */
async function startDecisions(supervisor, services, addresses, { programs, reload }) {
  if (!programs.includes('runtime')) return undefined;
  const { runtimeUrl } = addresses;
  await step('Runtime', () => startRuntime(supervisor, services, addresses, { reload }));
  if (!programs.includes('host')) return undefined;
  const { demo } = await step(
    'Demo project',
    () => ensureDemo({ supervisor, services, runtimeUrl }),
    ({ news }) => news,
  );
  await step('Example API', () => startHost(supervisor, addresses, demo));
  return demo;
}

async function freePorts() {
  return { runtime: await freePort(), console: await freePort(), host: await freePort() };
}

/** @param {Required<Ports>} ports @returns {Addresses} */
function addressesOf(ports) {
  return {
    runtimeUrl: `http://${loopback}:${ports.runtime}`,
    // The session cookie is bound to the host name in the address bar, and users type this one.
    consoleUrl: `http://localhost:${ports.console}`,
    hostUrl: `http://${loopback}:${ports.host}`,
    ...(ports.metrics !== 'off' && { metricsUrl: `http://${loopback}:${ports.metrics}` }),
  };
}
