/** Bad input: the documented status, a message that names the field, and never a 500. */
import {
  apiKeyCreateResultSchema,
  apiKeySummarySchema,
  authorizeBatchResultSchema,
  denyDecisionSchema,
} from '@ceiba/contract';
import type { RuntimeErrorCode } from '@ceiba/contract/sets';
import { afterAll, describe, expect, it } from 'vitest';
import { callRoute, FORWARD_AUTH, PROJECT_ROUTES } from '../../support/routes.ts';
import { type CallOptions, QUESTION, type Reply, runtimeClient } from '../../support/scenario.ts';
import { expectError, expectOk, FIELDS } from './assertions.ts';
import { startWorld } from './setup.ts';

const { world, runtime } = await startWorld();

const project = await world.createProject();
const client = runtimeClient(runtime.url, project);
const apiKey = await project.createKey();

afterAll(() => {
  // Nothing that this file sent was an error of the Runtime.
  expect(runtime.stdout()).not.toMatch(/"level":"(?:error|fatal)"/);
});

const { customerId } = await project.createCustomer();

const BODY_ROUTES = Object.entries(PROJECT_ROUTES).flatMap(([route, body]) =>
  body === null ? [] : [[route, body] as const],
);

/** How to send a body to a route, and the text of one that it accepts. */
async function prepare([route, { good }]: (typeof BODY_ROUTES)[number]) {
  // A key of its own: only its first rotation may name its prefix.
  const own = route.includes(':apiKeyId') ? await project.createKey() : apiKey;
  const ids = { apiKeyId: own.apiKeyId, customerId };
  return {
    good: JSON.stringify(good(own)),
    send: (options: CallOptions) => callRoute(client, route, ids, options),
  };
}

const create = (options: CallOptions) => client.callBelow('POST', '/api-keys', options);

const JSON_TYPE = { 'content-type': 'application/json' };

describe.each(BODY_ROUTES)('a body of %s', (...route) => {
  const cap = route[1].capBytes;

  it(`of exactly ${cap / 1024} KiB is read`, async () => {
    const { good, send } = await prepare(route);
    const reply = await send({ body: good.padEnd(cap) });
    expect({ status: reply.status, text: reply.text.slice(0, 200) }).toMatchObject({ status: 200 });
  });

  it.each([1, 4_000_000])('over the cap by %i bytes: 413 `payload_too_large`', async (more) => {
    const { good, send } = await prepare(route);
    const reply = await send({ body: good.padEnd(cap + more) });
    expectError(reply, 'payload_too_large', `${cap / 1024} KiB`);
  });

  it('of another content type: 415, that is malformed or no object: 400, each with the reason', async () => {
    const headers = { 'content-type': 'text/plain' };
    const { good, send } = await prepare(route);
    const another = await send({ body: good, headers });
    expectError(another, 'unsupported_media_type', 'application/json');
    const deep = '['.repeat(7_000) + ']'.repeat(7_000);
    for (const [body, reason] of [
      ['{"displayName":', 'JSON'],
      [Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), 'UTF-8'],
      ['1e999', 'object'],
      [deep, 'object'],
    ] as const) {
      expectError(await send({ body, headers: JSON_TYPE }), 'invalid_request', reason);
    }
  });
});

/** Routes that take known fields alone; `authorize` ignores what it does not know. */
it.each(BODY_ROUTES.filter(([route]) => !route.startsWith('POST /authorize')))(
  'an unknown field in %s, however deep, is a 400 that names it',
  async (...route) => {
    const { good, send } = await prepare(route);
    const deep = `"deep":${'{"a":'.repeat(2_000)}1${'}'.repeat(2_000)}`;
    const body = `{${[good.slice(1, -1), deep].filter(Boolean).join(',')}}`;
    const reply = await send({ body, headers: JSON_TYPE });
    expectError(reply, 'invalid_request', '"deep" is not a known field.');
  },
);

describe('a field', () => {
  it('given twice: the last one counts, as in JSON.parse', async () => {
    const body = '{"displayName":"first","displayName":"second"}';
    const reply = await create({ body, headers: JSON_TYPE });
    expect(expectOk(reply, apiKeyCreateResultSchema, FIELDS.created).displayName).toBe('second');
  });

  it('that is invalid is a 400 that names it, and leaves the key unchanged', async () => {
    const { apiKeyId } = await project.createKey();
    const before = (await client.getKey(apiKeyId)).text;
    expectError(await client.setExpiry(apiKeyId, 'soon'), 'invalid_request', '"expiresAt" must');
    expect((await client.getKey(apiKeyId)).text).toBe(before);
    expectError(await client.createKey(' '), 'invalid_request', '"displayName" must');
  });

  it.each([
    ['2031-01-31T12:00:00.123456789Z', '2031-01-31T12:00:00.123Z'],
    ['2031-01-31T23:59:59-23:59', '2031-02-01T23:58:59.000Z'],
    ['0100-01-01T00:00:00Z', '0100-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('of a time, %s, is stored as %s', async (expiresAt, stored) => {
    const { apiKeyId } = await project.createKey();
    const reply = await client.setExpiry(apiKeyId, expiresAt);
    expect(expectOk(reply, apiKeySummarySchema, FIELDS.apiKey).expiresAt).toBe(stored);
    const read = await client.getKey(apiKeyId);
    expect(expectOk(read, apiKeySummarySchema, FIELDS.apiKey).expiresAt).toBe(stored);
  });
});

const good = () => ({ ...QUESTION, apiKey: apiKey.plaintext });

/** How a question is asked: its JSON text, and what its field is called in messages. */
const WAYS = {
  '`authorize`': {
    field: (name: string) => name,
    ask: (question: string) =>
      client.callBelow('POST', '/authorize', { body: question, headers: JSON_TYPE }),
  },
  'one item of a batch': { field: (name: string) => `requests.1.${name}`, ask: askBetween },
};

/** Asks between two good questions, which have to be allowed. */
async function askBetween(question: string): Promise<Reply> {
  const neighbour = JSON.stringify(good());
  const body = `{"requests":[${neighbour},${question},${neighbour}]}`;
  const reply = await client.callBelow('POST', '/authorize/batch', { body, headers: JSON_TYPE });
  const { results } = expectOk(reply, authorizeBatchResultSchema, ['results']);
  const [first, item, last] = results;
  expect(results).toHaveLength(3);
  expect([first, last]).toMatchObject(Array(2).fill({ decision: { allowed: true } }));
  if (item === undefined) throw new Error('the question has no result');
  // The reply that `authorize` would send.
  const { status, ...error } = item;
  const requestId = reply.headers.get('x-request-id');
  const json = 'decision' in item ? item.decision : { ...error, requestId };
  return { status, headers: reply.headers, json, text: JSON.stringify(json) };
}

describe.each(Object.entries(WAYS))('the question of %s', (_way, { ask: askText, field }) => {
  const ask = (question: object) => askText(JSON.stringify(question));

  it('with a wrong or absent field is a 400 that names it', async () => {
    const wrong = await ask({ ...good(), path: 7 });
    expectError(wrong, 'invalid_request', `"${field('path')}" must be a string.`);
    const absent = await ask({ ...good(), method: undefined });
    expectError(absent, 'invalid_request', `"${field('method')}" is required.`);
  });

  it.each([null, '5', 1.5, -1, 1_000_001, 2 ** 60, true, [1], {}])(
    'with the cost %j is a 400 that names it, and charges nothing',
    async (cost) => {
      const message = `"${field('cost')}" must be a whole number from 0 to 1000000.`;
      expectError(await ask({ ...good(), cost }), 'invalid_request', message);
    },
  );

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'a method or path of %s is like any other that no policy names',
    async (word) => {
      for (const question of [{ method: word }, { path: word }, { path: `/${word}` }]) {
        const reply = await ask({ ...good(), ...question });
        expect(expectOk(reply, denyDecisionSchema, FIELDS.deny).denialReason).toBe(
          'policy_no_match',
        );
      }
    },
  );

  it('takes no field from a prototype in the body', async () => {
    const body = `{"method":"GET","path":"/v1/reports","__proto__":{"apiKey":"${apiKey.plaintext}"}}`;
    const reply = await askText(body);
    expect(expectOk(reply, denyDecisionSchema, FIELDS.deny).denialReason).toBe('missing_api_key');
  });

  it.each<[string, () => string]>([
    ['one that fills the body to its cap', () => 'k'.repeat(64 * 1024 - bodyWithout())],
    ['NULs', () => '\u0000'.repeat(64)],
    ['lone surrogates', () => '\ud800\udfff\udc00\ud800'],
    ['a key with a NUL after it', () => `${apiKey.plaintext}\u0000`],
    ['a key with a soft hyphen in it', () => apiKey.plaintext.replace('_', '_\u00ad')],
    ['sixteen thousand emoji', () => '🔑'.repeat(16_000)],
    ['a format string', () => '%s%n{}<%= 7*7 %>'],
  ])('a key string of any content that fits the body is a denial: %s', async (_what, text) => {
    const reply = await ask({ ...good(), apiKey: text() });
    expect(expectOk(reply, denyDecisionSchema, FIELDS.deny).denialReason).toBe('invalid_api_key');
  });
  const bodyWithout = () => JSON.stringify({ ...QUESTION, apiKey: '' }).length;

  it('ignores a very deep value in an unknown field', async () => {
    const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;
    const reply = await askText(`${JSON.stringify(good()).slice(0, -1)},"deep":${deep}}`);
    expect(reply.json).toMatchObject({ allowed: true });
  });

  it.each([
    ['sixty thousand slashes', '/'.repeat(60_000)],
    ['sixty thousand stars', '*'.repeat(60_000)],
    ['twenty thousand escapes', `/${'%2e'.repeat(20_000)}`],
    ['dots', '/..'.repeat(20_000)],
  ])('a path of %s is a denial', async (_what, path) => {
    const reply = await ask({ ...good(), path });
    expect(expectOk(reply, denyDecisionSchema, FIELDS.deny).denialReason).toBe('policy_no_match');
  });
});

describe('a bad UUID', () => {
  it.each(['nope', '01960000-0000-7000-8000-000000000001\n', '../../health', 'a'.repeat(200), '%'])(
    'of a project or a key (%j) is a 400 that names its field, on every route',
    async (id) => {
      const options = { projectId: id };
      for (const reply of await Promise.all([
        client.authorize({ apiKey: apiKey.plaintext }, options),
        client.createKey('x', options),
        client.revoke(apiKey.apiKeyId, options),
      ])) {
        expectError(reply, 'invalid_request', '"projectId" must be a UUID.');
      }
      for (const reply of await Promise.all([
        client.getKey(id),
        client.setExpiry(id, null),
        client.archive(id),
      ])) {
        expectError(reply, 'invalid_request', '"apiKeyId" must be a UUID.');
      }
    },
  );

  it('of an unknown version is a UUID: the project is unknown (401), the key not found (404)', async () => {
    for (const uuid of [
      '00000000-0000-0000-0000-000000000000',
      'ffffffff-ffff-ffff-ffff-ffffffffffff',
    ]) {
      expectError(await client.listKeys({ projectId: uuid }), 'unauthorized');
      expectError(await client.getKey(uuid), 'not_found');
    }
  });
});

describe('a query', () => {
  const routes = Object.keys(PROJECT_ROUTES).filter((route) => route !== FORWARD_AUTH);
  const ids = {
    apiKeyId: '0199e0c0-0000-7000-8000-00000000a001',
    customerId: '0199e0c0-0000-7000-8000-00000000c001',
    decisionId: '0199e0c0-0000-7000-8000-00000000d001',
  };
  const ask = (route: string, query: string, options: CallOptions = {}) => {
    const body = PROJECT_ROUTES[route] === null ? {} : { body: {} };
    return callRoute(client, `${route}?${query}`, ids, { ...body, ...options });
  };

  it.each(routes)('of %s that has an unknown parameter: 400 that names it', async (route) => {
    for (const query of [
      'nonsense=1',
      'nonsense=',
      'nonsense',
      '__proto__=1',
      '%6eonsense=1&a=2',
    ]) {
      const name = query.startsWith('_') ? '__proto__' : 'nonsense';
      expectError(await ask(route, query), 'invalid_request', `"${name}" is not a known field.`);
    }
  });

  it.each(routes)('of %s is judged after the secret', async (route) => {
    expectError(await ask(route, 'nonsense=1', { secret: 'x' }), 'unauthorized');
  });

  it('with the parameter of another route: 400 that names it', async () => {
    expectError(await ask('GET /api-keys', 'outcome=denied'), 'invalid_request', '"outcome"');
  });

  it('that is empty is none', async () => {
    expect((await ask('GET /api-keys', '')).status).toBe(200);
    expect((await ask('POST /authorize', '', { body: { ...QUESTION, apiKey: null } })).status).toBe(
      200,
    );
  });

  it.each(['/health', '/ready', '/version', '/openapi.json', '/postman.json'])(
    'of %s is not read, because monitors add one against caches',
    async (path) => {
      expect((await client.call('GET', `${path}?nonsense=1`)).status).toBe(200);
    },
  );
});

describe('an unknown address', () => {
  it.each<[string, string]>([
    ['GET', '/'],
    ['GET', '/rt'],
    ['GET', '/rt/projects'],
    ['GET', '/favicon.ico'],
    ['GET', '/%'],
    ['GET', '/%00'],
    ['GET', '//health'],
    ['GET', '/HEALTH'],
    ['DELETE', '/rt/projects/x/api-keys/y'],
    ['PUT', '/rt/projects/x/api-keys/y'],
    ['GET', '/rt/projects/x/authorize'],
    ['POST', '/rt/projects/x/api-keys/y/unrevoke'],
    ['OPTIONS', '/rt/projects/x/api-keys'],
  ])('%s %s: 404 `not_found`', async (method, path) => {
    expectError(await client.call(method, path), 'not_found');
  });

  it('includes a route with something after it', async () => {
    const path = `/rt/projects/${project.projectId}/api-keys/${apiKey.apiKeyId}`;
    for (const more of ['/', '/revoke/', '/x', '/revoke/x']) {
      expectError(await client.call('POST', path + more, { body: {} }), 'not_found');
    }
  });
});

describe('`x-request-id`', () => {
  const answered = async (id: string) => {
    const reply = await client.listKeys({ secret: null, headers: { 'x-request-id': id } });
    expectError(reply, 'unauthorized');
    return reply.headers.get('x-request-id') ?? '';
  };

  it.each(['abc', '01960000-0000-7000-8000-000000000001', 'a.b:c_d-e', 'x'.repeat(128)])(
    '%s is echoed, in the header and in the body of an error',
    async (id) => expect(await answered(id)).toBe(id),
  );

  it.each([
    ['too long', 'x'.repeat(129)],
    ['with a blank', 'a b'],
    ['with markup', '<script>'],
    ['with quotes', '"a"'],
    ['empty', ''],
    ['a list', 'a, b'],
  ])('that is %s is replaced by a new one', async (_what, id) => {
    expect(await answered(id)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/);
  });

  it('that contains a credential is replaced by a new one, since it is logged', async () => {
    for (const credential of [project.secret, apiKey.plaintext, `trace:${apiKey.plaintext}`]) {
      expect(await answered(credential)).not.toContain(credential.slice(-20));
    }
  });

  it('is on every answer, and differs each time if the request had none', async () => {
    const replies = await Promise.all([
      client.listKeys(),
      client.authorize({ apiKey: null }),
      client.call('GET', '/health'),
      client.call('GET', '/nowhere'),
      client.createKey(''),
    ]);
    const ids = replies.map(({ headers }) => headers.get('x-request-id'));
    expect(ids.every(Boolean)).toBe(true);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('every error', () => {
  it.each<[RuntimeErrorCode, () => Promise<Reply>]>([
    ['invalid_request', () => client.createKey('')],
    ['unauthorized', () => client.listKeys({ secret: null })],
    ['not_found', () => client.getKey('00000000-0000-7000-8000-000000000000')],
    ['payload_too_large', () => create({ body: 'x'.repeat(20_000) })],
    [
      'unsupported_media_type',
      () => create({ body: '{}', headers: { 'content-type': 'text/plain' } }),
    ],
  ])('%s is `{ error, message, requestId }` as JSON that no cache keeps', async (code, call) => {
    const reply = await call();
    expectError(reply, code, /^[A-Z"].*\.$/);
    expect(reply.headers.get('cache-control')).toBe('no-store');
  });
});
