/** What no well-behaved client sends, byte by byte over a socket: an answer, never a 500, and the server goes on. */
import { connect } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { QUESTION, runtimeClient, send } from '../../support/scenario.ts';
import { PATIENT, startWorld } from './setup.ts';

const DEADLINE_MS = 2_000;
const { world, runtime } = await startWorld({
  ...PATIENT,
  DECISION_DEADLINE_MS: String(DEADLINE_MS),
  KEY_ROUTE_DEADLINE_MS: String(DEADLINE_MS),
});

const project = await world.createProject();
const client = runtimeClient(runtime.url, project);
const apiKey = await project.createKey();

afterAll(async () => {
  expect(runtime.stdout()).not.toMatch(/"level":"(?:error|fatal)"/);
  const decision = await client.authorize({ apiKey: apiKey.plaintext });
  expect(decision.json).toMatchObject({ allowed: true });
});

interface RawReply {
  status: number;
  headers: string;
  body: string;
}

/**
 * Writes bytes to a connection of its own and reads until the server closes it, or until `count`
 * answers are there. A part that is a function is awaited before the next one is written.
 */
function raw(
  parts: (string | Buffer | (() => Promise<unknown>))[],
  count = 1,
): Promise<RawReply[]> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port: runtime.port });
    let received = '';
    const finish = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve(repliesIn(received));
    };
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error(`no answer within 15 s; so far: ${received}`));
    }, 15_000);
    socket.setNoDelay(true);
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      if (repliesIn(received).length >= count) finish();
    });
    socket.on('close', finish);
    socket.on('error', () => {});
    void (async () => {
      for (const part of parts) {
        if (typeof part === 'function') await part();
        else if (!socket.destroyed) socket.write(part);
      }
    })();
  });
}

/** The whole answers in what was received, by their content lengths. */
function repliesIn(received: string): RawReply[] {
  const replies: RawReply[] = [];
  for (let rest = received; ; ) {
    const head = /^HTTP\/1\.1 (\d{3})[^\r]*\r\n((?:[^\r]+\r\n)*)\r\n/.exec(rest);
    if (head === null) return replies;
    const [whole, status = '', headers = ''] = head;
    const length = Number(/content-length: (\d+)/i.exec(headers)?.[1] ?? 0);
    if (rest.length < whole.length + length) return replies;
    replies.push({
      status: Number(status),
      headers,
      body: rest.slice(whole.length, whole.length + length),
    });
    rest = rest.slice(whole.length + length);
  }
}

const request = (line: string, headers: Record<string, string | string[]>, body = '') => {
  const lines = Object.entries({ host: 'runtime', ...headers }).flatMap(([name, value]) =>
    [value].flat().map((one) => `${name}: ${one}\r\n`),
  );
  return `${line} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
};
const secretHeader = () => ({ 'x-service-project-secret': project.secret });
const json = (body: string) => ({
  'content-type': 'application/json',
  'content-length': String(Buffer.byteLength(body)),
});
const authorizePath = () => `/rt/projects/${project.projectId}/authorize`;
const batchPath = () => `${authorizePath()}/batch`;
const keysPath = () => `/rt/projects/${project.projectId}/api-keys`;
const question = () => JSON.stringify({ ...QUESTION, apiKey: apiKey.plaintext });
const batch = () => `{"requests":[${question()},${question()}]}`;

/** Exactly one answer, of this status and, where it is one of ours, in the shape of every error. */
async function expectStatus(parts: Parameters<typeof raw>[0], status: number): Promise<RawReply> {
  const replies = await raw(parts);
  expect(replies.map((reply) => reply.status)).toEqual([status]);
  const reply = replies[0]!;
  if (status >= 400) {
    const body = JSON.parse(reply.body);
    expect(Object.keys(body).sort()).toEqual(['error', 'message', 'requestId']);
    expect(reply.headers).toContain(`x-request-id: ${body.requestId}`);
  }
  return reply;
}

describe('headers that come twice', () => {
  const ask = (headers: Record<string, string | string[]>) => {
    const body = question();
    return request(`POST ${authorizePath()}`, { ...json(body), ...headers }, body);
  };

  it('count as no secret if they are the same project secret twice', async () => {
    const twice = [project.secret, project.secret];
    await expectStatus([ask({ 'x-service-project-secret': twice })], 401);
  });

  it('count as no secret if they are two different secrets, in either order', async () => {
    for (const both of [
      [project.secret, 'x'],
      ['x', project.secret],
      ['', project.secret],
    ]) {
      await expectStatus([ask({ 'x-service-project-secret': both })], 401);
    }
  });

  it('count as no request id', async () => {
    const reply = await expectStatus([ask({ ...secretHeader(), 'x-request-id': ['a', 'b'] })], 200);
    expect(reply.headers).toMatch(/x-request-id: [0-9a-f]{8}-/);
  });

  it('count by the first content type', async () => {
    const types = ['application/json', 'text/plain'];
    await expectStatus([ask({ ...secretHeader(), 'content-type': types })], 200);
    await expectStatus([ask({ ...secretHeader(), 'content-type': types.reverse() })], 415);
  });

  it('are not HTTP if they are two lengths, or a length and chunks', async () => {
    const body = question();
    const length = String(Buffer.byteLength(body));
    await expectStatus([ask({ ...secretHeader(), 'content-length': [length, '5'] })], 400);
    const both = { ...secretHeader(), 'transfer-encoding': 'chunked' };
    await expectStatus([ask(both)], 400);
  });
});

describe('a body that is not as long as it says', () => {
  it('is 503 within the deadline if the rest never arrives', async () => {
    const body = question();
    const headers = {
      ...json(body),
      'content-length': String(body.length + 10),
      ...secretHeader(),
    };
    await expectStatus([request(`POST ${authorizePath()}`, headers, body)], 503);
  });

  it('is no error if the connection ends early', async () => {
    for (const path of [authorizePath(), batchPath(), keysPath()]) {
      const headers = { ...json(''), 'content-length': '100', ...secretHeader() };
      const half = request(`POST ${path}`, headers, '{"displayName"');
      await new Promise<void>((resolve) => {
        const socket = connect({ host: '127.0.0.1', port: runtime.port }, () => {
          socket.write(half, () => setTimeout(() => socket.destroy(), 50));
        });
        socket.on('close', () => resolve());
      });
    }
  });

  it('ends the connection if more bytes follow, which are not HTTP', async () => {
    const body = question();
    const headers = { ...json(body), ...secretHeader() };
    const replies = await raw(
      [request(`POST ${authorizePath()}`, headers, `${body}garbage\r\n\r\n`)],
      2,
    );
    // The noise may be read before the question in front of it was answered.
    expect([[200, 400], [400]]).toContainEqual(replies.map(({ status }) => status));
  });

  it.each(['-1', '1e3', '0x10', '99999999999999999999', 'abc', ''])(
    'a length of "%s" is no HTTP',
    async (length) => {
      const headers = { ...json('{}'), 'content-length': length, ...secretHeader() };
      await expectStatus([request(`POST ${keysPath()}`, headers, '{}')], 400);
    },
  );

  it('is refused before a byte arrives if its length is far over the cap', async () => {
    for (const [path, length] of [
      [authorizePath(), 65_537],
      [batchPath(), 1_048_577],
      [keysPath(), 16_385],
      [keysPath(), 9_007_199_254_740_991],
    ] as const) {
      const headers = { ...json(''), 'content-length': String(length), ...secretHeader() };
      const reply = await expectStatus([request(`POST ${path}`, headers)], 413);
      expect(reply.headers.toLowerCase()).toContain('connection: close');
    }
  });
});

describe('chunks', () => {
  const chunked = (path: string) =>
    request(`POST ${path}`, {
      'content-type': 'application/json',
      'transfer-encoding': 'chunked',
      ...secretHeader(),
    });
  const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;

  it('of one byte each make a body', async () => {
    const parts = [...question()].map(chunk);
    await expectStatus([chunked(authorizePath()), ...parts, '0\r\n\r\n'], 200);
    const batchParts = [...batch()].map(chunk);
    const reply = await expectStatus([chunked(batchPath()), ...batchParts, '0\r\n\r\n'], 200);
    expect(reply.body.match(/"allowed":true/g)).toHaveLength(2);
  });

  it('over the cap are refused while more arrive', async () => {
    const thousand = chunk(' '.repeat(1_000));
    const many = Array.from({ length: 200 }, () => thousand);
    await expectStatus([chunked(authorizePath()), ...many, '0\r\n\r\n'], 413);
    await expectStatus([chunked(keysPath()), ...many, '0\r\n\r\n'], 413);
  });

  it('that never end are answered within the deadline of the route', async () => {
    await expectStatus([chunked(authorizePath()), chunk('{"method"')], 503);
    await expectStatus([chunked(batchPath()), chunk('{"requests":[{"method"')], 503);
    const late = await expectStatus([chunked(keysPath()), chunk('{"displayName"')], 400);
    expect(late.body).toContain(`The body did not arrive within ${DEADLINE_MS} ms.`);
  });

  it.each(['zz\r\nx\r\n', '-5\r\nx\r\n', '5\r\nx\r\n0\r\n\r\n', 'fffffffffffffffff\r\nx'])(
    'of a wrong size (%j) are no HTTP',
    async (bytes) => {
      const [reply] = await raw([chunked(keysPath()), bytes]);
      expect(reply?.status).toBe(400);
    },
  );
});

describe('a request line or a header that is not HTTP', () => {
  it.each<[string, string | Buffer]>([
    ['nothing but noise', 'hello\r\n\r\n'],
    ['TLS', Buffer.from('16030100a5010000a10303', 'hex')],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a method that there is not', 'FOO /health HTTP/1.1\r\nhost: x\r\n\r\n'],
    ['a NUL in the path', 'GET /health\u0000 HTTP/1.1\r\nhost: x\r\n\r\n'],
    ['a blank in the path', 'GET /he alth HTTP/1.1\r\nhost: x\r\n\r\n'],
    [
      'a NUL in a header',
      'GET /health HTTP/1.1\r\nhost: x\r\nx-service-project-secret: a\u0000b\r\n\r\n',
    ],
    ['a folded header', 'GET /health HTTP/1.1\r\nhost: x\r\n folded\r\n\r\n'],
    ['a header without a colon', 'GET /health HTTP/1.1\r\nhost: x\r\nnonsense\r\n\r\n'],
    ['a blank before a colon', 'GET /health HTTP/1.1\r\nhost: x\r\nx-a : b\r\n\r\n'],
    ['a bare carriage return', 'GET /health HTTP/1.1\r\nhost: x\r\nx-a: b\rc\r\n\r\n'],
  ])('%s: 400 and the connection is closed', async (_what, bytes) => {
    const reply = await expectStatus([bytes], 400);
    expect(reply.headers.toLowerCase()).toContain('connection: close');
    expect(JSON.parse(reply.body).error).toBe('invalid_request');
  });
});

describe('targets and hosts', () => {
  it('include health checks over HTTP/1.0 without a host', async () => {
    for (const path of ['/health', '/ready', '/version']) {
      await expectStatus([`GET ${path} HTTP/1.0\r\n\r\n`], 200);
    }
  });

  it.each([
    ['an absolute form', 'http://elsewhere/health', 200],
    ['a query', '/health?x=%00', 200],
    ['a fragment', '/health#x', 200],
    ['a user in an absolute form', 'http://a:b@c/health', 200],
    ['dots in a query', '/health?x=/../y', 200],
    ['a dot segment', '/x/../health', 400],
    ['an escaped dot segment', '/x/%2E%2e/health', 400],
    ['a dot segment at the end', '/health/.', 400],
    ['a dot segment before a fragment', '/x/health/..#', 400],
    ['a dot segment between backslashes', '/x\\..\\health', 400],
    ['an asterisk', '*', 400],
    ['an escaped NUL', '/rt/projects/%00/api-keys', 400],
    ['an escape of half a character', '/rt/projects/%ff/api-keys', 400],
    ['an escape of nothing', '/rt/projects/%zz/api-keys', 400],
    ['a latin-1 byte', '/rt/projects/\u00e9/api-keys', 400],
    ['ten thousand characters', `/${'a'.repeat(10_000)}`, 404],
  ])('%s', async (_what, target, status) => {
    const reply = await expectStatus([request(`GET ${target}`, {})], status);
    expect(reply.status).toBe(status);
  });

  it.each(['', 'a b', 'a/b', '[::1', 'x'.repeat(300), 'user@host', '💥', 'a:99999'])(
    'a host of %j is a 200 or a 400, never a 500',
    async (host) => {
      const [reply] = await raw([request('GET /health', { host })]);
      expect([200, 400]).toContain(reply?.status);
    },
  );

  it('are 400 in the shape of every error without a host', async () => {
    await expectStatus(['GET /health HTTP/1.1\r\n\r\n'], 400);
  });

  it('may lack a host in HTTP/1.0', async () => {
    const [reply] = await raw(['GET /health HTTP/1.0\r\n\r\n']);
    expect([200, 400]).toContain(reply?.status);
  });
});

describe('connections', () => {
  it('answer requests of one write in their order', async () => {
    const body = question();
    const one = (id: string) =>
      request(
        `POST ${authorizePath()}`,
        { ...json(body), ...secretHeader(), 'x-request-id': id },
        body,
      );
    const replies = await raw([one('a') + one('b') + one('c')], 3);
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(replies.map(({ headers }) => /x-request-id: (\w)/.exec(headers)?.[1])).toEqual([
      'a',
      'b',
      'c',
    ]);
  });

  it('stay usable after a refused request with any body', async () => {
    const body = question();
    const good = request(`POST ${authorizePath()}`, { ...json(body), ...secretHeader() }, body);
    for (const bad of [
      request(`POST ${authorizePath()}`, json(body), body),
      request('POST /rt/projects/nope/authorize', { ...json(body), ...secretHeader() }, body),
      request('POST /nowhere', json(body), body),
      request('GET /health', json(body), body),
      request(`GET ${keysPath()}`, { ...json(body), ...secretHeader() }, body),
    ]) {
      const replies = await raw([bad, good], 2);
      expect(replies[1]?.body).toContain('"allowed":true');
    }
  });

  it('request a body that was announced with "Expect: 100-continue"', async () => {
    const body = question();
    const headers = { ...json(body), ...secretHeader(), expect: '100-continue' };
    const replies = await raw([request(`POST ${authorizePath()}`, headers), body], 2);
    expect(replies.map(({ status }) => status)).toEqual([100, 200]);
  });

  it.each(['websocket', 'h2c'])('ignore an upgrade to %s', async (protocol) => {
    const headers = { connection: 'upgrade', upgrade: protocol, 'sec-websocket-key': 'x' };
    await expectStatus([request('GET /health', headers)], 200);
  });

  it('reveal nothing on CONNECT and TRACE', async () => {
    const connected = await raw(['CONNECT elsewhere:443 HTTP/1.1\r\nhost: x\r\n\r\n']);
    expect(connected.filter(({ status }) => status === 200)).toEqual([]);
    const traced = await expectStatus([request('TRACE /health', secretHeader())], 404);
    expect(traced.body).not.toContain(project.secret);
  });

  it('answer HEAD as GET without a body', async () => {
    const reply = await send(`${runtime.url}/health`, 'HEAD');
    expect({ status: reply.status, text: reply.text }).toEqual({ status: 200, text: '' });
  });
});
