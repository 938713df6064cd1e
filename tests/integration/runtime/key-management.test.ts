/** Keys are found by page, created once, several at once, and imported from another issuer. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import {
  type ApiKeySummary,
  apiKeyCreateResultSchema,
  apiKeyListResultSchema,
  apiKeySummarySchema,
  apiKeysCreateResultSchema,
  apiKeysImportResultSchema,
  transportErrorSchema,
} from '@ceiba/contract';
import { afterAll, describe, expect, it } from 'vitest';
import { type Reply, runtimeClient, type TestProject } from '../../support/scenario.ts';
import { expectError, expectOk, FIELDS } from './assertions.ts';
import { startWorld } from './setup.ts';

const { world, runtime } = await startWorld();

afterAll(() => {
  // Nothing that this file sent was an error of the Runtime.
  expect(runtime.stdout()).not.toMatch(/"level":"(?:error|fatal)"/);
});

function callerOf(project: TestProject) {
  const client = runtimeClient(runtime.url, project);
  const { callBelow } = client;
  return {
    project,
    authorize: client.authorize,
    get: (path: string) => callBelow('GET', path),
    post: (path: string, body: unknown, headers: Record<string, string> = {}) =>
      callBelow('POST', path, { body, headers }),
    patch: (path: string, body: unknown) => callBelow('PATCH', path, { body }),
  };
}
type Caller = ReturnType<typeof callerOf>;
const makeRoom = async (activeKeyCap = 1_000) =>
  callerOf(await world.createProject({ plan: { activeKeyCap } }));

const createdOf = (reply: Reply) => expectOk(reply, apiKeyCreateResultSchema, FIELDS.created);
const create = async ({ post }: Caller, body: object) => createdOf(await post('/api-keys', body));
const idsOf = (apiKeys: readonly ApiKeySummary[]) => apiKeys.map(({ apiKeyId }) => apiKeyId);
const verdict = async ({ authorize }: Caller, apiKey: string) => {
  const { allowed, denialReason } = (await authorize({ apiKey })).json as {
    allowed: boolean;
    denialReason?: string;
  };
  return allowed ? 'allowed' : denialReason;
};
const keysOf = async (caller: Caller) =>
  expectOk(await caller.get('/api-keys'), apiKeyListResultSchema, FIELDS.list).apiKeys;

describe('metadata', () => {
  it('is shown where it is not empty, replaced whole, and removed by an empty object', async () => {
    const caller = await makeRoom();
    const metadata = { tier: 'gold', seats: [1, JSON.parse('{"__proto__": null}')] };
    const { apiKeyId } = await create(caller, { displayName: 'a', metadata });
    const address = `/api-keys/${apiKeyId}`;
    const read = async (fields: readonly string[]) =>
      expectOk(await caller.get(address), apiKeySummarySchema, [...FIELDS.apiKey, ...fields]);
    expect((await read(['metadata'])).metadata).toEqual(metadata);
    await caller.patch(address, { metadata: { other: 1 } });
    expect((await read(['metadata'])).metadata).toEqual({ other: 1 });
    await caller.patch(address, { displayName: 'b' });
    expect((await read(['metadata'])).metadata).toEqual({ other: 1 });
    await caller.patch(address, { metadata: {} });
    await read([]);
    const rows = await world.db.sql`
      select after from audit_log where target_id = ${apiKeyId} and action = 'api_key.update'`;
    expect(rows.map(({ after }) => after)).toEqual([
      { displayName: 'a' },
      { displayName: 'b' },
      { displayName: 'b' },
    ]);
  });

  it.each([
    null,
    [],
    'x',
    { a: 'x'.repeat(4_096) },
    { a: 1e300 },
    { a: '\0' },
    JSON.parse('{"__proto__": 1}'),
  ])('that is wrong is a 400 that names it: %j', async (metadata) => {
    const caller = await makeRoom();
    const { apiKeyId } = await create(caller, { displayName: 'a' });
    const body = { displayName: 'b', metadata };
    for (const reply of [
      await caller.post('/api-keys', body),
      await caller.patch(`/api-keys/${apiKeyId}`, body),
    ]) {
      expectError(reply, 'invalid_request', '"metadata" ');
    }
  });
});

describe('GET …/api-keys with parameters', () => {
  const pageOf = (reply: Reply) =>
    expectOk(reply, apiKeyListResultSchema, ['apiKeys', 'nextCursor']);
  const find = async ({ get }: Caller, query: string) => pageOf(await get(`/api-keys?${query}`));

  it('answers pages, newest first, whose last one has no next cursor', async () => {
    const caller = await makeRoom();
    const made = [];
    for (let number = 0; number < 5; number += 1) {
      made.unshift((await create(caller, { displayName: `key ${number}` })).apiKeyId);
    }
    const seen: string[] = [];
    let query = 'limit=2';
    for (let pages = 1; ; pages += 1) {
      const { apiKeys, nextCursor } = await find(caller, query);
      seen.push(...idsOf(apiKeys));
      if (nextCursor === null) {
        expect(pages).toBe(3);
        break;
      }
      query = `limit=2&cursor=${nextCursor}`;
    }
    expect(seen).toEqual(made);
    expect(idsOf((await find(caller, 'limit=500')).apiKeys)).toEqual(made);
    expect(idsOf(await keysOf(caller))).toEqual(made);
  });

  it('has 50 keys by default, also where only a filter is given', async () => {
    const caller = await makeRoom();
    await world.db.sql`
      insert into api_keys (project_id, display_name, key_prefix, key_digest)
      select ${caller.project.projectId}, 'key', 'ceiba_x', sha256(n::text::bytea)
      from generate_series(1, 51) n`;
    const { apiKeys, nextCursor } = await find(caller, 'status=active');
    expect(apiKeys).toHaveLength(50);
    expect(nextCursor).toMatch(/^after\./);
    expect(await keysOf(caller)).toHaveLength(51);
  });

  it('selects by customer, status, name, prefix, id and metadata, all together', async () => {
    const caller = await makeRoom();
    const { customerId } = await caller.project.createCustomer();
    const gold = { tier: 'gold', region: 'eu' };
    const acme = await create(caller, { displayName: 'Acme Prod', customerId, metadata: gold });
    const beta = await create(caller, { displayName: 'Beta 100%_x', metadata: { tier: 'gold' } });
    const old = await create(caller, { displayName: 'Old', metadata: { tier: ['gold'], n: 5 } });
    await caller.post(`/api-keys/${old.apiKeyId}/revoke`, {});
    await world.db.sql`update api_keys set note = 'only a note' where id = ${beta.apiKeyId}`;
    const cases: [string, { apiKeyId: string }[]][] = [
      [`customerId=${customerId}`, [acme]],
      [`customerId=${customerId.toUpperCase()}`, [acme]],
      [`customerId=${randomUUID()}`, []],
      ['status=active', [beta, acme]],
      ['status=revoked', [old]],
      ['status=archived', []],
      ['search=acme', [acme]],
      ['search=ME%20PR', [acme]],
      ['search=0%25_', [beta]],
      ['search=m', [acme]],
      ['search=pr', [acme]],
      ['search=B', [beta]],
      ['search=x', [beta]],
      ['search=only%20a%20note', []],
      ['search=a%25b', []],
      [`search=${acme.keyPrefix.slice(0, -2)}`, [acme]],
      [`search=${acme.keyPrefix}`, [acme]],
      [`search=${acme.keyPrefix.slice(6)}`, []],
      [`search=${acme.plaintextKey}`, []],
      [`search=${acme.apiKeyId}`, [acme]],
      [`search=${acme.apiKeyId.toUpperCase()}`, [acme]],
      ['metadata.tier=gold', [beta, acme]],
      ['metadata.tier=gold&metadata.region=eu', [acme]],
      ['metadata.tier=Gold', []],
      ['metadata.n=5', []],
      ['metadata.toString=x', []],
      ['metadata.__proto__=x', []],
      ['metadata.tier=gold&status=active&search=beta', [beta]],
      ['metadata.tier=gold&search=acme&status=revoked', []],
      ['limit=2&search=', [old, beta]],
    ];
    for (const [query, expected] of cases) {
      const { apiKeys } = await find(caller, query);
      expect(idsOf(apiKeys), query).toEqual(expected.map(({ apiKeyId }) => apiKeyId));
    }
    const stranger = await makeRoom();
    const { apiKeyId } = await create(stranger, { displayName: 'Acme', metadata: gold });
    expect(idsOf((await find(caller, 'metadata.region=eu')).apiKeys)).toEqual([acme.apiKeyId]);
    expect((await find(caller, `search=${apiKeyId}`)).apiKeys).toEqual([]);
  });

  it('after a cursor whose matches are gone has no keys, and no next cursor', async () => {
    const caller = await makeRoom();
    const metadata = { tier: 'gold' };
    const last = await create(caller, { displayName: 'last', metadata });
    await create(caller, { displayName: 'first', metadata });
    const { nextCursor } = await find(caller, 'metadata.tier=gold&limit=1');
    await caller.patch(`/api-keys/${last.apiKeyId}`, { metadata: {} });
    const cursors = [nextCursor, `after.${last.apiKeyId}`];
    for (const cursor of cursors) {
      expect(await find(caller, `metadata.tier=gold&cursor=${cursor}`)).toEqual({
        apiKeys: [],
        nextCursor: null,
      });
    }
  });

  it('refuses a cursor that is not a key of the project with a 400 that names it', async () => {
    const caller = await makeRoom();
    await create(caller, { displayName: 'a' });
    const stranger = await create(await makeRoom(), { displayName: 'b' });
    for (const id of [randomUUID(), stranger.apiKeyId]) {
      expectError(
        await caller.get(`/api-keys?cursor=after.${id}`),
        'invalid_request',
        '"cursor" must be a "nextCursor" of this list.',
      );
    }
  });

  it.each([
    ['limit=0', 'limit'],
    ['limit=501', 'limit'],
    ['limit=-1', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=ten', 'limit'],
    ['limit=1&limit=2', 'limit'],
    ['cursor=nonsense', 'cursor'],
    [`cursor=before.${randomUUID()}`, 'cursor'],
    ['customerId=acme', 'customerId'],
    ['status=expired', 'status'],
    ['status=active&status=active', 'status'],
    ['search=a%00b', 'search'],
    [`search=${'x'.repeat(2_049)}`, 'search'],
    ['nonsense=1', 'nonsense'],
    ['nonsense=', 'nonsense'],
    ['toString=1', 'toString'],
    ['metadata=gold', 'metadata'],
    ['metadata.=gold', 'metadata.'],
    ['metadata.=', 'metadata.'],
    ['metadata.a=', 'metadata.a'],
    ['metadata.a=&metadata.a=1', 'metadata.a'],
    ['status=active&metadata.a=1&metadata.b=', 'metadata.b'],
    ['metadata.a=1&metadata.a=2', 'metadata.a'],
    ['metadata.a=%00', 'metadata.a'],
    ['Limit=1', 'Limit'],
  ])('refuses %s with a 400 that names it', async (query, name) => {
    const { get } = await makeRoom();
    expectError(await get(`/api-keys?${query}`), 'invalid_request', `"${name}" `);
  });
});

describe('POST …/api-keys with an Idempotency-Key', () => {
  const named = ({ post }: Caller, name: string, body: object) =>
    post('/api-keys', body, { 'idempotency-key': name });

  function conflictOf(reply: Reply) {
    expect(reply.status).toBe(409);
    const body = transportErrorSchema.parse(reply.json);
    expect(body).toMatchObject({ error: 'conflict', requestId: reply.headers.get('x-request-id') });
    return body;
  }

  it('repeated, creates no second key and answers 409 with the id of the first', async () => {
    const caller = await makeRoom();
    const body = {
      displayName: 'Mobile app',
      metadata: { a: 1, b: { c: 1, d: 2 } },
      scopes: ['x'],
    };
    const { apiKeyId, plaintextKey } = createdOf(await named(caller, 'order 42', body));
    const reordered = {
      scopes: ['x'],
      metadata: { b: { d: 2, c: 1 }, a: 1 },
      displayName: ' Mobile app ',
    };
    for (const again of [body, reordered]) {
      const reply = await named(caller, 'order 42', again);
      expect(conflictOf(reply).apiKeyId).toBe(apiKeyId);
      expect(reply.text).not.toContain(plaintextKey);
    }
    const another = conflictOf(await named(caller, 'order 42', { ...body, displayName: 'Other' }));
    expect(another).not.toHaveProperty('apiKeyId');
    expect(await keysOf(caller)).toHaveLength(1);
    createdOf(await named(caller, 'order 43', body));
    createdOf(await named(await makeRoom(), 'order 42', body));
    createdOf(await caller.post('/api-keys', body));
  });

  it('creates one key, however many calls do so at once', async () => {
    const caller = await makeRoom();
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => named(caller, 'once', { displayName: 'Mobile app' })),
    );
    const [made, ...rest] = replies.sort((one, other) => one.status - other.status);
    const { apiKeyId } = createdOf(made!);
    expect(rest.map((reply) => conflictOf(reply).apiKeyId)).toEqual(rest.map(() => apiKeyId));
    expect(idsOf(await keysOf(caller))).toEqual([apiKeyId]);
  });

  it('stays free after a call that created no key, and is known before the cap is', async () => {
    const caller = await makeRoom(0);
    const body = { displayName: 'Mobile app', customerId: randomUUID() };
    expectError(await named(caller, 'n', body), 'plan_limit_reached');
    await caller.project.setPlanLimits({ activeKeyCap: 1 });
    expectError(await named(caller, 'n', body), 'not_found');
    expectError(await named(caller, 'n', { displayName: '' }), 'invalid_request');
    const { apiKeyId } = createdOf(await named(caller, 'n', { displayName: 'Another' }));
    expect(conflictOf(await named(caller, 'n', { displayName: 'Another' })).apiKeyId).toBe(
      apiKeyId,
    );
  });

  it('is forgotten after 24 hours', async () => {
    const caller = await makeRoom();
    const body = { displayName: 'Mobile app' };
    const first = createdOf(await named(caller, 'n', body));
    const age = (interval: string) => world.db.sql`
      update key_creations set created_at = created_at - ${interval}::interval
      where project_id = ${caller.project.projectId}`;
    await age('23 hours 59 minutes');
    expect(conflictOf(await named(caller, 'n', body)).apiKeyId).toBe(first.apiKeyId);
    await age('1 minute');
    const second = createdOf(await named(caller, 'n', { ...body, displayName: 'Other' }));
    expect(second.apiKeyId).not.toBe(first.apiKeyId);
    const again = await named(caller, 'n', { ...body, displayName: 'Other' });
    expect(conflictOf(again).apiKeyId).toBe(second.apiKeyId);
  });

  it.each(['', 'x'.repeat(256), 'tab\there', 'ümlaut'])('of %j is a 400', async (name) => {
    const reply = await named(await makeRoom(), name, { displayName: 'Mobile app' });
    expectError(reply, 'invalid_request', '"Idempotency-Key" must be 1 to 255 printable');
  });

  it.each(['x', 'x'.repeat(255), '!~ "'])('of %j is taken', async (name) => {
    createdOf(await named(await makeRoom(), name, { displayName: 'Mobile app' }));
  });
});

describe('POST …/api-keys/batch', () => {
  const resultsOf = (reply: Reply) =>
    expectOk(reply, apiKeysCreateResultSchema, ['results']).results;

  it('answers one result per key, in order, and a refused key leaves the others', async () => {
    const caller = await makeRoom(3);
    const apiKeys = [
      { displayName: 'one', metadata: { n: '1' } },
      { displayName: '' },
      { displayName: 'two', customerId: randomUUID() },
      7,
      { displayName: 'three', externalCustomerId: 'acme', customerId: randomUUID() },
      { displayName: 'four', externalCustomerId: 'acme' },
      { displayName: 'five', externalCustomerId: 'acme', rateLimitPerMinute: 2 ** 40 },
      { displayName: 'six', nonsense: 1 },
      { displayName: 'seven' },
      { displayName: 'eight' },
    ];
    const results = resultsOf(await caller.post('/api-keys/batch', { apiKeys }));
    const made = (displayName: string) => ({ status: 200, apiKey: { displayName } });
    const refused = (status: number, error: string, message: string) => ({
      status,
      error,
      message: expect.stringContaining(message),
    });
    expect(results).toMatchObject([
      made('one'),
      refused(400, 'invalid_request', '"apiKeys.1.displayName" must not be empty.'),
      refused(404, 'not_found', 'no such customer'),
      refused(400, 'invalid_request', '"apiKeys.3" must be an object.'),
      refused(400, 'invalid_request', '"apiKeys.4.customerId" must not be given together'),
      made('four'),
      refused(400, 'invalid_request', '"apiKeys.6.rateLimitPerMinute" must be at most'),
      refused(400, 'invalid_request', '"nonsense" is not a known field.'),
      made('seven'),
      refused(403, 'plan_limit_reached', 'The plan allows 3 active keys.'),
    ]);
    for (const result of results) {
      if (result.status !== 200) continue;
      expect(Object.keys(result.apiKey).sort()).toEqual([...FIELDS.created].sort());
      expect(await verdict(caller, result.apiKey.plaintextKey)).toBe('allowed');
    }
    expect(await keysOf(caller)).toHaveLength(3);
  });

  it('takes 1 to 100 keys, and no other field', async () => {
    const { post } = await makeRoom();
    const key = { displayName: 'a' };
    const several = (count: number) => ({ apiKeys: Array.from({ length: count }, () => key) });
    for (const [body, message] of [
      [several(0), '"apiKeys" must hold at least one key'],
      [several(101), '"apiKeys" must hold at most 100 keys'],
      [{}, '"apiKeys" is required'],
      [{ apiKeys: {} }, '"apiKeys" must be an array'],
      [{ ...several(1), dryRun: true }, '"dryRun" is not a known field'],
    ] as const) {
      expectError(await post('/api-keys/batch', body), 'invalid_request', message);
    }
    const headers = { 'idempotency-key': 'sent again after a lost answer' };
    const repeatable = await post('/api-keys/batch', several(1), headers);
    expectError(repeatable, 'invalid_request', '"Idempotency-Key"');
    const results = resultsOf(await post('/api-keys/batch', several(100)));
    expect(results.filter(({ status }) => status === 200)).toHaveLength(100);
  });
});

describe('POST …/api-keys/import', () => {
  const digestOf = (secret: string) => createHash('sha256').update(secret).digest();
  const row = (secret: string, more: object = {}) => ({
    digest: digestOf(secret).toString('base64url'),
    encoding: 'base64url',
    displayName: 'Imported',
    keyPrefix: secret.slice(0, 7),
    ...more,
  });
  const secret = () => `sk_${randomBytes(24).toString('hex')}`;
  const send = ({ post }: Caller, apiKeys: unknown[]) => post('/api-keys/import', { apiKeys });
  const resultsOf = (reply: Reply) =>
    expectOk(reply, apiKeysImportResultSchema, ['results']).results;
  const imported = async (caller: Caller, apiKeys: unknown[]) =>
    resultsOf(await send(caller, apiKeys));
  const idOf = (result: unknown) => (result as { apiKeyId: string }).apiKeyId;

  it('admits the original secrets, in every encoding, as of the next decision', async () => {
    const caller = await makeRoom();
    const secrets = Array.from({ length: 4 }, secret);
    const [hex, base64, base64url, unpadded] = secrets.map(digestOf);
    for (const plaintext of secrets)
      expect(await verdict(caller, plaintext)).toBe('invalid_api_key');
    const results = await imported(caller, [
      row(secrets[0]!, { digest: hex!.toString('hex').toUpperCase(), encoding: 'hex' }),
      row(secrets[1]!, { digest: base64!.toString('base64'), encoding: 'base64' }),
      row(secrets[2]!, { digest: base64url!.toString('base64url'), encoding: 'base64url' }),
      row(secrets[3]!, { digest: unpadded!.toString('base64').slice(0, -1), encoding: 'base64' }),
    ]);
    expect(results.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    for (const plaintext of secrets) expect(await verdict(caller, plaintext)).toBe('allowed');
    expect(await verdict(caller, secret())).toBe('invalid_api_key');
    expect(await verdict(await makeRoom(), secrets[0]!)).toBe('invalid_api_key');
  });

  it('takes the fields of a new key, and whether and when it was made', async () => {
    const caller = await makeRoom();
    const { externalId, customerId } = await caller.project.createCustomer();
    const plaintext = secret();
    const fields = {
      scopes: ['write', 'read'],
      metadata: { owner: 'Ann "A" \\ {x}', list: [1, 'é'] },
      rateLimitPerMinute: 0,
      dailyQuota: 1_000_000_000_000,
      monthlyQuota: 7,
    };
    const createdAt = '2021-05-06T07:08:09.123Z';
    const expiresAt = '2999-01-01T00:00:00Z';
    const [result] = await imported(caller, [
      row(plaintext, {
        ...fields,
        displayName: '  {"Quoted", \\ name} ',
        externalCustomerId: externalId,
        expiresAt,
        disabled: true,
        createdAt,
      }),
    ]);
    const reply = await caller.get(`/api-keys/${idOf(result)}`);
    expect(reply.json).toEqual({
      apiKeyId: idOf(result),
      displayName: '{"Quoted", \\ name}',
      keyPrefix: plaintext.slice(0, 7),
      status: 'active',
      createdAt,
      expiresAt: '2999-01-01T00:00:00.000Z',
      revokedAt: null,
      archivedAt: null,
      lastUsedAt: null,
      customer: { customerId, externalId },
      ...fields,
      scopes: ['read', 'write'],
      isImported: true,
    });
    expect(await verdict(caller, plaintext)).toBe('expired_api_key');
  });

  it('may be repeated: a digest that the project has is answered with its key, unchanged', async () => {
    const caller = await makeRoom();
    const secrets = [secret(), secret(), secret()];
    const rows = [...secrets, secrets[0]!].map((plaintext) => row(plaintext));
    const first = await imported(caller, rows);
    expect(idOf(first[3])).toBe(idOf(first[0]));
    await caller.post(`/api-keys/${idOf(first[1])}/revoke`, {});
    const before = await keysOf(caller);
    expect(before).toHaveLength(3);
    const again = rows.map((each) => ({ ...each, displayName: 'Other', monthlyQuota: 1 }));
    expect(await imported(caller, again)).toEqual(first);
    expect(await keysOf(caller)).toEqual(before);
    const rotations = await world.db.sql`
      select after, before from audit_log where action = 'project.import_keys'
        and target_id = ${caller.project.projectId} order by id`;
    expect([...rotations]).toEqual([
      { before: { acceptsImportedKeys: false }, after: { acceptsImportedKeys: true, imported: 3 } },
    ]);
    const own = await create(caller, { displayName: 'Own' });
    const [present] = await imported(caller, [row(own.plaintextKey, { keyPrefix: 'x' })]);
    expect(idOf(present)).toBe(own.apiKeyId);
    expect((await caller.get(`/api-keys/${own.apiKeyId}`)).json).not.toHaveProperty('isImported');
  });

  it('of the same keys by many calls at once makes each key once', async () => {
    const caller = await makeRoom();
    const rows = Array.from({ length: 50 }, () => row(secret()));
    const answers = await Promise.all(Array.from({ length: 4 }, () => imported(caller, rows)));
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(await keysOf(caller)).toHaveLength(50);
  });

  it('refuses a row alone, each with its reason, and leaves the others', async () => {
    const caller = await makeRoom(3);
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
    const whole = 'a-short-secret-of-24-chr';
    const good = [secret(), secret(), secret(), secret()];
    const rows: [unknown, number, string][] = [
      [row(good[0]!), 200, ''],
      [7, 400, '"apiKeys.1" must be an object.'],
      [row(secret(), { digest: 'zz' }), 400, '"apiKeys.2.digest" must be SHA-256, 32 bytes'],
      [row(secret(), { encoding: 'hex' }), 400, '"apiKeys.3.digest" must be SHA-256'],
      [
        row(secret(), { encoding: 'pbkdf2' }),
        400,
        '"apiKeys.4.encoding" must be one of hex, base64, ',
      ],
      [row(secret(), { displayName: '' }), 400, '"apiKeys.5.displayName" must not be empty.'],
      [row(secret(), { keyPrefix: 'with space' }), 400, '"apiKeys.6.keyPrefix" must be 1 to 32'],
      [row(secret(), { keyPrefix: 'x'.repeat(33) }), 400, '"apiKeys.7.keyPrefix" must be 1 to 32'],
      [row(whole, { keyPrefix: whole }), 400, '"apiKeys.8.keyPrefix" must not be the whole secret'],
      [row(secret(), { externalCustomerId: 'nobody' }), 404, 'no such customer'],
      [
        row(secret(), { createdAt: tomorrow }),
        400,
        '"apiKeys.10.createdAt" must not be in the future.',
      ],
      [row(secret(), { createdAt: null }), 400, '"apiKeys.11.createdAt" '],
      [row(secret(), { customerId: randomUUID() }), 400, '"customerId" is not a known field.'],
      [row(secret(), { disabled: 'yes' }), 400, '"apiKeys.13.disabled" must be a boolean.'],
      [row(secret(), { scopes: ['UPPER'] }), 400, '"apiKeys.14.scopes" '],
      [row(secret(), { monthlyQuota: 2 ** 40 }), 400, '"apiKeys.15.monthlyQuota" must be at most'],
      [row(secret(), { metadata: { a: '\0' } }), 400, '"apiKeys.16.metadata" '],
      [row(good[1]!), 200, ''],
      [row(good[2]!), 200, ''],
      [row(good[3]!), 403, 'The plan allows 3 active keys.'],
      [row(good[0]!), 200, ''],
    ];
    const results = await imported(
      caller,
      rows.map(([each]) => each),
    );
    for (const [index, [, status, message]] of rows.entries()) {
      const result = results[index]!;
      expect(result.status, `row ${index}`).toBe(status);
      if (result.status !== 200) expect(result.message).toContain(message);
    }
    expect(await keysOf(caller)).toHaveLength(3);
    const customers = await caller.get('/customers');
    expect(customers.json).toMatchObject({ customers: [] });
  });

  it('counts the cap of each customer by itself', async () => {
    const caller = await makeRoom();
    const { externalId, planId } = await caller.project.createCustomer({ plan: {} });
    await world.db.sql`update customer_plans set active_key_cap = 1 where id = ${planId}`;
    const rows = [1, 2].map(() => row(secret(), { externalCustomerId: externalId }));
    const results = await imported(caller, [...rows, row(secret())]);
    expect(results.map(({ status }) => status)).toEqual([200, 403, 200]);
  });

  it('refuses the digest of a secret that a rotation has replaced', async () => {
    const caller = await makeRoom();
    const plaintext = secret();
    const [result] = await imported(caller, [row(plaintext)]);
    const apiKeyId = idOf(result);
    const body = { keyPrefix: plaintext.slice(0, 7), overlapSeconds: 60 };
    const rotated = await caller.post(`/api-keys/${apiKeyId}/rotate`, body);
    expect(rotated.status).toBe(200);
    const { plaintextKey } = rotated.json as { plaintextKey: string };
    for (const each of [plaintext, plaintextKey])
      expect(await verdict(caller, each)).toBe('allowed');
    const key = (await caller.get(`/api-keys/${apiKeyId}`)).json;
    expect(key).not.toHaveProperty('isImported');
    expect(await imported(caller, [row(plaintext)])).toEqual([
      { status: 409, error: 'conflict', message: expect.stringContaining(apiKeyId) },
    ]);
  });

  it('takes 1 to 1,000 rows in at most 5 MiB', async () => {
    const caller = await makeRoom(2_000);
    const several = (count: number) => Array.from({ length: count }, () => row(secret()));
    expectError(await send(caller, []), 'invalid_request', 'must hold at least one key');
    expectError(
      await send(caller, several(1_001)),
      'invalid_request',
      'must hold at most 1000 keys',
    );
    const results = await imported(caller, several(1_000));
    expect(results.filter(({ status }) => status === 200)).toHaveLength(1_000);
    const metadata = { text: 'x'.repeat(4_000) };
    const large = Array.from({ length: 250 }, () => row(secret(), { metadata }));
    expect((await imported(caller, large)).every(({ status }) => status === 200)).toBe(true);
    const over = JSON.stringify({ apiKeys: several(1) }).padEnd(5 * 1024 * 1024 + 1, ' ');
    const headers = { 'content-type': 'application/json' };
    const reply = await caller.post('/api-keys/import', over, headers);
    expectError(reply, 'payload_too_large', '5120 KiB');
    const exact = await caller.post('/api-keys/import', over.slice(0, -1), headers);
    expect(exact.status).toBe(200);
  });
});
