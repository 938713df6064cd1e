import { randomBytes } from 'node:crypto';
import { API_KEY_STATUSES, type ApiKeyStatus } from '@ceiba/contract/sets';
import { digestOf, type MintedCredential, mintApiKey } from '@ceiba/domain';
import {
  type Database,
  disableApiKey,
  endPreviousKeySecret,
  getApiKey,
  InvalidInputError,
  type LookupRow,
  lookupMany,
  type RotateApiKeyInput,
  recordUsage,
  revokeApiKey,
  rotateApiKey,
  updateApiKey,
  updateProject,
  type VerbContext,
} from '@ceiba/schema';
import type postgres from 'postgres';
import { beforeAll, describe, expect, test } from 'vitest';
import { auditOf } from '../customer/support.ts';
import {
  countAuditRows,
  expectKind,
  flush,
  givePlan,
  holding,
  type MadeKey,
  makeKey,
  makeProject,
  untilWaiting,
  useBench,
} from '../support.ts';

const bench = useBench();
const DAY = 86_400;

async function makeRoom() {
  const { projectId } = await makeProject(bench.ctx);
  await givePlan(bench.ctx, projectId, { activeKeyCap: 1_000 });
  return { projectId, key: await makeKey(bench.ctx, projectId) };
}

const rotate = (
  ctx: VerbContext,
  { projectId, apiKeyId, minted }: MadeKey,
  input: Partial<RotateApiKeyInput> = {},
) =>
  rotateApiKey(ctx, {
    projectId,
    apiKeyId,
    keyPrefix: minted.prefix,
    overlapSeconds: DAY,
    mint: (brand) => mintApiKey(randomBytes, brand),
    ...input,
  });

const rotated = async (key: MadeKey, input: Partial<RotateApiKeyInput> = {}) =>
  expectKind(await rotate(bench.ctx, key, input), 'rotated');

/** What a decision finds by each secret. */
const lookUp = async (db: Database, projectId: string, digests: readonly Buffer[]) =>
  (await lookupMany(
    db,
    digests.map((apiKeyDigest) => ({ projectId, apiKeyDigest })),
  )) as LookupRow[];

/** Runs verbs and statements in one transaction, in which `now()` does not change, and undoes it. */
async function whileTimeStands(run: (ctx: VerbContext, db: Database) => Promise<void>) {
  const undone = new Error('undone');
  const work = bench.db.orm.transaction(async (orm) => {
    const sql = Reflect.get(Reflect.get(orm, 'session'), 'client') as postgres.Sql;
    await run({ ...bench.ctx, db: { orm } }, { ...bench.db, orm, sql });
    throw undone;
  });
  await expect(work).rejects.toBe(undone);
}

/** Ages a key by so many seconds: its instants come nearer, as if time had passed. */
const age = ({ sql }: Database, { apiKeyId }: MadeKey, seconds: number) => sql`
  update api_keys set expires_at = expires_at - make_interval(secs => ${seconds}),
    previous_expires_at = previous_expires_at - make_interval(secs => ${seconds})
  where id = ${apiKeyId}`;

const EXPIRIES = [null, 0, 1, 60, 40 * DAY] as const;
const OVERLAPS = [0, 1, 60, 30 * DAY] as const;
const STATES = [...API_KEY_STATUSES, 'disabled'] as const;
/** Seconds since the rotation. */
const AGES = [0, 1, 59, 60, 61, 31 * DAY] as const;

interface Situation {
  status: ApiKeyStatus;
  disabled: boolean;
  expiresIn: number | null;
}

async function put({ sql }: Database, { apiKeyId }: MadeKey, state: Situation) {
  await sql`
    update api_keys set status = ${state.status}, disabled_at = ${state.disabled ? sql`now()` : null},
      expires_at = now() + make_interval(secs => ${state.expiresIn})
    where id = ${apiKeyId}`;
}

const situations = STATES.flatMap((state) =>
  EXPIRIES.flatMap((expiresIn) =>
    OVERLAPS.map((overlapSeconds) => ({ state, expiresIn, overlapSeconds })),
  ),
);

describe('for every status, expiry and overlap', () => {
  let room: Awaited<ReturnType<typeof makeRoom>>;
  beforeAll(async () => {
    room = await makeRoom();
  });

  test.each(situations)(
    'a key that is $state, expires in $expiresIn s, with an overlap of $overlapSeconds s',
    async ({ state, expiresIn, overlapSeconds }) => {
      const { projectId, key } = room;
      const fresh = mintApiKey(randomBytes);
      const digests = [fresh.digest, key.minted.digest];
      const status = state === 'disabled' ? 'active' : state;
      const mayRotate = status === 'active' && expiresIn !== 0;
      await whileTimeStands(async (ctx, db) => {
        await put(db, key, { status, disabled: state === 'disabled', expiresIn });
        const before = await lookUp(db, projectId, digests);
        const result = await rotate(ctx, key, { overlapSeconds, mint: () => fresh });
        if (!mayRotate) {
          const why = status === 'active' ? 'expired' : status;
          expect(result).toEqual({ kind: 'conflict', why });
          expect(await lookUp(db, projectId, digests)).toEqual(before);
          return;
        }
        // The overlap, and never past the expiry.
        const lives = Math.min(overlapSeconds, expiresIn ?? Number.POSITIVE_INFINITY);
        const { previous, plaintextKey } = expectKind(result, 'rotated');
        expect(digestOf(plaintextKey)).toEqual(fresh.digest);
        expect(previous === null).toBe(overlapSeconds === 0);
        let aged = 0;
        for (const at of AGES) {
          await age(db, key, at - aged);
          aged = at;
          const [now, old] = await lookUp(db, projectId, digests);
          const shared = {
            apiKeyId: key.apiKeyId,
            status,
            disabled: state === 'disabled',
            expired: expiresIn !== null && at >= expiresIn,
          };
          const found = { ...shared, keyPrefix: fresh.prefix, byPreviousSecret: false };
          expect(now?.apiKey, `the new secret after ${at} s`).toMatchObject(found);
          const replaced = { ...shared, keyPrefix: key.minted.prefix, byPreviousSecret: true };
          if (at < lives) expect(old?.apiKey, `the old one after ${at} s`).toMatchObject(replaced);
          else expect(old?.apiKey, `the old one after ${at} s`).toBeNull();
        }
      });
    },
  );
});

describe('within an overlap', () => {
  test.each(STATES)('the state of the key decides for both secrets: %s', async (state) => {
    const { projectId, key } = await makeRoom();
    const { plaintextKey } = await rotated(key);
    const status = state === 'disabled' ? 'active' : state;
    await put(bench.db, key, { status, disabled: state === 'disabled', expiresIn: null });
    const rows = await lookUp(bench.db, projectId, [digestOf(plaintextKey), key.minted.digest]);
    expect(rows.map(({ apiKey }) => [apiKey?.status, apiKey?.disabled])).toEqual(
      Array.from({ length: 2 }, () => [status, state === 'disabled']),
    );
  });

  test('a rotation needs confirmation, and then ends the oldest of three secrets', async () => {
    const { projectId, key } = await makeRoom();
    const first = await rotated(key);
    const second = { keyPrefix: first.keyPrefix, overlapSeconds: 60 };
    const running = { keyPrefix: key.minted.prefix, validUntil: first.previous!.validUntil };
    for (const overlapSeconds of [0, 60]) {
      expect(await rotate(bench.ctx, key, { ...second, overlapSeconds })).toEqual({
        kind: 'conflict',
        why: 'overlap_running',
        previous: running,
      });
    }
    const { previous, plaintextKey } = await rotated(key, { ...second, confirm: true });
    expect(previous).toMatchObject({ keyPrefix: first.keyPrefix });
    const secrets = [key.minted.plaintext, first.plaintextKey, plaintextKey];
    const rows = await lookUp(bench.db, projectId, secrets.map(digestOf));
    expect(rows.map(({ apiKey }) => apiKey?.byPreviousSecret)).toEqual([undefined, true, false]);
  });

  test('an overlap that is over needs no confirmation', async () => {
    const { key } = await makeRoom();
    const { keyPrefix } = await rotated(key, { overlapSeconds: 60 });
    await age(bench.db, key, 60);
    await rotated(key, { keyPrefix });
  });

  test('a nearer expiry of the key ends both secrets', async () => {
    const { projectId, key } = await makeRoom();
    const { plaintextKey } = await rotated(key);
    await updateApiKey(bench.ctx, { ...key, expiresAt: new Date('2001-01-01Z') });
    const rows = await lookUp(bench.db, projectId, [digestOf(plaintextKey), key.minted.digest]);
    expect(rows.map(({ apiKey }) => apiKey?.expired)).toEqual([true, true]);
  });

  test('the last use of the old secret is shown, and starts at null with every rotation', async () => {
    const { projectId, key } = await makeRoom();
    const first = await rotated(key);
    const at = new Date('2026-11-26T10:00:00Z');
    const previousPrefix = key.minted.prefix;
    const lastUsed = [{ apiKeyId: key.apiKeyId, previousPrefix, at }];
    await recordUsage(bench.db, { hours: [], months: [], lastUsed });
    expect(await getApiKey(bench.db, key)).toMatchObject({
      keyPrefix: first.keyPrefix,
      previous: { ...first.previous, lastUsedAt: at.toISOString() },
    });
    await rotated(key, { keyPrefix: first.keyPrefix, confirm: true });
    expect(await getApiKey(bench.db, { projectId, apiKeyId: key.apiKeyId })).toMatchObject({
      previous: { keyPrefix: first.keyPrefix, lastUsedAt: null },
    });
  });
});

describe('a rotation', () => {
  test('names the secret that it replaces: of many at once one is made', async () => {
    const { key } = await makeRoom();
    const release = await holding(
      bench.url,
      `select 1 from api_keys where id = '${key.apiKeyId}' for update`,
    );
    const calls = Promise.all(Array.from({ length: 4 }, () => rotate(bench.ctx, key)));
    await untilWaiting(bench.db, 1);
    await release();
    const results = await calls;
    const [made] = results.filter(({ kind }) => kind === 'rotated');
    const keyPrefix = expectKind(made!, 'rotated').keyPrefix;
    expect(results.filter((result) => result !== made)).toEqual(
      Array.from({ length: 3 }, () => ({ kind: 'conflict', why: 'other_prefix', keyPrefix })),
    );
    expect(await getApiKey(bench.db, key)).toMatchObject({ keyPrefix });
  });

  test('keeps everything else, also what was used', async () => {
    const { projectId, key } = await makeRoom();
    await flush(bench.db, projectId, [
      { at: '2026-11-26T09:00:00Z', count: 3, apiKeyId: key.apiKeyId },
    ]);
    const read = async () => {
      const counts = await bench.db.sql`
        select * from usage_months where project_id = ${projectId} order by scope`;
      const hours = await bench.db.sql`select * from usage_hours where project_id = ${projectId}`;
      const [row] = await bench.db.sql`select * from api_keys where id = ${key.apiKeyId}`;
      return { counts: [...counts], hours: [...hours], row };
    };
    const before = await read();
    expect(before.counts).not.toEqual([]);
    const { keyPrefix } = await rotated(key);
    const after = await read();
    const {
      key_digest: _,
      previous_digest: previousDigest,
      previous_expires_at: __,
      ...rest
    } = after.row!;
    expect(previousDigest).toEqual(key.minted.digest);
    expect(after.counts).toEqual(before.counts);
    expect(after.hours).toEqual(before.hours);
    expect(before.row).toMatchObject({
      ...rest,
      key_prefix: key.minted.prefix,
      previous_prefix: null,
    });
    expect(rest).toMatchObject({ key_prefix: keyPrefix, previous_prefix: key.minted.prefix });
  });

  test('makes a secret with the prefix that the project has by then', async () => {
    const { projectId, key } = await makeRoom();
    await updateProject(bench.ctx, { projectId, keyPrefix: 'acme_live_' });
    const { plaintextKey, keyPrefix } = await rotated(key);
    expect(plaintextKey.startsWith('acme_live_')).toBe(true);
    expect(plaintextKey.startsWith(keyPrefix)).toBe(true);
  });

  test('of an imported key makes it one of ours', async () => {
    const { key } = await makeRoom();
    await bench.db.sql`update api_keys set is_imported = true where id = ${key.apiKeyId}`;
    expect(await getApiKey(bench.db, key)).toMatchObject({ isImported: true });
    await rotated(key);
    expect(await getApiKey(bench.db, key)).not.toHaveProperty('isImported');
  });

  test('writes one audit row, of prefixes and never of a secret or a digest', async () => {
    const { key } = await makeRoom();
    const { keyPrefix, plaintextKey, previous } = await rotated(key);
    const row = (await auditOf(bench.db, key.apiKeyId)).at(-1);
    expect(row).toMatchObject({
      action: 'api_key.rotate',
      before: { keyPrefix: key.minted.prefix, previous: null },
      after: { keyPrefix, previous },
    });
    const text = JSON.stringify(row);
    for (const secret of [plaintextKey, key.minted.plaintext]) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain(digestOf(secret).toString('hex'));
    }
  });

  test('that makes a secret which the project has is an error that changes nothing', async () => {
    const { projectId, key } = await makeRoom();
    const other = await makeKey(bench.ctx, projectId);
    const replaced = other.minted;
    const current = await rotated(other);
    const taken: MintedCredential[] = [
      replaced,
      { ...replaced, digest: digestOf(current.plaintextKey) },
    ];
    const rows = await countAuditRows(bench.db);
    for (const minted of taken) {
      const call = rotate(bench.ctx, key, { mint: () => minted });
      await expect(call).rejects.toThrow('a new secret is one that the project has');
    }
    expect(await getApiKey(bench.db, key)).toMatchObject({ keyPrefix: key.minted.prefix });
    expect(await countAuditRows(bench.db)).toBe(rows);
  });

  test.each([-1, 0.5, 2_592_001, Number.NaN])(
    'refuses an overlap of %s s',
    async (overlapSeconds) => {
      const { key } = await makeRoom();
      const call = rotate(bench.ctx, key, { overlapSeconds });
      await expect(call).rejects.toThrow(InvalidInputError);
    },
  );

  test('does not find a key of another project', async () => {
    const { key } = await makeRoom();
    const { projectId } = await makeRoom();
    expect(await rotate(bench.ctx, { ...key, projectId })).toEqual({ kind: 'not_found' });
  });
});

describe('the end of the previous secret', () => {
  test('is not shown while the key is expired, nor after it was revoked', async () => {
    const { projectId, key } = await makeRoom();
    const shown = async () => (await getApiKey(bench.db, key))?.previous;
    const { previous } = await rotated(key);
    expect(await shown()).toMatchObject(previous!);
    const past = { ...key, expiresAt: new Date(Date.now() - 1_000) };
    await updateApiKey(bench.ctx, past);
    expect(await shown()).toBeUndefined();
    // A later expiry would make it valid again, so it can be ended meanwhile.
    await updateApiKey(bench.ctx, { ...key, expiresAt: null });
    expect(await shown()).toMatchObject(previous!);
    await updateApiKey(bench.ctx, past);
    expectKind(await endPreviousKeySecret(bench.ctx, key), 'updated');
    await updateApiKey(bench.ctx, { ...key, expiresAt: null });
    expect(await shown()).toBeUndefined();
    const other = await makeKey(bench.ctx, projectId);
    await rotated(other);
    await revokeApiKey(bench.ctx, other);
    expect((await getApiKey(bench.db, other))?.previous).toBeUndefined();
  });

  test('holds from the next lookup on, and may be repeated', async () => {
    const { projectId, key } = await makeRoom();
    const { keyPrefix, plaintextKey, previous } = await rotated(key);
    const end = () => endPreviousKeySecret(bench.ctx, key);
    expect(expectKind(await end(), 'updated').apiKey).not.toHaveProperty('previous');
    const rows = await lookUp(bench.db, projectId, [digestOf(plaintextKey), key.minted.digest]);
    expect(rows.map(({ apiKey }) => apiKey?.keyPrefix)).toEqual([keyPrefix, undefined]);
    const count = await countAuditRows(bench.db);
    expectKind(await end(), 'unchanged');
    expect(await countAuditRows(bench.db)).toBe(count);
    expect((await auditOf(bench.db, key.apiKeyId)).map(({ action }) => action).sort()).toEqual([
      'api_key.create',
      'api_key.end_previous_secret',
      'api_key.rotate',
    ]);
    expect(previous).not.toBeNull();
  });

  test('of a disabled key is made, of a revoked one a conflict, and of no key not found', async () => {
    const { projectId, key } = await makeRoom();
    await rotated(key);
    await disableApiKey(bench.ctx, key);
    expectKind(await endPreviousKeySecret(bench.ctx, key), 'updated');
    await revokeApiKey(bench.ctx, key);
    expect(await endPreviousKeySecret(bench.ctx, key)).toEqual({
      kind: 'conflict',
      status: 'revoked',
    });
    const apiKeyId = projectId;
    expect(await endPreviousKeySecret(bench.ctx, { projectId, apiKeyId })).toEqual({
      kind: 'not_found',
    });
  });
});
