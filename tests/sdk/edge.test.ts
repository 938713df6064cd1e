import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { accepts, freePort } from '@ceiba/devstack/ports';
import { waitFor } from '@ceiba/devstack/wait';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fetchPackage } from '../support/fetched-package.ts';
import { type OtlpReceiver, startOtlpReceiver } from '../support/otlp-receiver.ts';
import { until } from '../support/until.ts';
import { nextCli } from './support/build-next.ts';
import { type RealRuntime, startRealRuntime } from './support/real-runtime.ts';

/*
 * The package where there is no Node: one host in the form of a Cloudflare Worker, on each platform.
 * The platforms' own programs are fetched when these tests run; they are too large for every
 * installation.
 */

const fixture = fileURLToPath(new URL('./fixtures/edge', import.meta.url));
const run = promisify(execFile);
const isLinux = process.platform === 'linux' && process.arch === 'x64';

/** A host that answers until it is stopped. */
interface EdgeHost {
  send(path: string, init?: RequestInit): Promise<Response>;
  stop(): Promise<void>;
}
interface RunningHost extends EdgeHost {
  /** Of a caller that is allowed. */
  readonly headers: Record<string, string>;
}
type Settings = Record<string, string>;

/** Bundles the host as wrangler does: for a platform without Node, whose modules it must not import. */
async function bundleForWorkerd(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(fixture, 'worker.js')],
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    conditions: ['workerd', 'worker', 'browser'],
    write: false,
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
}

async function startWorkerd(settings: Settings): Promise<EdgeHost | null> {
  const modules = await fetchPackage('miniflare', '4.20260730.0');
  if (modules === null) return null;
  const main = createRequire(join(modules, 'x.js')).resolve('miniflare');
  const { Miniflare } = await import(/* @vite-ignore */ pathToFileURL(main).href);
  const script = await bundleForWorkerd();
  const worker = new Miniflare({
    modules: true,
    script,
    bindings: settings,
    compatibilityDate: '2026-01-01',
  });
  await worker.ready;
  return {
    send: (path, init) => worker.dispatchFetch(`http://host${path}`, init),
    stop: () => worker.dispose(),
  };
}

/** Starts a program that listens on `PORT` on the loopback interface. */
async function startProgram(
  command: string,
  args: (port: number) => string[],
  settings: Settings,
): Promise<EdgeHost> {
  const port = await freePort();
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...settings, PORT: `${port}` };
  const child: ChildProcess = spawn(command, args(port), {
    cwd: fixture,
    env: { ...env, NODE_ENV: 'production' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await waitFor(async () => child.exitCode !== null || (await accepts(port)), {
    timeoutMs: 30_000,
  });
  return {
    send: (path, init) => fetch(`http://127.0.0.1:${port}${path}`, init),
    async stop() {
      const exited = once(child, 'exit');
      child.kill();
      await exited;
    },
  };
}

async function startBun(settings: Settings): Promise<EdgeHost | null> {
  const modules = await fetchPackage('@oven/bun-linux-x64', '1.4.5');
  if (modules === null) return null;
  return startProgram(join(modules, '@oven/bun-linux-x64/bin/bun'), () => ['bun.js'], settings);
}

async function startDeno(settings: Settings): Promise<EdgeHost | null> {
  const modules = await fetchPackage('@deno/linux-x64-glibc', '2.9.6');
  if (modules === null) return null;
  const program = join(modules, '@deno/linux-x64-glibc/deno');
  const flags = ['run', '--allow-net', '--allow-env', '--allow-read', '--node-modules-dir=manual'];
  return startProgram(program, () => [...flags, 'deno.js'], settings);
}

let built: Promise<unknown> | undefined;

async function startNext(settings: Settings): Promise<EdgeHost> {
  built ??= run(process.execPath, [nextCli, 'build'], {
    cwd: fixture,
    env: { ...process.env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' },
  });
  await built;
  const args = (port: number) => [nextCli, 'start', '--hostname', '127.0.0.1', '-p', `${port}`];
  return startProgram(process.execPath, args, settings);
}

/** Each platform: how it starts, the path of its host, and whether its program is fetched. */
const PLATFORMS = [
  ['workerd', startWorkerd, '/v1/reports', true],
  ['Bun', startBun, '/v1/reports', true],
  ['Deno', startDeno, '/v1/reports', true],
  ["Next's edge middleware", startNext, '/v1/reports', false],
  ["a route of Next's edge runtime", startNext, '/v1/edge', false],
] as const;

let runtime: RealRuntime;
let receiver: OtlpReceiver;
/** The hosts that run, by their platform. */
const hosts = new Map<string, RunningHost>();

beforeAll(async () => {
  receiver = await startOtlpReceiver();
  runtime = await startRealRuntime(undefined, {
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${receiver.url}/v1/traces`,
    OTEL_TRACES_SAMPLER: 'parentbased_always_off',
    OTEL_BSP_SCHEDULE_DELAY: '50',
  });
});
afterAll(async () => {
  await Promise.all([...hosts.values()].map(({ stop }) => stop()));
  await runtime.close();
  await receiver.close();
});

/** A test of a host; skipped where its platform cannot be fetched. */
const testOn = (name: string) => (title: string, body: (running: RunningHost) => Promise<void>) =>
  it(title, ({ skip }) => {
    const host = hosts.get(name);
    return host === undefined ? skip(`${name} cannot be fetched: no npm registry`) : body(host);
  });

describe.each(PLATFORMS)('a host on %s', (name, start, path, isFetched) => {
  const test = testOn(name);

  beforeAll(async () => {
    if (isFetched && !isLinux) return;
    const policies = [{ method: 'GET', pathPattern: path }];
    const project = await runtime.world.createProject({ policies });
    const { plaintext } = await project.createKey({ displayName: 'Reader' });
    const host = await start({
      CEIBA_RUNTIME_URL: runtime.url,
      CEIBA_PROJECT_ID: project.projectId,
      CEIBA_PROJECT_SECRET: project.secret,
    });
    if (host !== null) hosts.set(name, { ...host, headers: { 'x-api-key': plaintext } });
  }, 180_000);

  test('serves an allowed request, and denies one without a key', async ({ send, headers }) => {
    const allowed = await send(path, { headers });
    expect([allowed.status, await allowed.json()]).toEqual([200, { caller: 'Reader' }]);
    expect(allowed.headers.get('ratelimit')).toContain('"minute";r=');
    const denied = await send(path);
    expect([denied.status, await denied.json()]).toMatchObject([
      401,
      { error: 'service_unauthorized' },
    ]);
  });

  test('passes on the trace of a request', async ({ send, headers }) => {
    const [traceId, spanId] = [randomBytes(16).toString('hex'), 'b'.repeat(16)];
    const traced = { ...headers, traceparent: `00-${traceId}-${spanId}-01` };
    expect((await send(path, { headers: traced })).status).toBe(200);
    const find = () =>
      receiver.spans.find((span) => span.kind === 'server' && span.traceId === traceId);
    await until('the span is received', () => find() !== undefined, 20_000);
    const { name: spanName, parentSpanId } = find()!;
    expect(spanName).toBe('POST /rt/projects/{projectId}/authorize');
    // A platform that traces by itself may put a span of its own between the two.
    expect(parentSpanId).toMatch(/^[0-9a-f]{16}$/);
  });

  test('answers each of 60 simultaneous requests', async ({ send, headers }) => {
    const statuses = await Promise.all(
      Array.from({ length: 60 }, async (_, index) => {
        const reply = await send(path, index % 2 === 0 ? { headers } : {});
        await reply.arrayBuffer();
        return reply.status;
      }),
    );
    expect(statuses).toEqual(statuses.map((_, index) => (index % 2 === 0 ? 200 : 401)));
  });
});

describe('the bundle for an edge runtime', () => {
  it('has no module of Node', async () => {
    const code = await bundleForWorkerd();
    expect(code.includes('CeibaRuntimeClient')).toBe(true);
    expect(/["']node:/.test(code)).toBe(false);
  });
});

// Last: no test after these has a Runtime.
describe('when the Runtime is gone', () => {
  beforeAll(() => runtime.close());

  for (const [name, , path] of PLATFORMS) {
    testOn(name)(`a host on ${name} answers 503`, async ({ send, headers }) => {
      const failed = await send(path, { headers });
      expect([failed.status, await failed.json()]).toMatchObject([
        503,
        { error: 'service_unavailable' },
      ]);
    });
  }
});
