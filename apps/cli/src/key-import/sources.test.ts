import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { SOURCES, type SourceName } from './sources.ts';

const SECRET = 'a-secret-of-sixteen-1';
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

const rowsOf = (from: SourceName, text: string | object) =>
  SOURCES[from]('keys', typeof text === 'string' ? text : JSON.stringify(text), {
    linksCustomers: false,
  });

/** What the only row of a file becomes. */
const oneOf = (from: SourceName, text: string | object) => rowsOf(from, text)[0]?.parsed;

const kong = (consumer: string) => `consumers:\n- ${consumer}\n`;

describe('a file in CSV', () => {
  test('names an unknown column by its number, since without a first line of names it is a secret', () => {
    const read = () => rowsOf('csv', `displayName,${SECRET}\nOne,a-secret-of-sixteen-2\n`);
    expect(read).toThrow('unknown column: its column 2');
    expect(read).not.toThrow(SECRET);
  });

  test('is refused with the numbers of two columns of one name, whatever the source', () => {
    const head = 'hash,expires,enabled,deleted_at_m,expires';
    expect(() => rowsOf('unkey', `${head}\n`)).toThrow('columns 2 and 5 have the same name');
    expect(() => rowsOf('csv', 'plaintext,plaintext\n')).toThrow('columns 1 and 2');
  });

  test.each(['2026-02-30T00:00:00Z', '2026-04-31 10:00:00', '2027-02-29T23:59:59+02'])(
    'is refused for the impossible day of %s, which is not moved to a later one',
    (expiresAt) => {
      expect(oneOf('csv', `plaintext,expiresAt\n${SECRET},${expiresAt}\n`)).toEqual({
        field: 'expiresAt',
        problem: 'must be a time',
      });
    },
  );

  test('may have the last day of a leap year’s February', () => {
    const row = oneOf('csv', `plaintext,expiresAt\n${SECRET},2028-02-29T23:59:59+02:00\n`);
    expect(row).toMatchObject({ expiresAt: '2028-02-29T21:59:59.000Z' });
  });
});

describe('the configuration of Kong', () => {
  const acls = 'ACL groups: the key may call every policy until it has scopes';
  const plugins = 'plugins or consumer groups of its consumer, such as limits';

  test('counts the ACL groups, consumer groups and plugins that a consumer has itself', () => {
    const credential = `keyauth_credentials: [{ key: ${SECRET} }]`;
    const leftOut = (own: string) => rowsOf('kong', kong(`{ ${credential}, ${own} }`))[0]?.leftOut;
    expect(leftOut('acls: [{ group: readers }]')).toEqual([acls]);
    expect(leftOut('plugins: [{ name: rate-limiting }]')).toEqual([plugins]);
    expect(leftOut('groups: [{ name: gold }]')).toEqual([plugins]);
    expect(leftOut('acls: [], plugins: []')).toEqual([]);
  });

  test('counts those that name their consumer in a list of their own, by its id or its name', () => {
    const document = {
      consumers: [
        { id: 'c1', username: 'acme', keyauth_credentials: [{ key: SECRET }] },
        { username: 'globex' },
        { id: 'c3', username: 'initech' },
        { id: 'c4', username: 'hooli' },
      ],
      keyauth_credentials: ['globex', 'c3', 'c4'].map((consumer) => ({ key: SECRET, consumer })),
      acls: [{ group: 'readers', consumer: { id: 'c1' } }],
      plugins: [
        { name: 'rate-limiting', consumer: 'globex' },
        { name: 'cors', consumer: null },
      ],
      consumer_groups: [{ name: 'gold', consumers: [{ username: 'acme' }] }],
      consumer_group_consumers: [{ consumer: 'c3', consumer_group: 'g1' }],
    };
    const rows = rowsOf('kong', document).map(({ name, leftOut }) => [name, leftOut]);
    expect(rows).toEqual([
      ['acme', [acls, plugins]],
      ['globex', [plugins]],
      ['initech', [plugins]],
      ['hooli', []],
    ]);
  });

  test.each([
    ['key: 12345678901234567890', '{ "key": 12345678901234567890 }'],
    ['key: 1234567890123456', '{ "key": 1234567890123456 }'],
    ['key: true', '{ "key": true }'],
  ])('is refused for %s without quotation marks, in YAML and JSON', (yaml, json) => {
    const problem = { field: 'plaintext', problem: 'must be in quotation marks' };
    expect(oneOf('kong', kong(`keyauth_credentials: [{ ${yaml} }]`))).toEqual(problem);
    expect(oneOf('kong', `{ "data": [${json}] }`)).toEqual(problem);
  });

  test.each(['007', '0x10', '1e3', '1.0', '+7', '12345678901234567890', 'true', '.inf'])(
    'is refused for the owner %s without quotation marks, which would be another one',
    (id) => {
      const consumer = `{ custom_id: ${id}, username: acme, keyauth_credentials: [{ key: ${SECRET} }] }`;
      expect(oneOf('kong', kong(consumer))).toEqual({
        field: 'custom_id',
        problem: 'must be in quotation marks',
      });
    },
  );

  test('is refused for a tag without quotation marks that would be another one', () => {
    const tagged = (tag: string) =>
      oneOf('kong', kong(`keyauth_credentials: [{ key: ${SECRET}, tags: [beta, ${tag}] }]`));
    expect(tagged('007')).toEqual({ field: 'tags', problem: 'must be in quotation marks' });
    expect(tagged('"007"')).toMatchObject({ metadata: { tags: ['beta', '007'] } });
  });

  test('may name an owner by a plain whole number', () => {
    const consumer = `{ custom_id: 4711, keyauth_credentials: [{ key: "${SECRET}" }] }`;
    expect(oneOf('kong', kong(consumer))).toMatchObject({
      digest: sha256(SECRET),
      metadata: { owner: '4711' },
    });
  });
});

test('one page of several is refused, since the keys of the others would be missing', () => {
  const page = 'it may be one page of several';
  const data = [{ key: SECRET }];
  expect(() => rowsOf('kong', { data, next: '/key-auths?offset=WyJ' })).toThrow(page);
  expect(() => rowsOf('kong', { data, next: null, offset: 'WyJ' })).toThrow(page);
  expect(rowsOf('kong', { data, next: null, offset: null })).toHaveLength(1);
  const keys = [{ token: sha256(SECRET), expires: null, blocked: null }];
  expect(() => rowsOf('litellm', { keys, total_pages: 2 })).toThrow(`total_pages beside`);
  const body = { migrationId: 'acme', apiId: 'api_1', keys: [{ hash: 'x' }] };
  expect(rowsOf('unkey', body)).toHaveLength(1);
});

describe('the tables of other issuers', () => {
  const hash = createHash('sha256').update(SECRET).digest('base64');
  const ofUnkey = { hash, expires: null, enabled: true, deleted_at_m: null };
  const ofLiteLlm = { token: sha256(SECRET), expires: null, blocked: null };
  const ofBetterAuth = { key: SECRET, start: 'a-secr', expiresAt: null, enabled: true };

  const TABLES: readonly [SourceName, Record<string, unknown>][] = [
    ['unkey', { hash: 'x', expires: null, enabled: true, deleted_at_m: null }],
    ['better-auth', { key: 'x', expiresAt: null, enabled: true }],
    ['better-auth', { key: 'x', expires_at: null, enabled: true }],
    ['litellm', { token: 'x', expires: null, blocked: null }],
  ];
  const without = TABLES.flatMap(([source, table]) =>
    Object.keys(table).map((column) => [source, column, table] as const),
  );

  test.each(without)(
    '%s is refused without its column %s, or with it renamed',
    (source, column, table) => {
      const { [column]: value, ...others } = table;
      const renamed = { ...others, [`${column.toLowerCase()}_`]: value };
      expect(() => rowsOf(source, [table])).not.toThrow();
      expect(() => rowsOf(source, [others, others])).toThrow(`no column ${column.split('_')[0]}`);
      expect(() => rowsOf(source, `${Object.keys(renamed).join()}\n`)).toThrow('no column');
      expect(() => rowsOf(source, [table, others])).not.toThrow();
    },
  );

  test('the body of a migration of Unkey may leave out what its route lets it', () => {
    expect(oneOf('unkey', { keys: [{ hash }] })).toMatchObject({ digest: hash });
    expect(() => rowsOf('unkey', { keys: [{ name: 'One' }] })).toThrow('no column hash');
  });

  test('are refused for numbers in place of digests and unsafe ones of owners, and name the row', () => {
    const litellm = { token: 1, expires: null, blocked: null };
    expect(oneOf('litellm', [litellm])).toEqual({
      field: 'digest',
      problem: 'must be in quotation marks',
    });
    const rows = rowsOf(
      'unkey',
      `{"keys":[{"hash":"${hash}","externalId":7},{"hash":"${hash}","externalId":9007199254740993}]}`,
    );
    expect(rows.map(({ row, parsed }) => [row, parsed])).toEqual([
      [1, expect.objectContaining({ metadata: { owner: '7' } })],
      [2, { field: 'externalId', problem: 'must be in quotation marks' }],
    ]);
  });

  test.each<[SourceName, Record<string, unknown>, string]>([
    ['litellm', { ...ofLiteLlm, rpm_limit: '1,000' }, 'rpm_limit'],
    ['litellm', { ...ofLiteLlm, rpm_limit: 1.5 }, 'rpm_limit'],
    ['better-auth', { ...ofBetterAuth, rateLimitEnabled: true, rateLimitMax: [] }, 'rateLimitMax'],
    [
      'better-auth',
      { ...ofBetterAuth, refillAmount: 1, refillInterval: 'a day' },
      'refillInterval',
    ],
    ['unkey', { ...ofUnkey, ratelimit_limit: ' ', ratelimit_duration: 60_000 }, 'ratelimit_limit'],
    ['unkey', { ...ofUnkey, ratelimits: [{ limit: '0x10', duration: 60_000 }] }, 'limit'],
    ['unkey', { ...ofUnkey, ratelimits: '{"limit":1}' }, 'ratelimits'],
    ['unkey', { ...ofUnkey, ratelimit: 'fast' }, 'ratelimit'],
    ['unkey', { ...ofUnkey, credits: { refill: { amount: 'all' } } }, 'amount'],
    ['unkey', { ...ofUnkey, credits: { refill: 7 } }, 'refill'],
  ])('%s is refused for the limit of %o, which would be none', (source, record, field) => {
    expect(oneOf(source, [record])).toEqual({ field, problem: expect.stringMatching(/^must be/) });
  });

  test('have limits as numbers or as their texts, and one without its window is left out', () => {
    const ratelimits = [{ limit: '100', duration: '60000' }];
    expect(oneOf('unkey', [{ ...ofUnkey, ratelimits }])).toMatchObject({ rateLimitPerMinute: 100 });
    const refill = { amount: '7', interval: 'monthly' };
    expect(oneOf('unkey', [{ ...ofUnkey, credits: { refill } }])).toMatchObject({
      monthlyQuota: 7,
    });
    const [unkey] = rowsOf('unkey', [{ ...ofUnkey, ratelimit_limit: 100 }]);
    expect(unkey?.leftOut).toEqual(['rate limit whose window is neither a minute nor a day']);
    const [betterAuth] = rowsOf('better-auth', [{ ...ofBetterAuth, refillAmount: 100 }]);
    expect(betterAuth?.leftOut).toEqual(['uses that are refilled in another time than a day']);
  });

  test.each([
    [100, 1_000],
    [1_000, 100],
  ])('have of two limits of a day, %i and %i, the smaller', (rate, refill) => {
    const unkey = {
      ...ofUnkey,
      ratelimits: [{ limit: rate, duration: 86_400_000 }],
      credits: { refill: { interval: 'daily', amount: refill } },
    };
    const betterAuth = {
      ...ofBetterAuth,
      ...{ rateLimitEnabled: true, rateLimitMax: rate, rateLimitTimeWindow: 86_400_000 },
      ...{ refillAmount: refill, refillInterval: 86_400_000 },
    };
    for (const row of [...rowsOf('unkey', [unkey]), ...rowsOf('better-auth', [betterAuth])]) {
      expect(row.parsed).toMatchObject({ dailyQuota: 100 });
      expect(row.leftOut).toEqual(['the larger of two limits of one window']);
    }
  });

  test('have metadata that is not an object counted as left out', () => {
    const key = createHash('sha256').update(SECRET).digest('base64url');
    const table = { key, start: 'acme', expiresAt: null, enabled: true };
    const leftOut = (metadata: unknown) =>
      rowsOf('better-auth', [{ ...table, metadata }])[0]?.leftOut;
    expect(leftOut('{"tier":')).toEqual(['metadata that is no JSON object']);
    expect(leftOut('[1]')).toEqual(['metadata that is no JSON object']);
    expect(leftOut('{"tier":1}')).toEqual([]);
    expect(leftOut('null')).toEqual([]);
    const counted = rowsOf('unkey', { keys: [{ hash, meta: 'tier 1' }] });
    expect(counted[0]?.leftOut).toEqual(['metadata that is no JSON object']);
  });

  test('better-auth has a digest where a key is 43 digits of base64url, however it begins', () => {
    const table = { expiresAt: null, enabled: true };
    const key = createHash('sha256').update(SECRET).digest('base64url');
    const stored = { ...table, key, start: key.slice(0, 1) };
    expect(oneOf('better-auth', [stored])).toMatchObject({ digest: key, encoding: 'base64url' });
    const plain = { ...table, key: SECRET, start: 'a-secr' };
    expect(oneOf('better-auth', [plain])).toMatchObject({ digest: sha256(SECRET) });
  });

  test('Unkey’s root keys, which administer Unkey itself, are skipped', () => {
    const table = { ...ofUnkey, start: 'unkey_' };
    const rows = rowsOf('unkey', [
      { ...table, for_workspace_id: 'ws_1' },
      { ...table, for_workspace_id: null },
    ]);
    expect(rows.map(({ parsed }) => (typeof parsed === 'string' ? parsed : 'key'))).toEqual([
      'root key',
      'key',
    ]);
  });
});
