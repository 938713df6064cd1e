import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { AuthorizeClient, Decision } from '@ceiba/sdk';
import type { UpgradeHandler } from '@ceiba/sdk/node';
import express from 'express';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { loadBrokenSdk } from './support/break-sdk.ts';
import { loadSdk, type Sdk } from './support/sdk.ts';

/* No middleware sees an upgrade, so it has a guard of its own. Here in front of a real WebSocket server. */

const sdk = await loadSdk();

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** Greets each caller by the name of its key. */
function greeting(sockets: WebSocketServer): UpgradeHandler {
  return (req, socket, head, ceiba) => {
    sockets.handleUpgrade(req, socket, head, (ws) => ws.send(ceiba.apiKey.displayName));
  };
}

async function start(
  from: Sdk,
  client: AuthorizeClient,
  handler: UpgradeHandler = greeting(new WebSocketServer({ noServer: true })),
) {
  const options = { client, projectId: client.projectId };
  const app = express();
  app.use(from.express.createExpressMiddleware(options));
  app.get('/v1/live', (_req, res) => res.send('over HTTP'));
  const server = createServer(app);
  servers.push(server);
  const listener = from.node.createUpgradeGuard(options)(handler);
  server.on('upgrade', listener).on('connect', listener);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

const fake = () =>
  sdk.testing.createFakeRuntimeClient({
    verdicts: {
      good: 'allow',
      busy: 'rate_limited',
      elsewhere: 'policy_no_match',
      down: 'unavailable',
    },
  });

/** Resolves with the greeting, or with the status that refused the upgrade and its body. */
async function open(port: number, key?: string) {
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/live`, { headers });
  return new Promise<unknown>((resolve, reject) => {
    socket.on('message', (data) => {
      socket.close();
      resolve(String(data));
    });
    socket.on('unexpected-response', async (_request, answer) => {
      let body = '';
      for await (const chunk of answer) body += chunk;
      const { connection, ...fields } = answer.headers;
      resolve({ status: answer.statusCode, connection, fields, body: JSON.parse(body) });
    });
    socket.on('error', reject);
  });
}

const upgrade = (method = 'GET', target = '/v1/live') =>
  `${method} ${target} HTTP/1.1\r\nHost: a\r\nX-Api-Key: good\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';

describe('a WebSocket', () => {
  it('opens with a key that is allowed, and knows whose key it is', async () => {
    const client = fake();
    expect(await open(await start(sdk, client), 'good')).toBe('Fake key');
    expect(client.questions).toEqual([{ apiKey: 'good', method: 'GET', path: '/v1/live' }]);
  });

  it.each([
    ['no key', undefined, 401, 'service_unauthorized', { 'www-authenticate': 'Bearer' }],
    ['an unknown key', 'unknown', 401, 'service_unauthorized', {}],
    ['a key without a policy', 'elsewhere', 403, 'service_forbidden', {}],
    ['a key over its limit', 'busy', 429, 'service_rate_limited', { 'retry-after': '30' }],
    ['a Runtime that is down', 'down', 503, 'service_unavailable', {}],
  ])('does not open with %s, and the refusal is that of a request', async (...row) => {
    const [, key, status, error, headers] = row;
    const refusal = await open(await start(sdk, fake()), key);
    expect(refusal).toMatchObject({ status, connection: 'close', body: { error } });
    const fields = {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
    };
    expect(refusal).toMatchObject({ fields: { ...fields, ...headers } });
  });

  it('opens without a key if the check of the verdict is broken, so these tests can fail', async () => {
    const broken = await loadBrokenSdk({
      file: 'node.js',
      from: 'if (!verdict.allowed) {',
      to: 'if (false) {',
    });
    const handler: UpgradeHandler = (_req, socket) => {
      socket.end('HTTP/1.1 402 Opened\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}');
    };
    expect(await open(await start(broken, fake(), handler))).toMatchObject({ status: 402 });
  });

  it('is asked about once where the upgrade passes the guard of the app as well', async () => {
    const client = fake();
    const port = await start(sdk, client, (req, socket) => {
      const guard = sdk.node.createNodeGuard({ client, projectId: client.projectId });
      guard(req).then(({ allowed }) => {
        socket.end(`HTTP/1.1 402 Done\r\nConnection: close\r\nContent-Length: 4\r\n\r\n${allowed}`);
      });
    });
    expect(await open(port, 'good')).toMatchObject({ body: true });
    expect(client.questions).toHaveLength(1);
  });
});

/** A client whose answers wait for the test. */
function slow() {
  let answer: (decision: Decision) => void = () => undefined;
  let asked: () => void = () => undefined;
  const questionArrived = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const client: AuthorizeClient = {
    projectId: sdk.testing.FAKE_PROJECT_ID,
    authorize: () => {
      asked();
      return new Promise((resolve) => {
        answer = resolve;
      });
    },
  };
  return { client, questionArrived, allow: () => answer(sdk.testing.allowDecision()) };
}

async function send(port: number, text: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(text);
  return socket;
}

describe('the guard of upgrades', () => {
  it('passes nothing on for a caller that hung up while it asked, and the host lives on', async () => {
    const { client, questionArrived, allow } = slow();
    const closed = deferred();
    const handler = vi.fn();
    const port = await start(sdk, client, handler);
    servers[0]?.prependListener('upgrade', (_req, socket) => socket.on('close', closed.resolve));
    const socket = await send(port, upgrade());
    await questionArrived;
    socket.resetAndDestroy();
    await closed.promise;
    allow();
    await new Promise(setImmediate);
    expect(handler).not.toHaveBeenCalled();
  });

  it('outlives a caller that hangs up while the handler waits', async () => {
    const started = deferred();
    const closed = deferred();
    const port = await start(sdk, fake(), async (_req, socket) => {
      socket.on('close', closed.resolve);
      started.resolve();
      await closed.promise;
    });
    const socket = await send(port, upgrade());
    await started.promise;
    // Without a listener, this error is that of the process, which the test runner reports.
    socket.resetAndDestroy();
    await closed.promise;
    expect(await open(port, undefined)).toMatchObject({ status: 401 });
  });

  it('closes the socket of a handler that throws, and warns', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const port = await start(sdk, fake(), () => {
      throw new Error('the handler broke');
    });
    const socket = await send(port, upgrade());
    await once(socket, 'close');
    expect(warned).toHaveBeenCalledWith('the handler of an upgrade failed', expect.anything());
    warned.mockRestore();
  });

  it('guards CONNECT, which no policy of paths allows by accident', async () => {
    const client = fake();
    const port = await start(sdk, client);
    const socket = await send(port, 'CONNECT internal:80 HTTP/1.1\r\nHost: internal:80\r\n\r\n');
    let text = '';
    for await (const chunk of socket) text += chunk;
    expect(text).toMatch(/^HTTP\/1\.1 401 /);
    expect(client.questions).toEqual([{ apiKey: null, method: 'CONNECT', path: 'internal:80' }]);
  });
});

function deferred() {
  let resolve: (value?: unknown) => void = () => undefined;
  const promise = new Promise((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
