/** Bad input: the documented status, a message that names the field, and never a 500. */
import {
  apiKeyCreateResultSchema,
  apiKeySummarySchema,
  authorizeBatchResultSchema,
  denyDecisionSchema,
} from '@ceiba/contract';
import type { RuntimeErrorCode } from '@ceiba/contract/sets';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { quickest } from '../../support/quickest.ts';
import {
  type CallOptions,
  QUESTION,
  type Reply,
  type RuntimeClient,
  runtimeClient,
  type TestApiKey,
  type TestProject,
} from '../../support/scenario.ts';
import { expectError, expectOk, FIELDS } from './assertions.ts';
import { startWorld } from './setup.ts';

const { world, runtime } = await startWorld();

let project: TestProject;
let client: RuntimeClient;
let apiKey: TestApiKey;

beforeAll(async () => {
  project = await world.createProject();
  client = runtimeClient(runtime.url, project);
  apiKey = await project.createKey();
});

afterAll(() => {
  // Nothing that this file sent was an error of the Runtime.
  expect(runtime.stdout()).not.toMatch(/"level":"(?:error|fatal)"/);
});

/** Every route that takes a body, with its cap and a body that it accepts. */
const BODY_ROUTES = {
  authorize: {
    cap: 64 * 1024,
    good: () => ({ ...QUESTION, apiKey: apiKey.plaintext }),
    send: (options: CallOptions) =>
      client.call('POST', `/rt/projects/${project.projectId}/authorize`, options),
  },
  'authorize/batch': {
    cap: 1024 * 1024,
    good: () => ({ requests: [{ ...QUESTION, apiKey: apiKey.plaintext }] }),
    send: (options: CallOptions) =>
      client.call('POST', `/rt/projects/${project.projectId}/authorize/batch`, options),
  },
  create: {
    cap: 16 * 1024,
    good: () => ({ displayName: 'Mobile app' }),
    send: (options: CallOptions) =>
      client.call('POST', `/rt/projects/${project.projectId}/api-keys`, options),
  },
  expiry: {
    cap: 16 * 1024,
    good: () => ({ expiresAt: null }),
    send: async (options: CallOptions) => {
      const { apiKeyId } = await project.createKey();
      return client.call(
        'PATCH',
        `/rt/projects/${project.projectId}/api-keys/${apiKeyId}`,
        options,
      );
    },
  },
  revoke: {
    cap: 16 * 1024,
    good: () => ({}),
    send: (options: CallOptions) => client.revoke(apiKeyFor.revoke, options),
  },
  archive: {
    cap: 16 * 1024,
    good: () => ({}),
    send: (options: CallOptions) => client.archive(apiKeyFor.archive, options),
  },
};
type BodyRoute = keyof typeof BODY_ROUTES;
const ROUTE_NAMES = Object.keys(BODY_ROUTES) as BodyRoute[];
/** Keys that may be revoked and archived any number of times. */
const apiKeyFor = { revoke: '', archive: '' };
beforeAll(async () => {
  apiKeyFor.revoke = (await project.createKey()).apiKeyId;
  apiKeyFor.archive = (await project.createKey()).apiKeyId;
});

const send = (route: BodyRoute, options: CallOptions): Promise<Reply> =>
  BODY_ROUTES[route].send(options);

/** A body that the route accepts, padded with white space to exactly this many bytes. */
const padded = (route: BodyRoute, bytes: number): string =>
  JSON.stringify(BODY_ROUTES[route].good()).padEnd(bytes, ' ');

const JSON_TYPE = { 'content-type': 'application/json' };

describe.each(ROUTE_NAMES)('a body of %s', (route) => {
  const { cap } = BODY_ROUTES[route];

  it(`of exactly ${cap / 1024} KiB is read`, async () => {
    const reply = await send(route, { body: padded(route, cap) });
    expect({ status: reply.status, text: reply.text.slice(0, 200) }).toMatchObject({ status: 200 });
  });

  it.each([1, 4_096, 1_000_000, 4_000_000])(
    'over the cap by %i bytes: 413 `payload_too_large`',
    async (more) => {
      const reply = await send(route, { body: padded(route, cap + more) });
      expectError(reply, 'payload_too_large', `${cap / 1024} KiB`);
    },
  );

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'application/json; charset=utf-16',
    'application/jsonx',
  ])('of the content type %s: 415 `unsupported_media_type`', async (type) => {
    const reply = await send(route, {
      body: padded(route, 100),
      headers: { 'content-type': type },
    });
    expectError(reply, 'unsupported_media_type', 'application/json');
  });

  it('of the content type application/json; charset=utf-8 is read', async () => {
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    expect((await send(route, { body: padded(route, 100), headers })).status).toBe(200);
  });

  it.each([
    ['nothing', ''],
    ['half an object', '{"displayName":'],
    ['a single quote', "{'displayName':'x'}"],
    ['a comment', '{} // x'],
    ['two values', '{}{}'],
    ['undefined', 'undefined'],
    ['NaN', '{"expiresAt":NaN}'],
    ['a raw NUL', '{"displayName":"\u0000"}'],
    ['a form', 'displayName=x'],
  ])('that is malformed (%s): 400', async (_what, body) => {
    expectError(await send(route, { body, headers: JSON_TYPE }), 'invalid_request', 'JSON');
  });

  it('that is not UTF-8: 400', async () => {
    const bytes = Buffer.concat([
      Buffer.from('{"displayName":"'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('"}'),
    ]);
    expectError(await send(route, { body: bytes, headers: JSON_TYPE }), 'invalid_request', 'UTF-8');
  });

  it.each([
    ['an array', '[]'],
    ['null', 'null'],
    ['a string', '"x"'],
    ['a number', '42'],
    ['a huge number', '1e999'],
    ['a boolean', 'true'],
    ['a very deep array', '['.repeat(7_000) + ']'.repeat(7_000)],
  ])('that is %s: 400', async (_what, body) => {
    expectError(await send(route, { body, headers: JSON_TYPE }), 'invalid_request', 'object');
  });
});

/** Routes that take known fields alone; `authorize` ignores what it does not know. */
describe.each(['create', 'expiry', 'revoke', 'archive'] as const)(
  'an unknown field in %s',
  (route) => {
    it.each([
      'status',
      'apiKeyId',
      '__proto__',
      'constructor',
      'toString',
      '',
      ' ',
      'déjà',
      'a'.repeat(500),
    ])('%j: 400 that names it', async (field) => {
      const fields = JSON.stringify(BODY_ROUTES[route].good()).slice(1, -1);
      const body = `{${[fields, `${JSON.stringify(field)}:1`].filter(Boolean).join(',')}}`;
      const reply = await send(route, { body, headers: JSON_TYPE });
      const shown = field.replace(/[^\x20-\x7e]/g, '?').slice(0, 64);
      expectError(reply, 'invalid_request', `"${shown}" is not a known field.`);
      expect(reply.text.length).toBeLessThan(300);
    });

    it('that is very deep: 400', async () => {
      const fields = JSON.stringify(BODY_ROUTES[route].good()).slice(1, -1);
      const deep = `"deep":${'{"a":'.repeat(2_000)}1${'}'.repeat(2_000)}`;
      const body = `{${[fields, deep].filter(Boolean).join(',')}}`;
      expectError(await send(route, { body, headers: JSON_TYPE }), 'invalid_request', '"deep"');
    });
  },
);

describe('`displayName`', () => {
  const create = (displayName: unknown) => send('create', { body: { displayName } });

  it.each([
    ['null', null],
    ['a number', 7],
    ['a huge number', 1e308],
    ['a boolean', true],
    ['an array', ['x']],
    ['an object', { toString: 'x' }],
  ])('%s: 400 that names it', async (_what, value) => {
    expectError(await create(value), 'invalid_request', '"displayName" must be a string.');
  });

  it('that is absent: 400 that names it', async () => {
    expectError(
      await send('create', { body: {} }),
      'invalid_request',
      '"displayName" is required.',
    );
  });

  it.each([
    ['nothing', ''],
    ['blanks', '   '],
    ['a line feed alone', '\n'],
    ['101 characters', 'x'.repeat(101)],
    ['ten thousand characters', 'x'.repeat(10_000)],
    ['a NUL', 'a\u0000b'],
    ['a bell', 'a\u0007b'],
    ['a line feed', 'a\nb'],
    ['a delete', 'a\u007fb'],
    ['a C1 control', 'a\u0085b'],
    ['a line separator', 'a\u2028b'],
    ['a lone high surrogate', 'a\ud800'],
    ['a lone low surrogate', '\udc00b'],
    ['two surrogates the wrong way round', '\udc00\ud800'],
  ])('of %s: 400 that names it', async (_what, value) => {
    expectError(await create(value), 'invalid_request', '"displayName" must');
  });

  it.each([
    ['exactly 100 characters', 'x'.repeat(100)],
    ['100 characters and blanks around them', `  ${'x'.repeat(100)}  `],
    ['one character', 'x'],
    ['characters outside the basic plane', '🌳'],
  ])('of %s is accepted, trimmed', async (_what, value) => {
    const result = expectOk(await create(value), apiKeyCreateResultSchema, FIELDS.created);
    expect(result.displayName).toBe(value.trim());
  });

  it('given twice: the last one counts, as in JSON.parse', async () => {
    const body = '{"displayName":"first","displayName":"second"}';
    const reply = await send('create', { body, headers: JSON_TYPE });
    expect(expectOk(reply, apiKeyCreateResultSchema, FIELDS.created).displayName).toBe('second');
  });
});

describe('`expiresAt`', () => {
  const patch = (expiresAt: unknown) => send('expiry', { body: { expiresAt } });

  it.each<[string, string]>([
    ['2031-01-31T12:00:00Z', '2031-01-31T12:00:00.000Z'],
    ['2031-01-31T12:00:00.5Z', '2031-01-31T12:00:00.500Z'],
    ['2031-01-31T12:00:00.123456789Z', '2031-01-31T12:00:00.123Z'],
    ['2031-01-31T12:00:00+05:30', '2031-01-31T06:30:00.000Z'],
    ['2031-01-31T12:00:00-08:00', '2031-01-31T20:00:00.000Z'],
    ['2031-01-31T23:59:59-23:59', '2031-02-01T23:58:59.000Z'],
    ['2031-01-31T12:00:00-00:00', '2031-01-31T12:00:00.000Z'],
    ['2028-02-29T00:00:00Z', '2028-02-29T00:00:00.000Z'],
    ['2000-02-29T00:00:00Z', '2000-02-29T00:00:00.000Z'],
    // Past ones are accepted and expire the key at once.
    ['2020-01-01T00:00:00Z', '2020-01-01T00:00:00.000Z'],
    ['1969-12-31T23:59:59Z', '1969-12-31T23:59:59.000Z'],
    ['0100-01-01T00:00:00Z', '0100-01-01T00:00:00.000Z'],
    // And far ones.
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    ['9999-12-31T23:59:59+14:00', '9999-12-31T09:59:59.000Z'],
  ])('%s is %s', async (expiresAt, stored) => {
    const apiKeySummary = expectOk(await patch(expiresAt), apiKeySummarySchema, FIELDS.apiKey);
    expect(apiKeySummary.expiresAt).toBe(stored);
    const read = await client.getKey(apiKeySummary.apiKeyId);
    expect(expectOk(read, apiKeySummarySchema, FIELDS.apiKey).expiresAt).toBe(stored);
  });

  it.each([
    ['no offset', '2031-01-31T12:00:00'],
    ['a date alone', '2031-01-31'],
    ['a time alone', '12:00:00Z'],
    ['no seconds', '2031-01-31T12:00Z'],
    ['an hour alone', '2031-01-31T12Z'],
    ['30 February', '2031-02-30T12:00:00Z'],
    ['29 February of no leap year', '2031-02-29T12:00:00Z'],
    ['29 February 1900', '1900-02-29T12:00:00Z'],
    ['31 April', '2031-04-31T12:00:00Z'],
    ['month 13', '2031-13-01T12:00:00Z'],
    ['month 0', '2031-00-01T12:00:00Z'],
    ['day 0', '2031-01-00T12:00:00Z'],
    ['hour 24', '2031-01-31T24:00:00Z'],
    ['minute 60', '2031-01-31T12:60:00Z'],
    ['second 61', '2031-01-31T12:00:61Z'],
    ['a leap second', '2016-12-31T23:59:60Z'],
    ['the year 10000', '10000-01-01T00:00:00Z'],
    ['the year +010000', '+010000-01-01T00:00:00Z'],
    ['a negative year', '-000001-01-01T00:00:00Z'],
    ['the year 0', '0000-01-01T00:00:00Z'],
    ['an offset that leads past the year 9999', '9999-12-31T23:59:59-01:00'],
    ['the year 99', '0099-12-31T23:59:59Z'],
    ['an offset that leads before the year 100', '0100-01-01T00:00:00+01:00'],
    ['an offset without a colon', '2031-01-31T12:00:00+0530'],
    ['an offset of an hour alone', '2031-01-31T12:00:00+05'],
    ['an offset of 24 hours', '2031-01-31T12:00:00+24:00'],
    ['a named zone', '2031-01-31T12:00:00 Europe/Berlin'],
    ['a space for the T', '2031-01-31 12:00:00Z'],
    ['a comma before the fraction', '2031-01-31T12:00:00,5Z'],
    ['blanks around it', ' 2031-01-31T12:00:00Z '],
    ['a line feed after it', '2031-01-31T12:00:00Z\n'],
    ['two digits of the year', '31-01-31T12:00:00Z'],
    ['a week date', '2031-W05-5T12:00:00Z'],
    ['RFC 1123', 'Fri, 31 Jan 2031 12:00:00 GMT'],
    ['Postgres words', 'infinity'],
    ['more Postgres words', 'tomorrow'],
    ['digits of another script', '２０３１-01-31T12:00:00Z'],
    ['an empty string', ''],
    ['a NUL', '2031-01-31T12:00:00Z\u0000'],
  ])('of %s: 400 that names it', async (_what, expiresAt) => {
    expectError(await patch(expiresAt), 'invalid_request', '"expiresAt" must');
  });

  it('with a fraction of any length is accepted, and cut to milliseconds', async () => {
    const expiresAt = `2031-01-31T12:00:00.5${'0'.repeat(15_000)}Z`;
    const summary = expectOk(await patch(expiresAt), apiKeySummarySchema, FIELDS.apiKey);
    expect(summary.expiresAt).toBe('2031-01-31T12:00:00.500Z');
  });

  it.each([
    ['a number of seconds', 1_927_627_200],
    ['a number of milliseconds', 1_927_627_200_000],
    ['zero', 0],
    ['true', true],
    ['false', false],
    ['an array', ['2031-01-31T12:00:00Z']],
    ['an object', { $date: '2031-01-31T12:00:00Z' }],
  ])('that is %s: 400 that names it', async (_what, expiresAt) => {
    expectError(await patch(expiresAt), 'invalid_request', '"expiresAt" must be');
  });

  it('that is absent: 400 that names it; only null clears', async () => {
    expectError(await send('expiry', { body: {} }), 'invalid_request', '"expiresAt" is required.');
  });

  it('leaves the key unchanged when it is invalid', async () => {
    const { apiKeyId } = await project.createKey();
    const before = (await client.getKey(apiKeyId)).text;
    expectError(await client.setExpiry(apiKeyId, 'soon'), 'invalid_request');
    expect((await client.getKey(apiKeyId)).text).toBe(before);
  });
});

const good = () => ({ ...QUESTION, apiKey: apiKey.plaintext });

/** How a question is asked: its JSON text, and what its field is called in messages. */
const WAYS = {
  '`authorize`': {
    field: (name: string) => name,
    ask: (question: string) => send('authorize', { body: question, headers: JSON_TYPE }),
  },
  'one item of a batch': { field: (name: string) => `requests.1.${name}`, ask: askBetween },
};

/** Asks between two good questions, which have to be allowed. */
async function askBetween(question: string): Promise<Reply> {
  const neighbour = JSON.stringify(good());
  const body = `{"requests":[${neighbour},${question},${neighbour}]}`;
  const reply = await send('authorize/batch', { body, headers: JSON_TYPE });
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

  it.each<[string, unknown]>([
    ['apiKey', 7],
    ['apiKey', true],
    ['apiKey', ['x']],
    ['apiKey', { a: 1 }],
    ['method', null],
    ['method', 7],
    ['method', ['GET']],
    ['path', null],
    ['path', 7],
    ['path', ['/']],
    ['path', {}],
  ])('`%s` of the wrong type (%j): 400 that names it', async (name, value) => {
    expectError(
      await ask({ ...good(), [name]: value }),
      'invalid_request',
      `"${field(name)}" must be a string.`,
    );
  });

  it.each(['method', 'path'])('without `%s`: 400 that names it', async (name) => {
    const body = { ...good(), [name]: undefined };
    expectError(await ask(body), 'invalid_request', `"${field(name)}" is required.`);
  });

  it.each([
    ['nothing', ''],
    ['a blank', 'GET '],
    ['a line feed', 'GET\n'],
    ['two methods', 'GET,POST'],
    ['a NUL', 'G\u0000T'],
    ['a character outside ASCII', 'GÉT'],
    ['a lone surrogate', '\ud800'],
    ['65 characters', 'X'.repeat(65)],
  ])('a `method` of %s: 400 that names it', async (_what, method) => {
    const reply = await ask({ ...good(), method });
    expectError(reply, 'invalid_request', `"${field('method')}" must`);
  });

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
    ['NULs', '/\u0000'],
    ['lone surrogates', '/\ud800'],
    ['sixty thousand characters', `/${'a'.repeat(60_000)}`],
    ['sixty thousand slashes', '/'.repeat(60_000)],
    ['sixty thousand stars', '*'.repeat(60_000)],
    ['twenty thousand escapes', `/${'%2e'.repeat(20_000)}`],
    ['dots', '/..'.repeat(20_000)],
  ])('a path of %s is a denial, and a fast one', async (_what, path) => {
    const tookMs = await quickest(async () => {
      const reply = await ask({ ...good(), path });
      expect(expectOk(reply, denyDecisionSchema, FIELDS.deny).denialReason).toBe('policy_no_match');
    });
    expect(tookMs).toBeLessThan(500);
  });
});

const BAD_UUIDS: [string, string][] = [
  ['a word', 'nope'],
  ['a number', '42'],
  ['no dashes', '0196000000007000800000000000000a'],
  ['braces', '{01960000-0000-7000-8000-000000000001}'],
  ['a URN', 'urn:uuid:01960000-0000-7000-8000-000000000001'],
  ['a character too few', '01960000-0000-7000-8000-00000000000'],
  ['a character too many', '01960000-0000-7000-8000-0000000000011'],
  ['a letter that is no digit', '01960000-0000-7000-8000-00000000000g'],
  ['a blank after it', '01960000-0000-7000-8000-000000000001 '],
  ['a line feed after it', '01960000-0000-7000-8000-000000000001\n'],
  ['a NUL after it', '01960000-0000-7000-8000-000000000001\u0000'],
  ['digits of another script', '０1960000-0000-7000-8000-000000000001'],
  ['SQL', "' or 1=1; --"],
  ['a path', '../../health'],
  ['two thousand characters', 'a'.repeat(2_000)],
  ['a percent sign', '%'],
];

describe('a bad UUID', () => {
  it.each(BAD_UUIDS)(
    'for the project (%s): 400 on every route, naming projectId',
    async (_what, projectId) => {
      const options = { projectId };
      for (const reply of await Promise.all([
        client.authorize({ apiKey: apiKey.plaintext }, options),
        client.listKeys(options),
        client.getKey(apiKey.apiKeyId, options),
        client.createKey('x', options),
        client.setExpiry(apiKey.apiKeyId, null, options),
        client.revoke(apiKey.apiKeyId, options),
        client.archive(apiKey.apiKeyId, options),
      ])) {
        expectError(reply, 'invalid_request', '"projectId" must be a UUID.');
      }
    },
  );

  it.each(BAD_UUIDS)(
    'for the key (%s): 400 on its four routes, naming apiKeyId',
    async (_what, apiKeyId) => {
      for (const reply of await Promise.all([
        client.getKey(apiKeyId),
        client.setExpiry(apiKeyId, null),
        client.revoke(apiKeyId),
        client.archive(apiKeyId),
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
  const KEY = 'api-keys/0199e0c0-0000-7000-8000-00000000a001';
  const routes = [
    'POST authorize',
    'POST authorize/batch',
    'GET api-keys',
    'POST api-keys',
    `GET ${KEY}`,
    `PATCH ${KEY}`,
    `POST ${KEY}/revoke`,
    `POST ${KEY}/archive`,
    'GET decisions',
    'GET decisions/0199e0c0-0000-7000-8000-00000000d001',
  ];
  const ask = (route: string, query: string, options: CallOptions = {}) => {
    const [method = '', path = ''] = route.split(' ');
    const body = method === 'GET' ? {} : { body: {} };
    return client.call(method, `/rt/projects/${project.projectId}/${path}?${query}`, {
      ...body,
      ...options,
    });
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
    expectError(await ask('GET api-keys', 'limit=1'), 'invalid_request', '"limit"');
  });

  it('that is empty is none', async () => {
    expect((await ask('GET api-keys', '')).status).toBe(200);
    expect((await ask('POST authorize', '', { body: { ...QUESTION, apiKey: null } })).status).toBe(
      200,
    );
  });

  it.each(['/health', '/ready', '/version', '/openapi.json'])(
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
    ['payload_too_large', () => send('create', { body: 'x'.repeat(20_000) })],
    [
      'unsupported_media_type',
      () => send('create', { body: '{}', headers: { 'content-type': 'text/plain' } }),
    ],
  ])('%s is `{ error, message, requestId }` as JSON that no cache keeps', async (code, call) => {
    const reply = await call();
    expectError(reply, code, /^[A-Z"].*\.$/);
    expect(reply.headers.get('cache-control')).toBe('no-store');
  });
});
