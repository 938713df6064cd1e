import { cpSync, existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { LauncherError } from './errors.ts';
import { dataDirSecrets } from './secrets.ts';
import type { Services } from './services.ts';
import { loopback, nonBlank, root } from './settings.ts';
import type { Service, Supervisor } from './supervisor.ts';
import { waitFor } from './wait.ts';

export interface Addresses {
  runtimeUrl: string;
  consoleUrl: string;
  hostUrl: string;
  /** Absent where the metrics are off. */
  metricsUrl?: string;
}

const startTimeoutMs = 60_000;
/** Next.js compiles the first page that it is asked for. */
const compileTimeoutMs = 300_000;

const RUNTIME = join(root, 'apps/runtime/dist/main.js');
const RELOADED_RUNTIME = join(root, 'apps/runtime/dist.dev/main.js');
const NEXT = join(root, 'node_modules/next/dist/bin/next');

/**
 * With twice Node's own size, in MiB, of the space for new objects, a decision takes a tenth less CPU
 * time of the Runtime, for up to 48 MiB more memory (ADR 0021).
 */
export const RUNTIME_FLAGS = ['--enable-source-maps', '--max-semi-space-size=32'];

/** Programs stop before the databases, which are stage 0. */
export const programStage = 1;

/**
 * Runs a `ceiba` command against a database.
 *
 * @returns Its standard output.
 */
export function ceiba(
  supervisor: Supervisor,
  services: Services,
  args: string[],
  { failure, input, ownerPassword }: { failure: string; input?: string; ownerPassword?: string },
): Promise<string> {
  return supervisor.run({
    name: `ceiba ${args[0]}`,
    command: process.execPath,
    args: [join(root, 'apps/cli/bin/ceiba.mjs'), ...args],
    env: {
      ...process.env,
      DATABASE_URL: services.databaseUrl,
      REDIS_URL: services.redisUrl,
      ...(ownerPassword === undefined ? {} : { CEIBA_OWNER_PASSWORD: ownerPassword }),
    },
    failure,
    ...(input === undefined ? {} : { input }),
  });
}

/** @returns One line that says what was applied. */
export async function migrate(supervisor: Supervisor, services: Services): Promise<string> {
  const output = await ceiba(supervisor, services, ['migrate'], {
    failure: 'The migrations could not be applied.',
  });
  return output.trim().split('\n').at(-1) ?? '';
}

/**
 * @param options `program` is built, and this workspace's unless given; with `reload`, it is built and
 *   started again after each change of its source.
 * @returns Once it is ready to decide.
 */
export async function startRuntime(
  supervisor: Supervisor,
  services: Services,
  addresses: Pick<Addresses, 'runtimeUrl' | 'metricsUrl'>,
  options: { program?: string; reload?: boolean } = {},
): Promise<Service> {
  const { reload = false, program = reload ? RELOADED_RUNTIME : RUNTIME } = options;
  const { runtimeUrl, metricsUrl } = addresses;
  if (reload) await buildAgainOnChange(supervisor);
  const service = await supervisor.spawn({
    name: 'Runtime',
    command: process.execPath,
    args: [...(reload ? ['--watch', '--watch-preserve-output'] : []), ...RUNTIME_FLAGS, program],
    isShown: reload,
    env: {
      ...process.env,
      DATABASE_URL: services.databaseUrl,
      REDIS_URL: services.redisUrl,
      RUNTIME_HOST: loopback,
      RUNTIME_PORT: new URL(runtimeUrl).port,
      METRICS_PORT: metricsUrl === undefined ? 'off' : new URL(metricsUrl).port,
    },
    stage: programStage,
    // Longer than any settings let it take.
    graceMs: 75_000,
  });
  await waitUntilServing(service, () => isOk(`${runtimeUrl}/ready`));
  return service;
}

/** @returns Once it is built for the first time. */
async function buildAgainOnChange(supervisor: Supervisor): Promise<void> {
  rmSync(RELOADED_RUNTIME, { force: true });
  await supervisor.spawn({
    name: 'Build',
    command: process.execPath,
    args: [join(root, 'apps/runtime/build.mjs'), '--watch'],
    isShown: true,
    stage: programStage,
  });
  await waitFor(() => existsSync(RELOADED_RUNTIME), { timeoutMs: startTimeoutMs });
}

/**
 * @param options With `reload`, Next.js compiles each page when it is asked for.
 * @returns Once it is ready to serve pages.
 */
export async function startConsole(
  supervisor: Supervisor,
  services: Services,
  addresses: Addresses,
  { reload = false }: { reload?: boolean } = {},
): Promise<Service> {
  const { consoleUrl, runtimeUrl } = addresses;
  const { port } = new URL(consoleUrl);
  const service = await supervisor.spawn({
    name: 'Console',
    command: process.execPath,
    args: reload
      ? [NEXT, 'dev', join(root, 'apps/console'), '--hostname', loopback]
      : [join(ownCopyOfConsole(supervisor.dataDir), 'server.js')],
    isShown: reload,
    env: {
      ...process.env,
      DATABASE_URL: services.databaseUrl,
      CEIBA_RUNTIME_URL: runtimeUrl,
      CONSOLE_PORT: port,
      PORT: port,
      HOSTNAME: loopback,
      NEXTAUTH_URL: nonBlank(process.env.NEXTAUTH_URL) ?? consoleUrl,
      NEXTAUTH_SECRET:
        nonBlank(process.env.NEXTAUTH_SECRET) ?? dataDirSecrets(supervisor.dataDir).consoleSecret,
      SIGN_UP: nonBlank(process.env.SIGN_UP) ?? 'open',
      // So that webhooks can be tried with a server on this machine.
      WEBHOOK_ALLOWED_NETWORKS:
        nonBlank(process.env.WEBHOOK_ALLOWED_NETWORKS) ?? '127.0.0.0/8,::1/128',
      NEXT_TELEMETRY_DISABLED: '1',
    },
    stage: programStage,
  });
  const isReady = () => isOk(`http://${loopback}:${port}/api/ready`);
  await waitUntilServing(service, isReady, reload ? compileTimeoutMs : startTimeoutMs);
  return service;
}

/**
 * Copies the build of the console, which reads its files while it serves: the next build may then
 * replace the original.
 *
 * @returns The folder of the copy that holds `server.js`.
 */
function ownCopyOfConsole(dataDir: string): string {
  const built = join(root, 'apps/console/.next/standalone');
  const copy = join(dataDir, 'console');
  const app = 'apps/console';
  const buildId = (folder: string) => readFileSync(join(folder, app, '.next/BUILD_ID'), 'utf8');
  if (!existsSync(copy) || buildId(copy) !== buildId(built)) {
    const draft = `${copy}.new`;
    for (const folder of [draft, copy]) rmSync(folder, { recursive: true, force: true });
    cpSync(built, draft, { recursive: true, verbatimSymlinks: true });
    renameSync(draft, copy);
  }
  return join(copy, app);
}

/** @returns Once the Runtime decides on its requests. */
export async function startHost(
  supervisor: Supervisor,
  { hostUrl, runtimeUrl }: Addresses,
  demo: { projectId: string; projectSecret: string },
): Promise<Service> {
  const { port } = new URL(hostUrl);
  const service = await supervisor.spawn({
    name: 'Example API',
    command: process.execPath,
    args: [join(root, 'examples/express-api/src/server.mjs')],
    env: {
      ...process.env,
      HOST_PORT: port,
      CEIBA_RUNTIME_URL: runtimeUrl,
      CEIBA_PROJECT_ID: demo.projectId,
      CEIBA_PROJECT_SECRET: demo.projectSecret,
    },
    stage: programStage,
  });
  // A request without a key charges nothing, and shows that host, Runtime and database work together.
  await waitUntilServing(service, async () => (await statusOf(`${hostUrl}/v1/reports`)) === 401);
  return service;
}

async function waitUntilServing(
  service: Service,
  isServing: () => Promise<boolean>,
  timeoutMs: number = startTimeoutMs,
) {
  // Not asked again after the wait: a busy machine may answer in time once, and not the next time.
  let isUp = false;
  const settled = async () => {
    isUp = await isServing();
    return isUp || !service.isRunning();
  };
  await waitFor(settled, { timeoutMs });
  if (isUp && service.isRunning()) return;
  const problem = service.isRunning()
    ? `was not ready within ${timeoutMs / 1000} s`
    : await service.exited;
  throw new LauncherError(`${service.name} ${problem}.`, { output: service.tail() });
}

async function isOk(url: string): Promise<boolean> {
  return (await statusOf(url)) === 200;
}

/** @returns Undefined when there is no answer. */
async function statusOf(url: string): Promise<number | undefined> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(5000) });
    await answer.body?.cancel();
    return answer.status;
  } catch {
    return undefined;
  }
}
