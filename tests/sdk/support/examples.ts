import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { accepts, freePort } from '@ceiba/devstack/ports';
import { createSupervisor, logFileOf } from '@ceiba/devstack/supervisor';
import { waitFor } from '@ceiba/devstack/wait';
import { nextCli, nextExample } from './build-next.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const START_TIMEOUT_MS = 30_000;

/** The arguments that start each example on a port, by folder. */
const PROGRAMS = {
  'express-api': () => [join(root, 'examples/express-api/src/server.mjs')],
  'fastify-api': () => [join(root, 'examples/fastify-api/src/server.mjs')],
  'next-api': (port: number) => [
    nextCli,
    'start',
    nextExample,
    '--hostname',
    '127.0.0.1',
    '--port',
    `${port}`,
  ],
} as const;

export type ExampleName = keyof typeof PROGRAMS;
export const EXAMPLES = ['express-api', 'fastify-api', 'next-api'] as const;

/** An example in its own process. */
export interface Example {
  readonly url: string;
  readonly port: number;
  /** Everything that it has written so far. */
  log(): string;
  /** How it exited, such as `exited with code 0`. */
  readonly exited: Promise<string>;
  /** Sends SIGTERM, and waits for the exit. */
  stop(): Promise<string>;
}

/** The settings with which an example finds its Runtime. */
export interface ExampleSettings {
  readonly runtimeUrl?: string | undefined;
  readonly projectId?: string | undefined;
  readonly projectSecret?: string | undefined;
}

/** Starts an example and returns once it accepts connections, or has exited. */
export async function startExample(
  name: ExampleName,
  { runtimeUrl, projectId, projectSecret }: ExampleSettings,
): Promise<Example> {
  const dataDir = mkdtempSync(join(tmpdir(), 'ceiba-example-'));
  const supervisor = await createSupervisor({ dataDir, removeOnEnd: [dataDir] });
  const port = await freePort();
  const service = await supervisor.spawn({
    name,
    stage: 1,
    command: process.execPath,
    args: [...PROGRAMS[name](port)],
    cwd: root,
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      NEXT_TELEMETRY_DISABLED: '1',
      HOST_PORT: `${port}`,
      CEIBA_RUNTIME_URL: runtimeUrl,
      CEIBA_PROJECT_ID: projectId,
      CEIBA_PROJECT_SECRET: projectSecret,
    },
  });
  await waitFor(async () => !service.isRunning() || (await accepts(port)), {
    timeoutMs: START_TIMEOUT_MS,
  });
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    log: () => readFileSync(logFileOf(dataDir, name), 'utf8'),
    exited: service.exited,
    async stop() {
      await service.stop();
      await supervisor.stop();
      rmSync(dataDir, { recursive: true, force: true });
      return service.exited;
    },
  };
}
