/** The contract's "Endpoints: Key lifecycle" and "Resources: API key", rule by rule. */
import { randomUUID } from 'node:crypto';
import {
  type ApiKeySummary,
  apiKeyCreateResultSchema,
  apiKeyLifecycleResultSchema,
  apiKeyListResultSchema,
  apiKeySummarySchema,
} from '@ceiba/contract';
import { isWellFormedApiKey } from '@ceiba/domain';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Reply, runtimeClient } from '../../support/scenario.ts';
import { expectError, expectFields, expectOk, FIELDS } from './assertions.ts';
import { startWorld } from './setup.ts';

const { world, runtime } = await startWorld();
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const ISO_8601 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const project = await world.createProject();
const client = runtimeClient(runtime.url, project);
const stranger = await world.createProject();
const strangerClient = runtimeClient(runtime.url, stranger);

const created = async (displayName = 'Mobile app', by = client) =>
  expectOk(await by.createKey(displayName), apiKeyCreateResultSchema, FIELDS.created);

const listed = async (by = client): Promise<ApiKeySummary[]> => {
  const { apiKeys } = expectOk(await by.listKeys(), apiKeyListResultSchema, FIELDS.list);
  for (const apiKey of apiKeys) expectFields(apiKey, FIELDS.apiKey);
  return apiKeys;
};

const read = async (apiKeyId: string, by = client): Promise<ApiKeySummary> =>
  expectOk(await by.getKey(apiKeyId), apiKeySummarySchema, FIELDS.apiKey);

describe('POST …/api-keys (create)', () => {
  it('answers 200 with the create result: apiKeyId (UUID), displayName, keyPrefix, plaintextKey', async () => {
    const result = await created('  Mobile app ');
    expect(result.apiKeyId).toMatch(UUID);
    expect(result.displayName).toBe('Mobile app');
    expect(result.plaintextKey).toMatch(/^ceiba_[0-9A-Za-z]{49}$/);
    expect(isWellFormedApiKey(result.plaintextKey)).toBe(true);
    expect(result.keyPrefix).toBe(result.plaintextKey.slice(0, 'ceiba_'.length + 8));
  });
});

describe('create at the plan\'s active-key cap: "the response is 403 `plan_limit_reached`"', () => {
  const capped = async (activeKeyCap: number) => {
    const small = await world.createProject({ plan: { activeKeyCap } });
    return { small, by: runtimeClient(runtime.url, small) };
  };

  it('"Remedy: revoke or archive a key, or move to a higher plan." is in the message', async () => {
    const { small, by } = await capped(2);
    const { apiKeyId } = await created('one', by);
    await created('two', by);
    const refused = await by.createKey('three');
    expectError(refused, 'plan_limit_reached', /2 active keys.*[Rr]evoke or archive.*higher plan/);
    expect(await listed(by)).toHaveLength(2);

    await by.archive(apiKeyId);
    await created('three', by);
    expectError(await by.createKey('four'), 'plan_limit_reached');
    await small.setPlanLimits({ activeKeyCap: 3 });
    await created('four', by);
    expectError(await by.createKey('five'), 'plan_limit_reached');
  });
});

describe('GET …/api-keys (list)', () => {
  it('answers `{ apiKeys: [] }` for a project without keys', async () => {
    const empty = await world.createProject();
    expect(await listed(runtimeClient(runtime.url, empty))).toEqual([]);
  });

  it('"the list returns all keys for the project", without pages', async () => {
    const mine = await world.createProject();
    const by = runtimeClient(runtime.url, mine);
    await world.db.sql`
      insert into api_keys (project_id, display_name, key_prefix, key_digest, created_at)
      select ${mine.projectId}, 'key ' || n, 'ceiba_AAAAAAAA', sha256(n::text::bytea),
        now() - make_interval(secs => n)
      from generate_series(1, 1200) n`;
    const names = (await listed(by)).map(({ displayName }) => displayName);
    expect(names).toEqual(Array.from({ length: 1200 }, (_, index) => `key ${index + 1}`));
  });
});

describe('"Read shape, returned by list, get and expiry update", row by row', () => {
  const isInstant = (value: unknown) => typeof value === 'string' && ISO_8601.test(value);
  const rows: [keyof ApiKeySummary, string, (apiKey: ApiKeySummary) => boolean][] = [
    ['apiKeyId', 'string (UUID)', ({ apiKeyId }) => UUID.test(apiKeyId)],
    ['displayName', 'human label supplied at creation', (key) => names.has(key.displayName)],
    ['keyPrefix', 'display-safe prefix', ({ keyPrefix }) => /^ceiba_\w{8}$/.test(keyPrefix)],
    ['status', '`active`, `revoked` or `archived`', (key) => key.status === statusOf(key)],
    ['createdAt', 'ISO 8601 timestamp, present', ({ createdAt }) => isInstant(createdAt)],
    ['expiresAt', 'null when no expiry is set', (key) => isSet(key.expiresAt, key, 'expiring')],
    ['revokedAt', 'set when revoked', (key) => isSet(key.revokedAt, key, 'revoked')],
    ['archivedAt', 'set when archived', (key) => isSet(key.archivedAt, key, 'archived')],
    ['lastUsedAt', 'null until the first allow', (key) => isSet(key.lastUsedAt, key, 'used')],
  ];
  const names = new Set(['plain', 'expiring', 'revoked', 'archived', 'used']);
  const statusOf = ({ displayName }: ApiKeySummary) =>
    ['revoked', 'archived'].includes(displayName) ? displayName : 'active';
  const isSet = (value: string | null, { displayName }: ApiKeySummary, when: string) =>
    displayName === when ? isInstant(value) : value === null;

  let shown: ApiKeySummary[];
  beforeAll(async () => {
    const mine = await world.createProject();
    const by = runtimeClient(runtime.url, mine);
    const ids: Record<string, string> = {};
    for (const name of names) {
      const { apiKeyId, plaintextKey } = await created(name, by);
      ids[name] = apiKeyId;
      if (name === 'used') await by.authorize({ apiKey: plaintextKey });
    }
    const updated = await by.setExpiry(ids.expiring!, '2031-01-01T00:00:00Z');
    await by.revoke(ids.revoked!);
    await by.archive(ids.archived!);
    const gotten = await Promise.all(Object.values(ids).map((apiKeyId) => read(apiKeyId, by)));
    const updatedKey = expectOk(updated, apiKeySummarySchema, FIELDS.apiKey);
    shown = [...(await listed(by)), ...gotten, updatedKey];
  });

  it.each(rows)('%s: %s', (_field, _notes, holds) => {
    expect(shown).toHaveLength(11);
    expect(shown.filter((apiKey) => !holds(apiKey))).toEqual([]);
  });

  it('has no other rows', () => {
    expect(rows.map(([field]) => field)).toEqual(FIELDS.apiKey);
  });
});

describe('GET …/api-keys/{apiKeyId} (get)', () => {
  it('answers one key in read shape: every field, and no other', async () => {
    const { apiKeyId, keyPrefix } = await created('Batch job');
    const apiKey = await read(apiKeyId);
    expect(apiKey).toEqual({
      apiKeyId,
      displayName: 'Batch job',
      keyPrefix,
      status: 'active',
      createdAt: expect.stringMatching(ISO_8601),
      expiresAt: null,
      revokedAt: null,
      archivedAt: null,
      lastUsedAt: null,
    });
    expect(Math.abs(Date.parse(apiKey.createdAt) - Date.now())).toBeLessThan(60_000);
  });
});

describe('PATCH …/api-keys/{apiKeyId} (expiry)', () => {
  it('answers the updated key in read shape', async () => {
    const { apiKeyId } = await created();
    const before = await read(apiKeyId);
    const reply = await client.setExpiry(apiKeyId, '2031-05-06T09:08:09.010+02:00');
    const body = expectOk(reply, apiKeySummarySchema, FIELDS.apiKey);
    expect(body).toEqual({ ...before, expiresAt: '2031-05-06T07:08:09.010Z' });
  });
});

describe('POST …/revoke and …/archive', () => {
  it.each(['revoke', 'archive'] as const)(
    '%s takes `{}`, and also no body without a content type',
    async (trigger) => {
      const status = trigger === 'revoke' ? 'revoked' : 'archived';
      const withObject = await created();
      const withNothing = await created();
      const path = (apiKeyId: string) =>
        `/rt/projects/${project.projectId}/api-keys/${apiKeyId}/${trigger}`;
      const replies = [
        await client.call('POST', path(withObject.apiKeyId), { body: {} }),
        await client.call('POST', path(withNothing.apiKeyId)),
      ];
      for (const [index, reply] of replies.entries()) {
        const body = expectOk(reply, apiKeyLifecycleResultSchema, FIELDS.lifecycle);
        const { apiKeyId } = [withObject, withNothing][index]!;
        expect(body).toEqual({ apiKeyId, status });
      }
    },
  );
});

describe('"404 `not_found` if the key does not exist or belongs to another project"', () => {
  const options = { headers: { 'x-request-id': 'the-same-for-both' } };
  const routes: [string, (apiKeyId: string) => Promise<Reply>][] = [
    ['GET one', (id) => client.getKey(id, options)],
    ['PATCH', (id) => client.setExpiry(id, '2031-01-01T00:00:00Z', options)],
    ['POST revoke', (id) => client.revoke(id, options)],
    ['POST archive', (id) => client.archive(id, options)],
  ];

  it.each(routes)('%s: "the two cases are deliberately indistinguishable"', async (_name, call) => {
    const theirs = await created('theirs', strangerClient);
    const unknown = await call(randomUUID());
    const foreign = await call(theirs.apiKeyId);
    expectError(unknown, 'not_found');
    expectError(foreign, 'not_found');
    expect(foreign.text).toBe(unknown.text);
    const headersOf = ({ headers }: Reply) => [...headers].filter(([name]) => name !== 'date');
    expect(headersOf(foreign)).toEqual(headersOf(unknown));
    expect(await read(theirs.apiKeyId, strangerClient)).toMatchObject({
      status: 'active',
      expiresAt: null,
    });
  });

  it('"Key lifecycle calls are scoped to the project in the path": the list shows no other\'s', async () => {
    const theirs = await created('theirs', strangerClient);
    expect((await listed()).map(({ apiKeyId }) => apiKeyId)).not.toContain(theirs.apiKeyId);
  });
});

describe('UUIDs', () => {
  it('are compared without regard to letter case', async () => {
    const { apiKeyId } = await created();
    const options = { projectId: project.projectId.toUpperCase() };
    const reply = await client.getKey(apiKeyId.toUpperCase(), options);
    expect(expectOk(reply, apiKeySummarySchema, FIELDS.apiKey).apiKeyId).toBe(apiKeyId);
  });
});
