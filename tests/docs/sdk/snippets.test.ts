import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { signingSecretText, webhookHeaders } from '@ceiba/alerts/sign';
import { accepts, freePort } from '@ceiba/devstack/ports';
import { waitFor } from '@ceiba/devstack/wait';
import express from 'express';
import methodOverride from 'method-override';
import { createRequestHandler, type ServerBuild } from 'react-router';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type RealRuntime, startRealRuntime } from '../../sdk/support/real-runtime.ts';
import type { TestProject } from '../../support/scenario.ts';

/*
 * Runs the snippets of the documentation unchanged against a real Runtime. A snippet is a block of
 * JavaScript or TypeScript whose first line names its file; the last test fails if a snippet was not run.
 */

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../..', import.meta.url));
const PAGES = {
  readme: 'packages/sdk/README.md',
  production: 'docs/learn/sdk-in-production.md',
  hosts: 'docs/learn/hosts.md',
  testing: 'docs/learn/testing-a-host.md',
  express: 'docs/learn/frameworks/express.md',
  fastify: 'docs/learn/frameworks/fastify.md',
  hono: 'docs/learn/frameworks/hono.md',
  next: 'docs/learn/frameworks/next.md',
  fetch: 'docs/learn/frameworks/fetch.md',
  node: 'docs/learn/frameworks/node-http.md',
  koa: 'docs/learn/frameworks/koa.md',
  nest: 'docs/learn/frameworks/nest.md',
  trpc: 'docs/learn/frameworks/trpc.md',
  reactRouter: 'docs/learn/frameworks/react-router.md',
} as const;
type Page = keyof typeof PAGES;

const folder = mkdtempSync(join(tmpdir(), 'ceiba-guides-'));
const executed = new Set<string>();
let runtime: RealRuntime;
let project: TestProject;
let apiKey: string;

function snippetsOf(page: Page): { name: string; code: string }[] {
  const text = readFileSync(join(root, PAGES[page]), 'utf8');
  return [...text.matchAll(/^```(?:js|ts)\n(?:\/\/ (\S+)\n)?(.*?)^```$/gms)].map(
    ([, name = '(unnamed)', code = '']) => ({ name, code }),
  );
}

beforeAll(async () => {
  const client = snippetsOf('readme').filter(({ name }) => name === 'ceiba.mjs');
  for (const page of Object.keys(PAGES) as Page[]) {
    mkdirSync(join(folder, page));
    symlinkSync(join(root, 'node_modules'), join(folder, page, 'node_modules'), 'junction');
    // The pages name the client of the README.
    for (const { name, code } of [...client, ...snippetsOf(page)]) {
      writeFileSync(join(folder, page, name), code);
    }
  }
  runtime = await startRealRuntime();
  project = await runtime.world.createProject();
  apiKey = (await project.createKey({ displayName: 'Reader' })).plaintext;
  Object.assign(process.env, environment());
});
afterAll(async () => {
  for (const name of Object.keys(environment())) delete process.env[name];
  rmSync(folder, { recursive: true, force: true });
  await runtime.close();
});

function environment(): Record<string, string> {
  return {
    CEIBA_RUNTIME_URL: runtime.url,
    CEIBA_PROJECT_ID: project.projectId,
    CEIBA_PROJECT_SECRET: project.secret,
    API_KEY: apiKey,
  };
}

/** Marks a snippet as executed and returns its path. */
function snippet(page: Page, name: string): string {
  executed.add(`${page}/${name}`);
  return join(folder, page, name);
}

interface Server {
  readonly url: string;
  readonly port: number;
  stdout(): string;
  stop(): Promise<void>;
}

/** Runs a snippet that listens on `PORT`. */
async function serve(page: Page, name: string, env: Record<string, string> = {}): Promise<Server> {
  const port = await freePort();
  const child: ChildProcess = spawn(process.execPath, [snippet(page, name)], {
    env: { PATH: process.env.PATH, ...environment(), ...env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let stdout = '';
  child.stdout?.on('data', (chunk) => {
    stdout += chunk;
  });
  await waitFor(async () => child.exitCode !== null || (await accepts(port)), {
    timeoutMs: 15_000,
  });
  if (child.exitCode !== null) throw new Error(`${name} ended with exit code ${child.exitCode}`);
  return {
    // By its address: of a name's two addresses Node gives each 250 ms, which a busy machine exceeds.
    url: `http://127.0.0.1:${port}`,
    port,
    stdout: () => stdout,
    async stop() {
      const exited = once(child, 'exit');
      child.kill();
      await exited;
    },
  };
}

const withKey = (key = apiKey) => ({ headers: { authorization: `Bearer ${key}` } });

async function expectGuarded(
  send: (path: string, init?: RequestInit) => Promise<Response>,
): Promise<void> {
  const allowed = await send('/v1/reports', withKey());
  expect(await allowed.json()).toEqual({ caller: 'Reader' });
  expect(allowed.headers.get('ratelimit')).toContain('"minute";r=');
  expect((await send('/v1/reports')).status).toBe(401);
}

const FIRST = [
  ['readme', 'express.mjs'],
  ['fastify', 'fastify.mjs'],
  ['hono', 'hono.mjs'],
  ['fetch', 'fetch.mjs'],
] as const;

describe('the README of the SDK and the pages of the frameworks', () => {
  it.each(FIRST)('guard a route, in %s/%s', async (page, name) => {
    // typescript.test.ts compiles it.
    executed.add('readme/caller.mts');
    const server = await serve(page, name);
    await expectGuarded((path, init) => fetch(`${server.url}${path}`, init));
    await server.stop();
  });

  it('guard a Next.js route handler', async () => {
    const route = await import(/* @vite-ignore */ pathToFileURL(snippet('next', 'route.mjs')).href);
    await expectGuarded((path, init) => route.GET(new Request(`http://localhost${path}`, init)));
    const other = new Request('http://localhost/v1/billing', withKey());
    expect((await route.GET(other)).status).toBe(403);
  });

  it('creates, expires, lists, revokes and archives a key', async () => {
    const { stdout } = await run(process.execPath, [snippet('readme', 'keys.mjs')]);
    expect(stdout).toMatch(/never shown again: ceiba_\w+\n2\n409 \{\s+error: 'conflict',/);
  });

  it('creates, finds, suspends and resumes a customer with a key', async () => {
    const { stdout } = await run(process.execPath, [snippet('readme', 'customers.mjs')]);
    expect(stdout).toMatch(/^acme has used 0 of 50000 by \d{4}-\S+\n\[ 'acme' \]\n$/);
  });

  it('creates a key once, rotates it and finds it by its metadata', async () => {
    const { stdout } = await run(process.execPath, [snippet('readme', 'rotate.mjs')]);
    expect(stdout).toMatch(/^\d{4}-\S+Z\nOrder\n$/);
  });

  it('accepts an alert that is signed, and no other', async () => {
    const secret = Buffer.from('the secret of a receiver');
    const env = { CEIBA_WEBHOOK_SECRET: signingSecretText(secret) };
    const server = await serve('readme', 'alerts.mjs', env);
    const data = { project: { name: 'Reports' } };
    const body = JSON.stringify({ type: 'alert.test', timestamp: new Date().toISOString(), data });
    const headers = webhookHeaders({ id: 'msg_1', at: new Date(), body }, [secret]);
    const send = async (text: string) =>
      (await fetch(server.url, { method: 'POST', headers, body: text })).status;
    expect([await send(body), await send(`${body} `)]).toEqual([204, 400]);
    await expect.poll(() => server.stdout()).toContain('msg_1 alert.test');
    await server.stop();
  });

  it('charges what a request costs', async () => {
    const server = await serve('readme', 'cost.mjs');
    const left = async (query: string) => {
      const reply = await fetch(`${server.url}/v1/reports${query}`, withKey());
      return (await reply.json()).left;
    };
    const before = await left('');
    expect(await left('?format=pdf')).toBe(before - 25);
    expect(await left('?cost=0')).toBe(before - 26);
    await server.stop();
  });

  it('tests a host with the fake client', async () => {
    await run(process.execPath, ['--test', snippet('readme', 'fake.test.mjs')]);
  });

  it('has the tables of the contract', async () => {
    const { DENIAL_REASONS, HOST_ERROR_FOR_DENIAL, HTTP_STATUS_FOR_DENIAL } = await import(
      '@ceiba/contract/sets'
    );
    const text = readFileSync(join(root, PAGES.readme), 'utf8');
    for (const reason of DENIAL_REASONS) {
      const row = text
        .split('\n')
        .find((line) => line.startsWith('|') && line.includes(`\`${reason}\``));
      expect(row).toContain(
        `| ${HTTP_STATUS_FOR_DENIAL[reason]} | \`${HOST_ERROR_FOR_DENIAL[reason]}\``,
      );
    }
  });
});

describe('the SDK in production', () => {
  it('logs each verdict, and an outage of the Runtime', async () => {
    const server = await serve('production', 'observe.mjs');
    expect((await fetch(`${server.url}/v1/reports?x=1`, withKey())).status).toBe(200);
    expect((await fetch(`${server.url}/v1/reports`)).status).toBe(401);
    await waitFor(async () => server.stdout().split('\n').length === 3, { timeoutMs: 5_000 });
    expect(server.stdout()).toMatch(
      /^\{"outcome":"allowed","method":"GET","path":"\/v1\/reports",/,
    );
    expect(server.stdout()).toContain('"outcome":"denied"');
    await server.stop();

    const down = await serve('production', 'observe.mjs', {
      CEIBA_RUNTIME_URL: 'http://127.0.0.1:1',
    });
    expect((await fetch(`${down.url}/v1/reports`, withKey())).status).toBe(503);
    expect((await fetch(`${down.url}/health`)).status).toBe(200);
    await waitFor(async () => down.stdout() !== '', { timeoutMs: 5_000 });
    expect(JSON.parse(down.stdout())).toMatchObject({ outcome: 'failed', failure: 'unreachable' });
    await down.stop();
  });

  it('sends problem details', async () => {
    const server = await serve('production', 'problem.mjs');
    const reply = await fetch(`${server.url}/v1/reports`);
    expect(reply.status).toBe(401);
    expect(reply.headers.get('content-type')).toBe('application/problem+json');
    expect(await reply.json()).toMatchObject({
      status: 401,
      title: 'A valid API key is required.',
    });
    await server.stop();
  });

  it('asks directly, with a signal', async () => {
    const { stdout } = await run(process.execPath, [snippet('production', 'deadline.mjs')]);
    expect(stdout).toBe('true\n');
  });

  it('uses a custom fetch', async () => {
    const { stdout } = await run(process.execPath, [snippet('production', 'own-fetch.mjs')]);
    expect(Number(stdout)).toBeGreaterThan(0);
  });
});

const PREFLIGHT = {
  method: 'OPTIONS',
  headers: {
    origin: 'https://app.example.com',
    'access-control-request-method': 'GET',
    'access-control-request-headers': 'authorization',
  },
};

/** Checks that a browser gets an answer to the preflight, and replies that its page may read. */
async function expectCors(send: (init?: RequestInit) => Promise<Response>): Promise<void> {
  const preflight = await send(PREFLIGHT);
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get('access-control-allow-origin')).toBe('https://app.example.com');
  expect(preflight.headers.get('access-control-allow-headers')).toMatch(/authorization/i);
  const origin = { origin: 'https://app.example.com' };
  for (const [headers, status] of [
    [{ ...origin, authorization: `Bearer ${apiKey}` }, 200],
    [origin, 401],
  ] as const) {
    const reply = await send({ headers });
    expect(reply.status).toBe(status);
    expect(reply.headers.get('access-control-allow-origin')).toBe('https://app.example.com');
    expect(reply.headers.get('access-control-expose-headers')).toMatch(/RateLimit/);
  }
}

describe('the guide to hosts', () => {
  it.each(['express', 'fastify', 'hono'] as const)(
    'lets a browser page read replies and denials after a preflight, in %s',
    async (page) => {
      const server = await serve(page, `cors-${page}.mjs`);
      await expectCors((init) => fetch(`${server.url}/v1/reports`, init));
      await server.stop();
    },
  );

  it('lets a browser page read replies and denials after a preflight in a Next.js route', async () => {
    const url = pathToFileURL(snippet('next', 'cors-route.mjs')).href;
    const route = await import(/* @vite-ignore */ url);
    await expectCors((init = {}) => {
      const request = new Request('http://localhost/v1/reports', init);
      return route[request.method](request);
    });
  });

  it('judges the whole path behind a mounted router, and the path that a proxy passes on', async () => {
    const server = await serve('express', 'server.mjs');
    expect((await fetch(`${server.url}/v1/reports/42`, withKey())).status).toBe(200);

    const proxy = createServer((req, res) => {
      const path = req.url?.replace(/^\/api/, '');
      const headers = {
        ...req.headers,
        'x-forwarded-prefix': '/api',
        'x-forwarded-uri': '/v1/billing',
      };
      const onward = request({ port: server.port, path, method: req.method, headers }, (reply) => {
        res.writeHead(reply.statusCode ?? 0, reply.headers);
        reply.pipe(res);
      });
      req.pipe(onward);
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const base = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/api`;
    expect((await fetch(`${base}/v1/reports/42`, withKey())).status).toBe(200);
    expect((await fetch(`${base}/v1/reports/42`)).status).toBe(401);
    proxy.closeAllConnections();
    proxy.close();
    await server.stop();
  });

  it('denies a method that was overridden before the guard', async () => {
    const { createExpressMiddleware } = await import('@ceiba/sdk/express');
    const { createFakeRuntimeClient } = await import('@ceiba/sdk/testing');
    const client = createFakeRuntimeClient({ verdicts: { good: 'allow' } });
    const handled: string[] = [];
    const app = express();
    app.use(methodOverride('X-HTTP-Method-Override'));
    app.use(createExpressMiddleware({ client, projectId: client.projectId }));
    app.all('/v1/reports', (req, res) => {
      handled.push(req.method);
      res.end();
    });
    const server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/reports`;
    const overridden = { 'x-api-key': 'good', 'x-http-method-override': 'DELETE' };
    expect((await fetch(url, { method: 'POST', headers: overridden })).status).toBe(403);
    expect(handled).toEqual([]);
    const plain = { 'x-api-key': 'good' };
    expect((await fetch(url, { method: 'POST', headers: plain })).status).toBe(200);
    expect(handled).toEqual(['POST']);
    server.close();
    server.closeAllConnections();
  });

  it('serves HEAD only under a policy for HEAD, in every framework', async () => {
    const policies = ['GET', 'HEAD'].map((method) => ({ method, pathPattern: '/v1/reports*' }));
    const both = await runtime.world.createProject({ policies });
    const { plaintext } = await both.createKey();
    const env = { CEIBA_PROJECT_ID: both.projectId, CEIBA_PROJECT_SECRET: both.secret };
    for (const [page, name] of FIRST.slice(0, 3)) {
      const getOnly = await serve(page, name);
      const refused = await fetch(`${getOnly.url}/v1/reports`, { method: 'HEAD', ...withKey() });
      await getOnly.stop();
      const withHead = await serve(page, name, env);
      const served = await fetch(`${withHead.url}/v1/reports`, {
        method: 'HEAD',
        ...withKey(plaintext),
      });
      await withHead.stop();
      expect([name, refused.status, served.status]).toEqual([name, 403, 200]);
    }
  });
});

/** Opens a WebSocket: the first message, or the status that refused it. */
function openSocket(url: string, headers: Record<string, string>): Promise<string | undefined> {
  const socket = new WebSocket(url, { headers });
  return new Promise((resolve, reject) => {
    socket.on('message', (data) => {
      socket.close();
      resolve(String(data));
    });
    socket.on('unexpected-response', (request, { statusCode }) => {
      request.destroy();
      resolve(String(statusCode));
    });
    socket.on('error', reject);
  });
}

describe('the guide to WebSockets', () => {
  it.each([
    ['hosts', 'websocket.mjs'],
    ['fastify', 'websocket-fastify.mjs'],
    ['hono', 'websocket-hono.mjs'],
  ] as const)(
    'opens a socket for a caller with a key and a policy only, in %s/%s',
    async (page, name) => {
      const policies = [{ method: 'GET', pathPattern: '/v1/live' }];
      const live = await runtime.world.createProject({ policies });
      const { plaintext } = await live.createKey({ displayName: 'Listener' });
      const server = await serve(page, name, {
        CEIBA_PROJECT_ID: live.projectId,
        CEIBA_PROJECT_SECRET: live.secret,
      });
      const url = `ws://127.0.0.1:${server.port}/v1/live`;
      const answers = [
        await openSocket(url, withKey(plaintext).headers),
        await openSocket(url, {}),
        await openSocket(`ws://127.0.0.1:${server.port}/v1/live/other`, withKey(plaintext).headers),
      ];
      await server.stop();
      // Fastify and Hono answer a path that they do not serve before any guard.
      const elsewhere = name === 'websocket.mjs' ? '403' : '404';
      expect(answers).toEqual(['Listener', '401', elsewhere]);
    },
  );
});

/** Answers with the status and the body as JSON. */
async function ask(url: string, init?: RequestInit): Promise<unknown> {
  const reply = await fetch(url, init);
  return [reply.status, await reply.json()];
}

async function expectOpenAndDenied(server: Server): Promise<void> {
  expect((await fetch(`${server.url}/health`)).status).toBe(200);
  expect((await fetch(`${server.url}/v1/billing`, withKey())).status).toBe(403);
}

describe('the guides to node:http and Koa', () => {
  it.each(['node', 'koa'] as const)('protect a route, in %s', async (page) => {
    executed.add('koa/ceiba-koa.mjs');
    const server = await serve(page, 'server.mjs');
    await expectGuarded((path, init) => fetch(`${server.url}${path}`, init));
    await expectOpenAndDenied(server);
    await server.stop();
  });
});

describe('the guide to Nest', () => {
  it('compiles, and protects a controller', async () => {
    const project = join(folder, 'nest');
    writeFileSync(join(project, 'package.json'), '{"type":"module"}');
    const compilerOptions = {
      ...{ target: 'es2022', module: 'nodenext', types: ['node'], strict: true },
      ...{ experimentalDecorators: true, emitDecoratorMetadata: true, skipLibCheck: true },
    };
    const files = ['ceiba.guard.ts', 'main.ts'].map((name) => snippet('nest', name));
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
    await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', project]);
    const server = await serve('nest', 'main.js');
    executed.delete('nest/main.js');
    await expectGuarded((path, init) => fetch(`${server.url}${path}`, init));
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
    expect(await ask(`${server.url}/v1/reports/42`, withKey())).toEqual([200, { id: '42' }]);
    const refused = await fetch(`${server.url}/v1/reports/42`);
    expect(refused.headers.get('www-authenticate')).toBe('Bearer');
    expect(await refused.json()).toMatchObject({ error: 'service_unauthorized' });
    await server.stop();
  });
});

describe('the guide to tRPC', () => {
  it('judges and charges each procedure of a batch by itself', async () => {
    executed.add('trpc/trpc.mjs');
    const trpc = await runtime.world.createProject({
      plan: { rateLimitPerMinute: 4 },
      policies: [
        { method: 'GET', pathPattern: '/trpc/reports.list' },
        { method: 'POST', pathPattern: '/trpc/reports.create' },
      ],
    });
    const { plaintext } = await trpc.createKey({ displayName: 'Batcher' });
    const server = await serve('trpc', 'server.mjs', {
      CEIBA_PROJECT_ID: trpc.projectId,
      CEIBA_PROJECT_SECRET: trpc.secret,
    });
    const url = `${server.url}/trpc`;
    const listed = { result: { data: { caller: 'Batcher' } } };
    const failed = (code: string) => ({ error: { data: { code } } });

    expect(await ask(`${url}/health`)).toEqual([200, { result: { data: 'ok' } }]);
    expect(await ask(`${url}/reports.list`)).toMatchObject([401, failed('UNAUTHORIZED')]);
    const headers = { ...withKey(plaintext).headers, 'content-type': 'application/json' };
    const created = await ask(`${url}/reports.create`, { method: 'POST', headers });
    expect(created).toEqual([200, { result: { data: { id: '3' } } }]);
    expect(
      await ask(`${url}/reports.list,billing.list?batch=1&input={}`, withKey(plaintext)),
    ).toMatchObject([207, [listed, failed('FORBIDDEN')]]);
    // Two of the four calls of this minute are left.
    const repeated = await fetch(
      `${url}/reports.list,reports.list,reports.list?batch=1&input={}`,
      withKey(plaintext),
    );
    const answers: { error?: { data: { code: string } } }[] = await repeated.json();
    expect(answers.map(({ error }) => error?.data.code ?? 'OK').sort()).toEqual([
      'OK',
      'OK',
      'TOO_MANY_REQUESTS',
    ]);
    await server.stop();
  });
});

describe('the guide to React Router', () => {
  it('protects a resource route, and its data requests', async () => {
    executed.add('reactRouter/ceiba-middleware.mjs');
    const file = snippet('reactRouter', 'v1.reports.mjs');
    const module = await import(/* @vite-ignore */ pathToFileURL(file).href);
    const handle = createRequestHandler(buildOf('v1/reports', module), 'production');
    const send = (path: string, init?: RequestInit) =>
      handle(new Request(`http://localhost${path}`, init));
    await expectGuarded(send);
    expect((await send('/v1/reports.data')).status).toBe(401);
    expect((await send('/V1/reports', withKey())).status).toBe(403);
  });
});

/** What the build of React Router writes for an app with one resource route. */
function buildOf(path: string, module: object): ServerBuild {
  const id = 'routes/resource';
  const asset = {
    id,
    path,
    module: '',
    hasLoader: true,
    hasAction: false,
    hasErrorBoundary: false,
  };
  return {
    entry: { module: { default: () => new Response(null) } },
    routes: { [id]: { id, path, module } },
    assets: { entry: { imports: [], module: '' }, routes: { [id]: asset }, url: '', version: '1' },
    future: { v8_middleware: true },
    basename: '/',
    ssr: true,
    isSpaMode: false,
    prerender: [],
    routeDiscovery: { mode: 'initial' },
  };
}

describe('the guide to testing a host', () => {
  it.each(['app.test.mjs', 'decisions.test.mjs'])('passes its own %s', async (name) => {
    executed.add('testing/app.mjs');
    await run(process.execPath, ['--test', snippet('testing', name)]);
  });
});

describe('the documentation', () => {
  it('has no snippet that these tests do not run', () => {
    const all = (Object.keys(PAGES) as Page[]).flatMap((page) =>
      snippetsOf(page).map(({ name }) => `${page}/${name}`),
    );
    // Each of the others imports the client.
    const others = all.filter((name) => !name.endsWith('/ceiba.mjs'));
    expect(others.filter((name) => !executed.has(name))).toEqual([]);
  });
});
