import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IMPORTED_KEYS_PER_CALL } from '@ceiba/manage';
import { createCustomer, createCustomerPlan, findApiKeys } from '@ceiba/schema';
import { beforeEach, describe, expect, test } from 'vitest';
import { givePlan, makeProject } from '../schema/support.ts';
import { useDesk } from './support.ts';

const desk = useDesk();
let projectId: string;

beforeEach(async () => {
  ({ projectId } = await makeProject(desk.ctx));
  await roomFor(100);
});

/** Puts the project on a plan with so many active keys. */
const roomFor = (activeKeyCap: number) => givePlan(desk.ctx, projectId, { activeKeyCap });

async function importing(from: string, text: string | object, ...args: string[]) {
  const path = join(tmpdir(), `ceiba-keys-${randomUUID()}`);
  writeFileSync(path, typeof text === 'string' ? text : JSON.stringify(text));
  const command = ['key', 'import', path, '--project', projectId, '--from', from, ...args];
  const { code, stdout, stderr } = await desk.ceiba([...command, '--json']);
  return { code, stderr, result: stdout === '' ? null : JSON.parse(stdout) };
}

const keys = async () =>
  (await findApiKeys(desk.db, { projectId, limit: 500, cursor: null })).items;

/** The keys by the digests that decisions look up. */
async function digests(): Promise<Map<string, string>> {
  const rows = await desk.db.sql<{ digest: string; name: string }[]>`
    select encode(key_digest, 'hex') as digest, display_name as name from api_keys
    where project_id = ${projectId}`;
  return new Map(rows.map(({ digest, name }) => [digest, name]));
}
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** Written once by better-auth itself: fixtures/write-better-auth.mjs.txt. */
const betterAuth: { table: Record<string, unknown>[]; secrets: string[] } = JSON.parse(
  readFileSync(new URL('./fixtures/better-auth.json', import.meta.url), 'utf8'),
);

describe('ceiba key import', () => {
  test('takes over a table that better-auth has written, by the secrets that it showed', async () => {
    const { code, result } = await importing('better-auth', betterAuth.table);
    expect(code).toBe(0);
    expect(result).toEqual({
      isDryRun: false,
      imported: 5,
      present: 0,
      deleted: 0,
      rootKeys: 0,
      refused: [],
      leftOut: {},
    });
    const stored = await digests();
    expect(betterAuth.secrets.map((secret) => stored.get(sha256(secret)))).toEqual([
      'Nightly job',
      'With an expiry',
      'Limited',
      'Key BKhekE',
      'Disabled',
    ]);
    const byName = new Map((await keys()).map((key) => [key.displayName, key]));
    expect(byName.get('Nightly job')).toMatchObject({
      keyPrefix: 'acme_c',
      isImported: true,
      createdAt: '2026-11-26T15:25:41.174Z',
      metadata: { owner: 'pU4EKp2V8BDwcXjdQaK6jL2EwcAeXSjH' },
    });
    expect(byName.get('With an expiry')?.expiresAt).toBe('2027-09-22T15:25:41.234Z');
    expect(byName.get('Limited')).toMatchObject({
      rateLimitPerMinute: 120,
      metadata: { team: 'reports' },
    });
    expect(byName.get('Key BKhekE')).toMatchObject({ dailyQuota: 100 });
    const again = await importing('better-auth', betterAuth.table);
    expect(again.result).toMatchObject({ imported: 0, present: 5, refused: [] });
  });

  test('finds in a dry run what the run finds, and changes nothing', async () => {
    await roomFor(2);
    await createCustomer(desk.ctx, { projectId, externalId: 'acme' });
    const csv = [
      'plaintext,displayName,externalCustomerId,expiresAt',
      'a-secret-of-sixteen-1,One,acme,',
      'a-secret-of-sixteen-1,The same,acme,',
      'a-secret-of-sixteen-2,Unknown customer,globex,',
      'short,Short,,',
      'a-secret-of-sixteen-3,Two,,',
      'a-secret-of-sixteen-4,Over the cap,,',
      'a-secret-of-sixteen-5,Bad time,,soon',
    ].join('\n');
    const dry = await importing('csv', csv, '--dry-run');
    expect(await keys()).toEqual([]);
    const real = await importing('csv', csv);
    expect(dry).toEqual({
      ...real,
      result: { ...real.result, isDryRun: true },
      stderr: dry.stderr,
    });
    expect(real.code).toBe(1);
    expect(real.result).toMatchObject({ imported: 2, present: 1 });
    expect(
      real.result.refused.map(({ row, field }: { row: number; field: string }) => [row, field]),
    ).toEqual([
      [4, 'externalCustomerId'],
      [5, 'plaintext'],
      [7, null],
      [8, 'expiresAt'],
    ]);
    expect(real.stderr).not.toContain('a-secret-of');
    expect((await keys()).map(({ displayName }) => displayName).sort()).toEqual(['One', 'Two']);
  });

  test('finds in a dry run of several calls what the run finds, with the places that are taken by then', async () => {
    await roomFor(IMPORTED_KEYS_PER_CALL + 1);
    await createCustomerPlan(desk.ctx, { projectId, name: 'One', activeKeyCap: 1 });
    await createCustomer(desk.ctx, { projectId, externalId: 'acme', plan: 'One' });
    const row = (at: number, customer = '') => `a-secret-of-sixteen-${at},Key ${at},${customer}`;
    const first = Array.from({ length: IMPORTED_KEYS_PER_CALL - 1 }, (_, at) => row(at));
    const csv = [
      'plaintext,displayName,externalCustomerId',
      ...[...first, row(1_000, 'acme')],
      ...[row(0), row(1_001, 'acme'), row(1_002), row(1_003)],
    ].join('\n');
    const dry = await importing('csv', csv, '--dry-run');
    const { result } = await importing('csv', csv);
    expect(dry.result).toEqual({ ...result, isDryRun: true });
    expect(result).toMatchObject({
      imported: IMPORTED_KEYS_PER_CALL + 1,
      present: 1,
      refused: [
        { name: 'Key 1001', problem: expect.stringContaining('plan of the customer') },
        { name: 'Key 1003', problem: expect.stringContaining('the plan allows') },
      ],
    });
  });

  test('takes the table of Unkey and the body of its migration, in base64', async () => {
    const hash = (secret: string) => createHash('sha256').update(secret).digest('base64');
    const csv = [
      'id,hash,start,name,owner_id,meta,expires,enabled,deleted_at_m,ratelimit_limit,ratelimit_duration',
      `k1,${hash('unkey-secret-number-1')},un_1,First,acme,"{""tier"":1}",2030-01-01 00:00:00.000,1,NULL,60,60000`,
      `k2,${hash('unkey-secret-number-2')},un_2,Gone,NULL,NULL,NULL,1,1719930000000,NULL,NULL`,
      `k3,$2b$12$abcdefghijklmnopqrstuv,un_3,Salted,NULL,NULL,NULL,0,NULL,10,1000`,
    ].join('\n');
    const table = await importing('unkey', csv);
    expect(table.result).toMatchObject({ imported: 1, deleted: 1 });
    expect(table.result.refused).toEqual([
      { row: 4, name: '', field: 'digest', problem: expect.stringContaining('bcrypt') },
    ]);
    const body = {
      keys: [
        {
          hash: { value: hash('unkey-secret-number-4'), variant: 'sha256_base64' },
          prefix: 'un',
          name: 'Fourth',
          enabled: false,
          permissions: ['read'],
          credits: { remaining: 5 },
        },
        { hash: { value: 'x', variant: 'sha512' } },
      ],
    };
    const migration = await importing('unkey', body);
    expect(migration.result).toMatchObject({
      imported: 1,
      leftOut: {
        'uses that are left, without a refill': 1,
        'permissions: the key may call every policy until it has scopes': 1,
      },
      refused: [{ row: 2, field: 'digest', problem: expect.stringContaining('sha512') }],
    });
    const stored = await digests();
    expect(stored.get(sha256('unkey-secret-number-1'))).toBe('First');
    expect(stored.get(sha256('unkey-secret-number-4'))).toBe('Fourth');
    expect((await keys()).find(({ displayName }) => displayName === 'First')).toMatchObject({
      expiresAt: '2030-01-01T00:00:00.000Z',
      rateLimitPerMinute: 60,
      metadata: { tier: 1, owner: 'acme' },
    });
  });

  test('takes the table of LiteLLM in hex, as one object per line', async () => {
    const lines = [
      {
        token: sha256('sk-litellm-secret-1'),
        key_name: 'sk-...et-1',
        key_alias: 'a',
        rpm_limit: 9,
        expires: null,
      },
      { token: 'sk-litellm-secret-2', key_name: 'sk-...et-2', blocked: true, max_budget: 5 },
      { token: 'abc', key_name: 'sk-...' },
    ];
    const { result } = await importing(
      'litellm',
      lines.map((line) => JSON.stringify(line)).join('\n'),
    );
    expect(result).toMatchObject({ imported: 2, refused: [{ row: 3, field: 'digest' }] });
    expect(result.leftOut).toEqual({ 'budget, limits of tokens or of parallel requests': 1 });
    const stored = await digests();
    expect(stored.get(sha256('sk-litellm-secret-1'))).toBe('a');
    expect(stored.get(sha256('sk-litellm-secret-2'))).toBe('sk-...et-2');
  });

  test("hashes the plaintexts of each of Kong's exports here, and links their consumers", async () => {
    await createCustomer(desk.ctx, { projectId, externalId: '4711' });
    const deck = `_format_version: "3.0"
consumers:
- username: acme
  custom_id: "4711"
  keyauth_credentials:
  - key: kong-secret-number-1
    ttl: 60
  - key: "{vault://env/key}"
`;
    const first = await importing('kong', deck, '--link-customers');
    expect(first.result).toMatchObject({
      imported: 1,
      leftOut: { 'ttl: the key does not expire until it has an expiry': 1 },
      refused: [{ row: 2, field: 'plaintext', problem: expect.stringContaining('reference') }],
    });
    const admin = {
      data: [{ key: 'kong-secret-number-2', consumer: { id: 'c1' }, created_at: 1_734_329_245 }],
    };
    const dump = `consumers:\n- { id: c9, username: globex }\nkeyauth_credentials:\n- { key: kong-secret-number-3, consumer: c9, tags: ~ }\n`;
    expect((await importing('kong', admin)).result).toMatchObject({ imported: 1 });
    expect((await importing('kong', dump)).result).toMatchObject({ imported: 1 });
    const stored = await digests();
    const names = [1, 2, 3].map((n) => stored.get(sha256(`kong-secret-number-${n}`)));
    expect(names).toEqual(['acme', 'Key kong-', 'globex']);
    const linked = (await keys()).find(({ displayName }) => displayName === 'acme');
    expect(linked).toMatchObject({ customer: { externalId: '4711' } });
    const none = await importing('kong', 'services: []');
    expect([none.code, none.stderr]).toEqual([
      2,
      expect.stringContaining('no keyauth_credentials'),
    ]);
  });

  test('refuses sources by name whose hashes are salted or of a part, and files that are something else', async () => {
    for (const source of ['sanctum', 'prefixed-api-key', 'django-rest-framework-api-key']) {
      const { code, stderr } = await importing(source, 'x');
      expect([code, stderr]).toEqual([2, expect.stringContaining('cannot be imported')]);
    }
    const { code, stderr } = await importing('csv', 'a-secret-of-sixteen-1,plaintext\n1,2');
    expect([code, stderr]).toEqual([2, expect.stringContaining('unknown column: its column 1.')]);
    expect(stderr).not.toContain('a-secret');
    const { stderr: broken } = await importing('unkey', '[{');
    expect(broken).toContain('is not JSON');
  });
});

describe('ceiba key rotate', () => {
  test('shows the new secret once, keeps the old one for the overlap, and asks before it ends one', async () => {
    const ceiba = async (name: string, ...args: string[]) => {
      const command = ['key', name, '--project', projectId, ...args, '--json'];
      const { code, stdout, stderr } = await desk.ceiba(command);
      return { code, stderr, ...(stdout === '' ? {} : JSON.parse(stdout)) };
    };
    const { apiKeyId, keyPrefix, plaintextKey } = await ceiba('create', '--name', 'mobile');
    const key = ['--key', apiKeyId];
    const rotated = await ceiba('rotate', ...key, '--overlap', '24h');
    expect(rotated).toMatchObject({ code: 0, apiKeyId, previous: { keyPrefix } });
    expect(rotated.plaintextKey).not.toBe(plaintextKey);
    expect((await digests()).get(sha256(rotated.plaintextKey))).toBe('mobile');

    expect(await ceiba('rotate', ...key, '--overlap', '0')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--yes'),
    });
    const stale = await ceiba('rotate', ...key, '--overlap', '0', '--yes', '--prefix', keyPrefix);
    expect(stale).toMatchObject({ code: 2, stderr: expect.stringContaining('replaced since') });
    expect(JSON.parse(stale.stderr).error.field).toBe('--prefix');
    const end = (prefix: string) => ceiba('end-previous-secret', ...key, '--prefix', prefix);
    const other = await end(rotated.keyPrefix);
    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining('--prefix') });
    expect(await end(keyPrefix)).toMatchObject({ code: 0, changed: true });
    expect(await ceiba('end-previous-secret', ...key)).toMatchObject({ code: 0, changed: false });
    const last = await ceiba('rotate', ...key, '--overlap', '0');
    expect(last).toMatchObject({ code: 0, previous: null });
    for (const overlap of ['', '31d', '1.5h', '60', '-1']) {
      expect((await ceiba('rotate', ...key, '--overlap', overlap)).code).toBe(2);
    }
  });
});
