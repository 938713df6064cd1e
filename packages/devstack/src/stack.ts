import { rmSync } from 'node:fs';
import { join } from 'node:path';

import { createDatabase } from './databases.ts';
import { type Demo, ensureDemo } from './demo.ts';
import { step } from './output.ts';
import { freePort } from './ports.ts';
import {
  type Addresses,
  migrate,
  programStage,
  startConsole,
  startHost,
  startRuntime,
} from './programs.ts';
import { writePrivateJson } from './secrets.ts';
import type { Services } from './services.ts';
import { loopback, type Ports } from './settings.ts';
import type { Supervisor } from './supervisor.ts';

export interface StackOptions {
  /** The host needs the Runtime, and creates the demo project that it asks for. */
  programs: ('runtime' | 'console' | 'host')[];
  /** Whether to create a database for this stack, and drop it at the end, instead of using that of `servers`. */
  ownDatabase?: boolean;
  /** Free ports unless given. */
  ports?: Ports;
  /** Whether Runtime and console start again after each change of their source. */
  reload?: boolean;
}

export type Stack = Services & Addresses & { demo: Demo | undefined };

/** @returns The file with the addresses of the running stack. */
export function stackFileIn(dataDir: string): string {
  return join(dataDir, 'stack.json');
}

/**
 * Applies the migrations, starts Ceiba's programs, runs `work` against them, and stops them
 * afterwards, also when a program does not start or the work fails.
 *
 * @param servers The databases, as `startServices` returns them.
 * @throws {LauncherError} With the end of the log of what did not start.
 */
export async function withStack<T>(
  supervisor: Supervisor,
  servers: Services,
  options: StackOptions,
  work: (stack: Stack) => Promise<T>,
): Promise<T> {
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

/** Starts the Runtime, and the host with the demo project. */
async function startDecisions(
  supervisor: Supervisor,
  services: Services,
  addresses: Addresses,
  { programs, reload }: Required<Pick<StackOptions, 'programs' | 'reload'>>,
): Promise<Demo | undefined> {
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

function addressesOf(ports: Required<Ports>): Addresses {
  return {
    runtimeUrl: `http://${loopback}:${ports.runtime}`,
    // The session cookie is bound to the host name in the address bar, and users type this one.
    consoleUrl: `http://localhost:${ports.console}`,
    hostUrl: `http://${loopback}:${ports.host}`,
    ...(ports.metrics !== 'off' && { metricsUrl: `http://${loopback}:${ports.metrics}` }),
  };
}
