/**
 * What a caller of each gateway gets: every row of the guide's table, as the guide has it, and what the
 * gateway asks for it.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { freePort } from '@ceiba/devstack/ports';
import { mintApiKey } from '@ceiba/domain';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWorld } from '../../integration/runtime/setup.ts';
import { sendRaw } from '../../sdk/support/hosts.ts';
import { readGuide } from '../../support/guide.ts';
import type { TestProject } from '../../support/scenario.ts';
import { GATEWAYS, type RunningGateway, startGateway } from './gateways.ts';

const { world, runtime } = await startWorld();
const guide = readGuide('learn/gateways.md');

const KIB = 1024;
const MIB = 1024 * KIB;

/** A question as a Runtime receives it. */
interface Asked {
  readonly headers: Readonly<Record<string, string>>;
  readonly bodyBytes: number;
}

/** A Runtime that answers all questions in one way, and keeps them. */
async function startFakeRuntime(status: number | 'no answer') {
  const asked: Asked[] = [];
  const server = createServer(async (incoming, response) => {
    let bodyBytes = 0;
    for await (const bytes of incoming) bodyBytes += bytes.length;
    asked.push({ headers: headersOf(incoming), bodyBytes });
    if (status !== 'no answer') response.writeHead(status).end('{"allowed":true}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    [Symbol.dispose]: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** A repeated header would be joined by a semicolon. */
const headersOf = ({ headersDistinct }: IncomingMessage) =>
  Object.fromEntries(
    Object.entries(headersDistinct).map(([name, values = []]) => [name, values.join(';')]),
  );

interface Sent {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends a request with a body, or only announces it, where the answer must not wait for it. */
function post(
  port: number,
  headers: Record<string, string>,
  bodyBytes: number,
  how: 'sent' | 'announced' | 'chunked' = 'sent',
): Promise<Sent> {
  return new Promise((resolve, reject) => {
    const length =
      how === 'chunked'
        ? { 'transfer-encoding': 'chunked' }
        : { 'content-length': String(bodyBytes) };
    const options = { port, host: '127.0.0.1', path: '/v1/reports', method: 'POST', agent: false };
    const outgoing = request({ ...options, headers: { ...headers, ...length } });
    const receive = async (incoming: IncomingMessage): Promise<Sent> => {
      const body = Buffer.concat(await incoming.toArray()).toString();
      return { status: incoming.statusCode ?? 0, headers: headersOf(incoming), body };
    };
    outgoing.on('response', (incoming) => {
      resolve(receive(incoming).finally(() => outgoing.destroy()));
    });
    outgoing.on('error', reject);
    if (how === 'announced') outgoing.flushHeaders();
    else outgoing.end(Buffer.alloc(bodyBytes, 'x'));
  });
}

/** The rows of the guide's table: what happened, the status of each gateway, and the body. */
const rows = guide.text
  .slice(guide.text.indexOf('| When | nginx'))
  .split('\n\n')[0]
  ?.split('\n')
  .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '')));
const [heading = [], , ...replies] = rows ?? [];

describe.each(Object.entries(GATEWAYS))('%s', (name, { program }) => {
  const started: RunningGateway[] = [];
  let project: TestProject;
  let key: string;
  let gateway: RunningGateway;

  const start = async (of: TestProject, changes: Parameters<typeof startGateway>[2] = {}) =>
    startAt(runtime.url, of, changes);
  const startAt = async (
    runtimeUrl: string,
    { projectId, secret }: Pick<TestProject, 'projectId' | 'secret'>,
    changes: Parameters<typeof startGateway>[2] = {},
  ) => {
    const running = await startGateway(name, { runtimeUrl, projectId, secret }, changes);
    started.push(running);
    return running;
  };
  const createProject = (options: Parameters<typeof world.createProject>[0] = {}) =>
    world.createProject({
      policies: ['GET', 'POST'].map((method) => ({ method, pathPattern: '/v1/reports*' })),
      ...options,
    });

  beforeAll(async () => {
    if (program === undefined) return;
    project = await createProject();
    key = (await project.createKey()).plaintext;
    gateway = await start(project);
  });
  afterAll(async () => {
    await Promise.all(started.map((each) => each.stop()));
  });

  const get = (through: RunningGateway, headers: readonly string[], target = '/v1/reports') =>
    sendRaw(through.port, `GET ${target} HTTP/1.1`, headers);
  const withKey = (plaintext: string) => [`x-api-key: ${plaintext}`];
  const inProject = async (options: Parameters<typeof world.createProject>[0]) => {
    const of = await createProject(options);
    return get(await start(of), withKey((await of.createKey()).plaintext));
  };
  const cookies = (bytes: number, each: number) =>
    Array.from({ length: bytes / each }, (_, at) => `x-cookie-${at}: ${'c'.repeat(each)}`);

  /** Each row of the guide, as requests that lead to it. */
  const CAUSES: Record<string, () => Promise<readonly Pick<Sent, 'status' | 'body'>[]>> = {
    'no key, two keys, or one that is unknown, revoked, archived or expired': async () => [
      await get(gateway, []),
      await get(gateway, withKey(mintApiKey(randomBytes).plaintext)),
      await get(gateway, [...withKey(key), 'Authorization: Bearer other']),
      await post(gateway.port, {}, 3 * MIB, 'announced'),
      await post(gateway.port, {}, 11 * MIB, 'announced'),
    ],
    'no policy matches, or the subscription is not active': async () => [
      await get(gateway, withKey(key), '/v1/billing'),
    ],
    'a quota is used up': async () => [await inProject({ plan: { monthlyQuota: 0 } })],
    'the rate limit is reached': async () => [await inProject({ plan: { rateLimitPerMinute: 0 } })],
    'the Runtime is down, hangs, answers 500 or 503, or refuses the project secret': async () => {
      using hangs = await startFakeRuntime('no answer');
      using fails = await startFakeRuntime(500);
      const down = `http://127.0.0.1:${await freePort()}`;
      const wrong = { projectId: project.projectId, secret: `${project.secret}x` };
      const through = [
        ...(await Promise.all([down, hangs.url, fails.url].map((url) => startAt(url, project)))),
        await startAt(runtime.url, wrong),
      ];
      const answers = await Promise.all(
        [withKey(key), []].flatMap((headers) => through.map((each) => get(each, headers))),
      );
      expect(through.flatMap((each) => each.seen())).toEqual([]);
      return answers;
    },
    'target, key and trace are over 16 KiB together': async () => [
      await get(gateway, withKey(key), `/v1/reports?${'q'.repeat(20 * KIB)}`),
    ],
    'a header is over 32 KiB': async () => [await get(gateway, cookies(40 * KIB, 40 * KIB))],
    'the headers are over 64 KiB': async () => [await get(gateway, cookies(80 * KIB, 8 * KIB))],
    'the headers are over 1 MiB': async () => [await get(gateway, cookies(1200 * KIB, 8 * KIB))],
    'the target is over 32 KiB': async () => [
      await get(gateway, withKey(key), `/v1/reports?${'q'.repeat(40 * KIB)}`),
    ],
    'the body is over the limit, here 10 MiB, of a caller that is allowed': async () => [
      await post(gateway.port, { 'x-api-key': key }, 11 * MIB, 'announced'),
      await post(gateway.port, { 'x-api-key': key }, 11 * MIB, 'chunked'),
    ],
    'your API does not answer': async () => {
      const upstream = `127.0.0.1:${await freePort()}`;
      return [await get(await start(project, { upstream }), withKey(key))];
    },
  };

  describe.skipIf(program === undefined)('in front of a host', () => {
    it.each(replies.map(([when = '', ...cells]) => [when, cells] as const))(
      'answers as the guide says where %s',
      async (when, cells) => {
        const status = Number(cells[heading.indexOf(name) - 1]);
        const [, body = ''] = /^`(.*?)`/.exec(cells.at(-1) ?? '') ?? [];
        expect(CAUSES).toHaveProperty([when]);
        if (Number.isNaN(status)) return;
        const answers = (await CAUSES[when]?.()) ?? [];
        for (const answer of answers) {
          expect(answer.status).toBe(status);
          if (body !== '') expect(answer.body).toBe(body);
          const head = 'head' in answer ? String(answer.head) : JSON.stringify(answer);
          if (body.startsWith('{')) {
            expect(head).toMatch(/content-type"?: ?"?application\/json/i);
            expect(head).toMatch(/cache-control"?: ?"?no-store/i);
          }
          expect(/retry-after/i.test(head)).toBe(status === 429);
          expect(/www-authenticate"?: ?"?bearer/i.test(head)).toBe(status === 401);
        }
      },
      60_000,
    );

    it('asks with what the question needs alone, whatever the caller sends', async () => {
      using fake = await startFakeRuntime(200);
      const through = await startAt(fake.url, project);
      const passedOn = {
        authorization: `Bearer ${key}`,
        'x-api-key': key,
        'x-request-id': 'r-1',
        traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
        tracestate: 'vendor=1',
      };
      const others = Object.fromEntries(
        Array.from({ length: 3 }, (_, at) => [`x-cookie-${at}`, 'c'.repeat(7_000)]),
      );
      const forged = {
        cookie: 'session=1',
        'x-forwarded-for': '203.0.113.7',
        'x-forwarded-uri': '/v1/other',
        'x-forwarded-method': 'PUT',
        'x-original-uri': '/v1/other',
        'x-service-project-secret': 'forged',
        'x-evil': '{env.CEIBA_PROJECT_SECRET}{vars.secret}',
      };
      const headers = { ...others, ...forged, ...passedOn };
      expect((await post(through.port, headers, 3 * MIB)).status).toBe(200);
      expect(fake.asked).toHaveLength(1);
      const { headers: received = {}, bodyBytes } = fake.asked[0] ?? {};
      expect(bodyBytes).toBe(0);
      const { host, connection, 'user-agent': _, accept, ...asked } = received;
      const { 'accept-encoding': __, 'content-length': length = '0', ...question } = asked;
      expect(length).toBe('0');
      expect(question).toEqual({
        ...passedOn,
        'x-service-project-secret': project.secret,
        'x-original-method': 'POST',
        'x-original-uri': '/v1/reports',
        'x-forwarded-for': '127.0.0.1',
      });
    });

    it('serves a caller with 21 kB of headers, and gives the host its address', async () => {
      for (const headers of [cookies(21_000, 7_000), cookies(21_000, 21_000)]) {
        const reply = await get(gateway, [
          ...withKey(key),
          ...headers,
          'X-Forwarded-For: 203.0.113.7',
        ]);
        expect([reply.status, reply.body]).toEqual([200, 'hello']);
        const passed = gateway.seen().at(-1)?.headers ?? [];
        const valuesOf = (wanted: string) =>
          passed.filter(([header]) => header.toLowerCase() === wanted).map(([, value]) => value);
        expect(valuesOf('x-cookie-0')[0]).toHaveLength(headers.length === 1 ? 21_000 : 7_000);
        expect(valuesOf('x-forwarded-for')).toEqual(['127.0.0.1']);
        expect(valuesOf('x-forwarded-proto')).toEqual(['http']);
      }
    });

    it('passes a body of 3 MB on, and one over a limit that was raised', async () => {
      const edit = (text: string) =>
        text.replace('location / {', 'location / {\nclient_max_body_size 20m;');
      const raised = await start(project, { edit });
      for (const [through, bytes] of [
        [gateway, 3 * MIB],
        [raised, 11 * MIB],
      ] as const) {
        expect((await post(through.port, { 'x-api-key': key }, bytes)).status).toBe(200);
        expect(through.seen().at(-1)?.length).toBe(bytes);
      }
      const large = await post(raised.port, {}, 21 * MIB, 'announced');
      expect([large.status, large.body]).toEqual([401, expect.stringContaining('unauthorized')]);
    });

    it('asks once for a body that turns out to be over the limit', async () => {
      using fake = await startFakeRuntime(200);
      const through = await startAt(fake.url, project);
      const { status } = await post(through.port, {}, 11 * MIB, 'chunked');
      expect([200, 413]).toContain(status);
      expect(fake.asked).toHaveLength(1);
    });

    it('answers a preflight with the lines of the guide, and judges every other OPTIONS', async () => {
      const PLACES: Record<string, [language: string, after: string]> = {
        nginx: ['nginx', '    location / {\n'],
        Caddy: ['caddyfile', '\troute {\n'],
        HAProxy: ['haproxy', '# Replies to the caller itself'],
      };
      const [language = '', place = ''] = PLACES[name] ?? [];
      const lines = guide.block(language, 'Access-Control-Allow-Origin');
      const edit = (text: string) =>
        text.replace(place, (found) =>
          found.startsWith('#') ? `\n${lines}\n${found}` : `${found}${lines}`,
        );
      const through = await start(project, { edit });
      const preflight = ['Origin: https://app.example.com', 'Access-Control-Request-Method: GET'];
      const options = (headers: readonly string[]) =>
        sendRaw(through.port, 'OPTIONS /v1/reports HTTP/1.1', headers);
      const reply = await options(preflight);
      expect(reply.status).toBe(204);
      expect(reply.head).toMatch(/^access-control-allow-origin: https:\/\/app\.example\.com\r?$/im);
      expect(reply.head).toMatch(/^access-control-allow-headers: Authorization, X-Api-Key/im);
      expect((await options(withKey(key))).status).toBe(403);
      expect((await options([])).status).toBe(401);
      expect((await get(through, preflight)).status).toBe(401);
      expect(through.seen()).toEqual([]);
      expect((await get(through, withKey(key))).status).toBe(200);
    });
  });
});
