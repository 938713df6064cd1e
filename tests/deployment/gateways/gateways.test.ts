import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { type AddressInfo, connect } from 'node:net';
import {
  DENIAL_REASONS,
  HOST_ERROR_FOR_DENIAL,
  HTTP_STATUS_FOR_DENIAL,
} from '@ceiba/contract/sets';
import { compilePolicies } from '@ceiba/domain';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PATIENT, startWorld } from '../../integration/runtime/setup.ts';
import { sendRaw } from '../../sdk/support/hosts.ts';
import { PAIRS, probes } from '../../sdk/support/targets.ts';
import { callers } from '../../support/callers.ts';
import { type RunningRuntime, startRuntime } from '../../support/runtime.ts';
import type { TestApiKey, TestProject } from '../../support/scenario.ts';
import { GATEWAYS, type RunningGateway, startGateway, withExamples } from './gateways.ts';

const { world, databaseUrl, redisUrl } = await startWorld();

const AT_ONCE = 8;
const EVIL = '00000000-0000-4000-8000-000000000666';

/** Sends a request, and another one on the same connection once the first has a reply. */
async function sendBoth(port: number, first: readonly string[], second: readonly string[]) {
  const socket = connect(port, '127.0.0.1').resume();
  socket.on('error', () => undefined);
  socket.write(`${first.join('\r\n')}\r\n\r\n`);
  socket.once('data', () => socket.write(`${second.join('\r\n')}\r\n\r\n`));
  await new Promise((resolve) => socket.once('close', resolve));
}

/** The status over HTTP/2 in the clear; null where the gateway does not speak it. */
async function http2Status(port: number, path: string, apiKey: string): Promise<number | null> {
  const session = connectHttp2(`http://127.0.0.1:${port}`);
  session.on('error', () => undefined);
  const stream = session.request({ ':path': path, 'x-api-key': apiKey });
  try {
    const [headers] = await once(stream, 'response');
    return headers[':status'];
  } catch {
    return null;
  } finally {
    session.destroy();
  }
}

/** A Runtime that allows the first question, and then only receives them. */
async function startFaultyRuntime(fault: 'hangs' | 'drops the connection') {
  let questions = 0;
  const server = createServer((request, response) => {
    questions += 1;
    if (questions === 1) response.end();
    else if (fault !== 'hangs') request.socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    questions: () => questions,
    [Symbol.dispose]: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

describe.each(Object.entries(GATEWAYS))('%s', (name, { program, speaks }) => {
  let runtime: RunningRuntime;
  let project: TestProject;
  let apiKey: TestApiKey;
  let gateway: RunningGateway;
  let denied: Awaited<ReturnType<typeof callers>>;
  const started: RunningGateway[] = [];

  const start = async (of: TestProject, changes: Parameters<typeof startGateway>[2] = {}) => {
    const { projectId, secret } = of;
    const running = await startGateway(
      name,
      { runtimeUrl: runtime.url, projectId, secret },
      changes,
    );
    started.push(running);
    return running;
  };

  beforeAll(async () => {
    if (program === undefined) return;
    runtime = await startRuntime({ databaseUrl, redisUrl, settings: PATIENT });
    project = await world.createProject({
      policies: ['GET', 'POST'].map((method) => ({ method, pathPattern: '/v1/reports*' })),
    });
    apiKey = await project.createKey();
    denied = await callers(world, project);
    gateway = await start(project);
  });
  afterAll(async () => {
    await Promise.all(started.map((each) => each.stop()));
    await runtime?.stop();
  });

  /** Sends a request through a gateway as it is; returns its reply, and what reached the host. */
  async function send(
    line: string,
    headers: readonly string[] = [`x-api-key: ${apiKey.plaintext}`],
    through = gateway,
  ) {
    const before = through.seen().length;
    const reply = await sendRaw(through.port, `${line} HTTP/1.1`, headers);
    return { ...reply, seen: through.seen().slice(before) };
  }

  const ceibaHeadersOf = (headers: readonly (readonly [string, string])[]) =>
    Object.fromEntries(
      headers
        .map(([header, value]) => [header.toLowerCase().replaceAll('_', '-'), value] as const)
        .filter(([header]) => header.startsWith('x-ceiba')),
    );

  describe.skipIf(program === undefined)('in front of a host', () => {
    it('passes an allowed request on as it was sent, and says who called', async () => {
      const key = `Authorization: Bearer ${apiKey.plaintext}`;
      const reply = await send('GET /v1/reports/42?page=2&limits=403', [key]);
      expect(reply.status).toBe(200);
      expect(reply.body).toContain('hello');
      const [request] = reply.seen;
      expect(request?.line).toBe('GET /v1/reports/42?page=2&limits=403 HTTP/1.1');
      expect(ceibaHeadersOf(request?.headers ?? [])).toEqual({
        'x-ceiba-project-id': project.projectId,
        'x-ceiba-decision-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
        'x-ceiba-key-id': apiKey.apiKeyId,
        'x-ceiba-policy-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
        'x-ceiba-plan-id': project.plan.planId,
      });
      expect(reply.head).toMatch(/^ratelimit: "minute";r=\d+;t=\d+, "month";r=\d+;t=\d+\r?$/im);
      expect(reply.head).toMatch(/^ratelimit-policy: "minute";q=1000000;w=60/im);
      expect(reply.head.match(/^ratelimit/gim)).toHaveLength(2);
      expect(reply.head).not.toMatch(/^x-ceiba/im);
    });

    it('says which customer called, and nothing for a key without one', async () => {
      const customer = await project.createCustomer();
      const { plaintext } = await project.createKey({ customerId: customer.customerId });
      const claims = [`X-Ceiba-Customer-Id: ${EVIL}`, `X-Ceiba-Customer-External-Id: ${EVIL}`];
      const ofCustomer = await send('GET /v1/reports', [`x-api-key: ${plaintext}`, ...claims]);
      expect(ceibaHeadersOf(ofCustomer.seen[0]?.headers ?? [])).toMatchObject({
        'x-ceiba-customer-id': customer.customerId,
        'x-ceiba-customer-external-id': encodeURIComponent(customer.externalId),
      });
      expect(JSON.stringify(ofCustomer.seen)).not.toContain(EVIL);
      const alone = await send('GET /v1/reports', [`x-api-key: ${apiKey.plaintext}`, ...claims]);
      expect(alone.status).toBe(200);
      expect(JSON.stringify(alone.seen)).not.toMatch(/x-ceiba-customer/i);
    });

    it('charges what its example of a cost says, which no caller changes', async () => {
      const own = await world.createProject({
        policies: [{ method: 'GET', pathPattern: '/v1/*' }],
        plan: { monthlyQuota: 1_000 },
      });
      const through = await start(own, { edit: withExamples });
      const key = `x-api-key: ${(await own.createKey()).plaintext}`;
      const left = async (target: string, ...lines: string[]) => {
        const reply = await send(`GET ${target}`, [key, ...lines], through);
        expect([target, reply.status, reply.seen.length]).toEqual([target, 200, 1]);
        return Number(/^ratelimit: .*"month";r=(\d+)/im.exec(reply.head)?.[1]);
      };
      const claims = ['Cost: 0', 'X-Cost: 0', 'X-Ceiba-Cost: 0', 'Ceiba-Cost: 0'];
      expect(await left('/v1/reports')).toBe(999);
      expect(await left('/v1/reports?cost=0', ...claims)).toBe(998);
      expect(await left('/v1/exports')).toBe(973);
      expect(await left('/v1/exports/2026?cost=0&limits=403', ...claims)).toBe(948);
      expect(await left('/v1/%65xports')).toBe(923);
      expect(await left('/v1/EXPORTS')).toBe(898);
      expect(await left('/v1/reports')).toBe(897);
    });

    it('passes a body on', async () => {
      const reply = await fetch(`http://127.0.0.1:${gateway.port}/v1/reports`, {
        method: 'POST',
        headers: { 'x-api-key': apiKey.plaintext },
        body: 'x'.repeat(300_000),
      });
      expect(reply.status).toBe(200);
      expect(gateway.seen().at(-1)).toMatchObject({
        line: 'POST /v1/reports HTTP/1.1',
        length: 300_000,
      });
    });

    it.each(DENIAL_REASONS)(
      'denies %s with the status of the SDK, and without its reason',
      async (denial) => {
        const { project: of, question } = denied[denial];
        const through = of === project ? gateway : await start(of);
        const reply = await send(
          `GET ${question.path}`,
          question.apiKey === null ? [] : [`x-api-key: ${question.apiKey}`],
          through,
        );
        expect(reply.status).toBe(HTTP_STATUS_FOR_DENIAL[denial]);
        expect(reply.body).toContain(`"error":"${HOST_ERROR_FOR_DENIAL[denial]}"`);
        expect(reply.head).not.toMatch(/x-ceiba/i);
        expect(reply.body).not.toContain(`"${denial}"`);
        expect(/^www-authenticate: bearer/im.test(reply.head)).toBe(reply.status === 401);
        expect(/^retry-after: \d+/im.test(reply.head)).toBe(reply.status === 429);
        expect(reply.seen).toEqual([]);
      },
    );

    it.each([
      [['X-Original-Method: GET', 'X-Original-URI: /v1/reports']],
      [['X-Forwarded-Method: GET', 'X-Forwarded-Uri: /v1/reports']],
      [['X-Original-URI: /v1/reports', 'X-Original-URI: /v1/reports', 'X-Original-Method: GET']],
      [['X_Original_URI: /v1/reports', 'X-Forwarded-URI: /v1/reports', 'X-Forwarded-Method: GET']],
      [
        [
          'X-Original-URL: /v1/reports',
          'X-Rewrite-URL: /v1/reports',
          'X-HTTP-Method-Override: GET',
        ],
      ],
    ])('lets no caller choose the request that is judged, by %j', async (lines) => {
      const key = `x-api-key: ${apiKey.plaintext}`;
      const denied = await send('GET /v1/billing', [key, ...lines]);
      expect(denied.status).toBe(403);
      expect(denied.seen).toEqual([]);
      expect((await send('DELETE /v1/reports', [key, ...lines])).seen).toEqual([]);
    });

    it('lets no caller bring a project secret, a verdict or an identity', async () => {
      const names = [
        'Key-Id',
        'Project-Id',
        'Decision-Id',
        'Customer-Id',
        'Customer-External-Id',
        'Policy-Id',
        'Plan-Id',
        'Denial-Reason',
      ];
      const claims = names.flatMap((field) => [
        `X-Ceiba-${field}: ${EVIL}`,
        `x-ceiba-${field.toLowerCase()}: ${EVIL}`,
        `X_Ceiba_${field.replaceAll('-', '_')}: ${EVIL}`,
        `X-Ceiba_${field}: ${EVIL}`,
        `x_ceiba-${field}: ${EVIL}`,
        `X.Ceiba.${field.replaceAll('-', '.')}: ${EVIL}`,
      ]);
      // What servers and frameworks behind the gateway take another path or method from.
      const overrides = [
        'Daphne-Root-Path',
        'X-Forwarded-Prefix',
        'X-Script-Name',
        'X-Original-URL',
        'X-Rewrite-URL',
        'X-HTTP-Method-Override',
        'X-HTTP-Method',
        'X-Method-Override',
      ];
      for (const field of overrides) {
        claims.push(`${field}: ${EVIL}`, `${field.toLowerCase()}: ${EVIL}`);
      }
      claims.push(`SCRIPT_NAME: ${EVIL}`, `PATH_INFO: ${EVIL}`, `Script.Name: ${EVIL}`);
      const allowed = await send('GET /v1/reports', [`x-api-key: ${apiKey.plaintext}`, ...claims]);
      expect(allowed.seen).toHaveLength(1);
      expect(JSON.stringify(allowed.seen)).not.toContain(EVIL);
      const stranger = await world.createProject();
      const { plaintext } = await stranger.createKey();
      const secret = `x-service-project-secret: ${stranger.secret}`;
      for (const lines of [
        [secret, ...claims],
        [secret, `x-api-key: ${plaintext}`],
      ]) {
        const denied = await send('GET /v1/reports', lines);
        expect(denied.status).toBe(401);
        expect(denied.seen).toEqual([]);
      }
    });

    it('lets no caller take the identity away by a Connection header', async () => {
      const names = [
        'Project-Id',
        'Decision-Id',
        'Key-Id',
        'Customer-Id',
        'Customer-External-Id',
        'Policy-Id',
        'Plan-Id',
      ];
      const listed = names.map((field) => `X-Ceiba-${field}`).join(', ');
      const { customerId } = await project.createCustomer();
      const ofCustomer = await project.createKey({ customerId });
      const { seen } = await send('GET /v1/reports', [
        `x-api-key: ${ofCustomer.plaintext}`,
        `Connection: ${listed}`,
      ]);
      expect(seen).toHaveLength(1);
      const headers = seen[0]?.headers ?? [];
      expect(Object.keys(ceibaHeadersOf(headers))).toHaveLength(names.length);
      expect(ceibaHeadersOf(headers)['x-ceiba-key-id']).toBe(ofCustomer.apiKeyId);
      const hops = headers.filter(([header]) => header.toLowerCase() === 'connection');
      expect(JSON.stringify(hops)).not.toMatch(/ceiba/i);
    });

    it('judges a target in absolute form by its path', async () => {
      const allowed = await send('GET http://localhost/v1/reports?page=2');
      expect(allowed.status).toBe(200);
      expect(allowed.seen.map(({ line }) => line)).toEqual(['GET /v1/reports?page=2 HTTP/1.1']);
      const denied = await send('GET http://localhost/v1/billing?/v1/reports');
      expect(denied.status).toBe(403);
      expect(denied.seen).toEqual([]);
    });

    it('judges HTTP/2 by the same rules where it speaks it', async () => {
      const paths = ['/v1/reports?page=2', '/v1/billing'];
      const statuses = await Promise.all(
        paths.map((path) => http2Status(gateway.port, path, apiKey.plaintext)),
      );
      expect(statuses).toEqual(speaks.includes('HTTP/2') ? [200, 403] : [null, null]);
    });

    it('passes no second key on, and denies both where it can see both', async () => {
      const other = (await project.createKey()).plaintext;
      for (const second of [other, apiKey.plaintext]) {
        const lines = [apiKey.plaintext, second].map((key) => `x-api-key: ${key}`);
        const { seen } = await send('GET /v1/reports', lines);
        const keys = seen.flatMap(({ headers }) =>
          headers.filter(([header]) => /^x-api-key$/i.test(header)).map(([, value]) => value),
        );
        // nginx before 1.23 has only the first of two headers in its variables.
        expect(keys).toEqual(name === 'nginx' ? [apiKey.plaintext] : []);
        const unknown = ['x-api-key: unknown', `x-api-key: ${second}`];
        expect((await send('GET /v1/reports', unknown)).status).toBe(401);
      }
      const both = [`x-api-key: ${apiKey.plaintext}`, `Authorization: Bearer ${other}`];
      expect((await send('GET /v1/reports', both)).status).toBe(401);
    });

    it('lets through no hostile target that the policies do not allow as the host sees it', async () => {
      const before = gateway.seen().length;
      // No other target can make an allow: the project has a policy for this tree alone.
      const waiting = probes(PAIRS.filter(([resource]) => resource.startsWith('/v1/reports')))
        .map(({ target }) => target)
        .values();
      const worker = async () => {
        for (const target of waiting) {
          await sendRaw(gateway.port, `GET ${target} HTTP/1.1`, [`x-api-key: ${apiKey.plaintext}`]);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, worker));
      const seen = gateway.seen().slice(before);
      const policies = compilePolicies([
        { policyId: 'p', method: 'GET', pathPattern: '/v1/reports*' },
      ]);
      const strays = seen.filter(({ line }) => {
        const [, target = ''] = /^GET (.*) HTTP\/1\.[01]$/.exec(line) ?? [];
        return policies.match('GET', target) === null;
      });
      expect(strays).toEqual([]);
      expect(seen.length).toBeGreaterThan(5);
    }, 120_000);

    it.each(['HEAD', 'OPTIONS', 'DELETE', 'PROPFIND'])(
      'judges %s by its own name',
      async (method) => {
        const reply = await send(`${method} /v1/reports`);
        expect(reply.status).toBe(403);
        expect(reply.seen).toEqual([]);
      },
    );

    it('denies a protocol upgrade that no policy allows', async () => {
      const upgrade = ['Upgrade: websocket', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='];
      const reply = await send('GET /v1/chat', [`x-api-key: ${apiKey.plaintext}`, ...upgrade]);
      expect(reply.status).toBe(403);
      expect(reply.seen).toEqual([]);
    });

    it.each([
      [['Upgrade: h2c']],
      [['Upgrade: h2c', 'Upgrade: websocket']],
      [['Upgrade: websocket', 'Upgrade: h2c']],
      [['Upgrade: websocket, h2c']],
    ])('upgrades to nothing that carries further requests, for %j', async (upgrade) => {
      const before = gateway.seen().length;
      const line = (path: string) => [`GET ${path} HTTP/1.1`, 'Host: localhost'];
      const key = `x-api-key: ${apiKey.plaintext}`;
      const hop = [
        'Connection: Upgrade, HTTP2-Settings',
        'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA',
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      ];
      await sendBoth(
        gateway.port,
        [...line('/v1/reports'), key, ...hop, ...upgrade],
        [...line('/v1/billing'), key, 'Connection: close'],
      );
      const seen = gateway.seen().slice(before);
      expect(seen.map((each) => each.line)).toEqual(['GET /v1/reports HTTP/1.1']);
      expect(JSON.stringify(seen)).not.toContain('h2c');
    });

    it('passes a WebSocket handshake on where it speaks it', async () => {
      const handshake = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'];
      const nonce = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
      const line = (path: string) => [`GET ${path} HTTP/1.1`, 'Host: localhost'];
      const key = `x-api-key: ${apiKey.plaintext}`;
      const before = gateway.seen().length;
      await sendBoth(
        gateway.port,
        [...line('/v1/reports'), key, ...handshake, nonce],
        [...line('/v1/billing'), 'Connection: close'],
      );
      const seen = gateway.seen().slice(before);
      expect(seen).toHaveLength(1);
      const passed = Object.fromEntries(
        seen[0]?.headers.map(([header, value]) => [header.toLowerCase(), value.toLowerCase()]) ??
          [],
      );
      const expected = { connection: 'upgrade', upgrade: 'websocket' };
      if (speaks.includes('WebSocket')) expect(passed).toMatchObject(expected);
      else expect(passed).not.toHaveProperty('upgrade');
    });

    it('opens no tunnel, whatever the policies allow', async () => {
      const wide = await world.createProject({ policies: [{ method: '*', pathPattern: '*' }] });
      const through = await start(wide);
      const { plaintext } = await wide.createKey();
      const reply = await send('CONNECT localhost:80', [`x-api-key: ${plaintext}`], through);
      expect([400, 405]).toContain(reply.status);
      expect(reply.seen).toEqual([]);
    });

    it.each(['hangs', 'drops the connection'] as const)(
      'asks once for one request where the Runtime %s',
      async (fault) => {
        using faulty = await startFaultyRuntime(fault);
        const { projectId, secret } = project;
        const through = await startGateway(name, { runtimeUrl: faulty.url, projectId, secret });
        started.push(through);
        expect((await send('GET /v1/reports', [], through)).status).toBe(200);
        const reply = await send('GET /v1/reports', [], through);
        expect(reply.status).toBeGreaterThanOrEqual(500);
        expect(reply.seen).toEqual([]);
        expect(faulty.questions()).toBe(2);
      },
      30_000,
    );

    it('is closed while the Runtime hangs, open when it goes on, and closed once it has stopped', async () => {
      const key = [`x-api-key: ${apiKey.plaintext}`];
      runtime.pause();
      const hanging = await send('GET /v1/reports', key);
      runtime.resume();
      expect(hanging.status).toBeGreaterThanOrEqual(500);
      expect(hanging.seen).toEqual([]);
      await expect
        .poll(async () => (await send('GET /v1/reports', key)).status, { timeout: 10_000 })
        .toBe(200);
      await runtime.stop();
      for (const line of ['GET /v1/reports', 'POST /v1/reports', 'GET /', 'GET /_ceiba']) {
        const before = gateway.seen().length;
        const reply = await send(line, key);
        expect({ line, status: [404, 503].includes(reply.status) }).toEqual({
          line,
          status: true,
        });
        expect(gateway.seen().length).toBe(before);
      }
    });
  });
});
