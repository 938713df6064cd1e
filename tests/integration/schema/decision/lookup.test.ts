import { randomBytes, randomUUID } from 'node:crypto';
import { SUBSCRIPTION_STATUSES } from '@ceiba/contract';
import { digestOf, eachLimit, mintApiKey, NO_LIMITS } from '@ceiba/domain';
import {
  archiveApiKey,
  type Database,
  disableApiKey,
  enableApiKey,
  type LookupItem,
  lookupMany,
  revokeApiKey,
  setSubscription,
  updateApiKey,
  updateProject,
} from '@ceiba/schema';
import type postgres from 'postgres';
import { describe, expect, test } from 'vitest';
import { givePlan, type MadeKey, makeKey, makeProject, shuffled, useBench } from '../support.ts';

const bench = useBench();
/** Each another number, so that none can stand for another. */
const PLAN_LIMITS = eachLimit(({ length }) => length);

const itemOf = (key: MadeKey): LookupItem => ({
  projectId: key.projectId,
  apiKeyDigest: key.minted.digest,
});

async function lookupOne(item: LookupItem) {
  const [row, ...rest] = await lookupMany(bench.db, [item]);
  expect(rest).toEqual([]);
  if (row === undefined) throw new Error('the lookup answered no row');
  return row;
}

/** Runs statements in one transaction, in which `now()` does not change. */
async function whileTimeStands(run: (db: Database, sql: postgres.Sql) => Promise<void>) {
  await bench.db.sql.begin(async (transaction) => {
    const sql = transaction as unknown as postgres.Sql;
    await run({ ...bench.db, sql }, sql);
  });
}

async function makeProjectWithKey() {
  const project = await makeProject(bench.ctx);
  const plan = await givePlan(bench.ctx, project.projectId, PLAN_LIMITS);
  return { ...project, plan, key: await makeKey(bench.ctx, project.projectId) };
}

describe('a lookup', () => {
  test('returns everything that a decision needs', async () => {
    const { projectId, secret, plan, key } = await makeProjectWithKey();
    expect(await lookupOne(itemOf(key))).toEqual({
      project: {
        secretDigest: secret.digest,
        previousSecretDigest: null,
        policyRevision: expect.stringMatching(/^-?[0-9]+$/),
        defaultKeyRateLimitPerMinute: null,
        loggedAllowsPercent: 1,
        isUnsampled: true,
        logsPaths: true,
      },
      subscription: {
        admits: true,
        status: 'active',
        plan: { ...plan, ...PLAN_LIMITS },
      },
      apiKey: {
        apiKeyId: key.apiKeyId,
        displayName: 'Batch job',
        keyPrefix: key.minted.prefix,
        status: 'active',
        expired: false,
        disabled: false,
        neverUsed: true,
        byPreviousSecret: false,
        scopes: null,
        ...NO_LIMITS,
      },
      customer: null,
    });
    await updateProject(bench.ctx, { projectId, defaultKeyRateLimitPerMinute: 0 });
    await updateApiKey(bench.ctx, {
      ...key,
      rateLimitPerMinute: 7,
      monthlyQuota: 0,
    });
    expect(await lookupOne(itemOf(key))).toMatchObject({
      project: { defaultKeyRateLimitPerMinute: 0 },
      apiKey: { rateLimitPerMinute: 7, monthlyQuota: 0 },
    });
  });

  test('returns nulls for a project that does not exist', async () => {
    const { key } = await makeProjectWithKey();
    const nothing = { project: null, subscription: null, apiKey: null, customer: null };
    expect(await lookupOne({ ...itemOf(key), projectId: randomUUID() })).toEqual(nothing);
  });

  test('without a key returns only the project', async () => {
    const { projectId, secret } = await makeProjectWithKey();
    expect(await lookupOne({ projectId, apiKeyDigest: null })).toMatchObject({
      project: { secretDigest: secret.digest },
      apiKey: null,
    });
  });

  test('does not find another project’s key', async () => {
    const { key } = await makeProjectWithKey();
    const { projectId } = await makeProjectWithKey();
    const row = await lookupOne({ ...itemOf(key), projectId });
    expect(row.project).not.toBeNull();
    expect(row.apiKey).toBeNull();
  });

  test('finds a digest that two projects share in the given project', async () => {
    const [first, second] = [await makeProjectWithKey(), await makeProjectWithKey()];
    await bench.db.sql`
      update api_keys set key_digest = ${first.key.minted.digest}
      where id = ${second.key.apiKeyId}`;
    const rows = await lookupMany(
      bench.db,
      [first, second].map(({ projectId }) => ({ ...itemOf(first.key), projectId })),
    );
    expect(rows.map((row) => row?.apiKey?.apiKeyId)).toEqual([
      first.key.apiKeyId,
      second.key.apiKeyId,
    ]);
  });

  test('returns the status of a revoked and of an archived key', async () => {
    const [first, second] = [await makeProjectWithKey(), await makeProjectWithKey()];
    await revokeApiKey(bench.ctx, first.key);
    await archiveApiKey(bench.ctx, second.key);
    expect((await lookupOne(itemOf(first.key))).apiKey?.status).toBe('revoked');
    expect((await lookupOne(itemOf(second.key))).apiKey?.status).toBe('archived');
  });

  test('returns that a key is disabled until it is enabled', async () => {
    const { key } = await makeProjectWithKey();
    await disableApiKey(bench.ctx, key);
    expect((await lookupOne(itemOf(key))).apiKey).toMatchObject({
      status: 'active',
      disabled: true,
    });
    await enableApiKey(bench.ctx, key);
    expect((await lookupOne(itemOf(key))).apiKey?.disabled).toBe(false);
  });

  test('returns no subscription for a project without one', async () => {
    const { projectId, key } = await makeProjectWithKey();
    await bench.db.sql`delete from subscriptions where project_id = ${projectId}`;
    expect((await lookupOne(itemOf(key))).subscription).toBeNull();
  });
});

describe('the database’s clock decides that', () => {
  test.each([
    ['is expired at the instant of its expiry', `now()`, true],
    ['is not expired a microsecond before it', `now() + interval '1 microsecond'`, false],
    ['is expired a microsecond after it', `now() - interval '1 microsecond'`, true],
    ['is never expired without an expiry', 'null', false],
    ['is expired with an expiry before the year 1', `'4713-01-01 BC'`, true],
  ])('a key %s', async (_, expiresAt, expired) => {
    const { key } = await makeProjectWithKey();
    await whileTimeStands(async (db, sql) => {
      await sql.unsafe(`update api_keys set expires_at = ${expiresAt} where id = $1`, [
        key.apiKeyId,
      ]);
      const [row] = await lookupMany(db, [itemOf(key)]);
      expect(row?.apiKey?.expired).toBe(expired);
    });
  });

  test.each([
    ['denies at the end of its period', `now()`, false],
    ['allows a microsecond before it', `now() + interval '1 microsecond'`, true],
    ['allows without an end', 'null', true],
  ])('a subscription %s', async (_, end, admits) => {
    const { projectId, key } = await makeProjectWithKey();
    await whileTimeStands(async (db, sql) => {
      await sql.unsafe(
        `update subscriptions set current_period_end = ${end} where project_id = $1`,
        [projectId],
      );
      const [row] = await lookupMany(db, [itemOf(key)]);
      expect(row?.subscription?.admits).toBe(admits);
    });
  });

  test('only the subscription statuses active and trialing allow requests', async () => {
    const { projectId, key } = await makeProjectWithKey();
    const admitting: string[] = [];
    for (const status of SUBSCRIPTION_STATUSES) {
      await setSubscription(bench.ctx, { projectId, status });
      if ((await lookupOne(itemOf(key))).subscription?.admits) admitting.push(status);
    }
    expect(admitting).toEqual(['active', 'trialing']);
  });

  test.each([
    ['is not returned at the end of its 24 hours', `now()`, false],
    ['is returned a microsecond before it', `now() + interval '1 microsecond'`, true],
  ])('a previous secret %s', async (_, end, isValid) => {
    const { projectId } = await makeProjectWithKey();
    const previous = randomBytes(32);
    await whileTimeStands(async (db, sql) => {
      await sql.unsafe(
        `update projects set previous_secret_digest = $2, previous_secret_expires_at = ${end}
         where id = $1`,
        [projectId, previous],
      );
      const [row] = await lookupMany(db, [{ projectId, apiKeyDigest: null }]);
      expect(row?.project?.previousSecretDigest).toEqual(isValid ? previous : null);
    });
  });
});

describe('the allows of a project', () => {
  test.each([
    ['are not sampled before the first one', 'null', true],
    [
      'are not sampled for 24 hours after it',
      `now() - interval '24 hours' + interval '1 microsecond'`,
      true,
    ],
    ['are sampled from then on', `now() - interval '24 hours'`, false],
  ])('%s, by the clock of the database', async (_, firstAllowedAt, isUnsampled) => {
    const { projectId } = await makeProjectWithKey();
    await whileTimeStands(async (db, sql) => {
      const set = `update projects set first_allowed_at = ${firstAllowedAt} where id = $1`;
      await sql.unsafe(set, [projectId]);
      const [row] = await lookupMany(db, [{ projectId, apiKeyDigest: null }]);
      expect(row?.project?.isUnsampled).toBe(isUnsampled);
    });
  });
});

describe('the secret before the last rotation', () => {
  /** Gives a key another secret; the one that it has ends at `end`, as SQL. */
  const rotate = async (sql: postgres.Sql, key: MadeKey, end: string) => {
    const current = mintApiKey(randomBytes);
    await sql.unsafe(
      `update api_keys set previous_digest = key_digest, previous_prefix = key_prefix,
         previous_expires_at = ${end}, key_digest = $2, key_prefix = $3 where id = $1`,
      [key.apiKeyId, current.digest, current.prefix],
    );
    return { current, previous: key.minted };
  };

  test.each([
    ['is none at the end of its overlap', `now()`, false],
    ['finds its key a microsecond before it', `now() + interval '1 microsecond'`, true],
  ])('%s', async (_, end, isFound) => {
    const { key } = await makeProjectWithKey();
    await whileTimeStands(async (db, sql) => {
      const { current, previous } = await rotate(sql, key, end);
      const items = [current, previous].map(({ digest }) => ({
        projectId: key.projectId,
        apiKeyDigest: digest,
      }));
      const [byCurrent, byPrevious] = await lookupMany(db, items);
      const found = { apiKeyId: key.apiKeyId, status: 'active' };
      const { prefix: keyPrefix } = current;
      expect(byCurrent?.apiKey).toMatchObject({ ...found, keyPrefix, byPreviousSecret: false });
      const old = { ...found, keyPrefix: previous.prefix, byPreviousSecret: true };
      if (isFound) expect(byPrevious?.apiKey).toMatchObject(old);
      else expect(byPrevious?.apiKey).toBeNull();
    });
  });

  test('is found in its own project alone', async () => {
    const { key } = await makeProjectWithKey();
    const other = await makeProjectWithKey();
    const { previous } = await rotate(bench.db.sql, key, `now() + interval '1 hour'`);
    const item = { projectId: other.projectId, apiKeyDigest: previous.digest };
    expect((await lookupOne(item)).apiKey).toBeNull();
  });

  test('that is another key’s secret now finds that key, in one row', async () => {
    const { key } = await makeProjectWithKey();
    const { previous } = await rotate(bench.db.sql, key, `now() + interval '1 hour'`);
    const second = await makeKey(bench.ctx, key.projectId);
    await bench.db
      .sql`update api_keys set key_digest = ${previous.digest} where id = ${second.apiKeyId}`;
    const row = await lookupOne({ projectId: key.projectId, apiKeyDigest: previous.digest });
    expect(row.apiKey).toMatchObject({ apiKeyId: second.apiKeyId, byPreviousSecret: false });
  });
});

describe('a text without a checksum of ours', () => {
  const text = 'sk_live_of_another_issuer';
  const foreign = { apiKeyDigest: digestOf(text), isForeign: true };

  test('finds a key, by its secret or the one before, only where the project accepts imported keys', async () => {
    const { key } = await makeProjectWithKey();
    const { projectId, apiKeyId } = key;
    await bench.db.sql`update api_keys set key_digest = ${digestOf(text)} where id = ${apiKeyId}`;
    const apiKeyIdOf = async () => (await lookupOne({ projectId, ...foreign })).apiKey?.apiKeyId;
    expect(await apiKeyIdOf()).toBeUndefined();
    await bench.db.sql`update projects set accepts_imported_keys = true where id = ${projectId}`;
    expect(await apiKeyIdOf()).toBe(apiKeyId);
    await bench.db.sql`
      update api_keys set previous_digest = key_digest, previous_prefix = 'sk_live',
        previous_expires_at = now() + interval '1 hour', key_digest = ${randomBytes(32)}
      where id = ${apiKeyId}`;
    expect(await apiKeyIdOf()).toBe(apiKeyId);
    await bench.db.sql`update projects set accepts_imported_keys = false where id = ${projectId}`;
    expect(await apiKeyIdOf()).toBeUndefined();
  });
});

describe('a lookup of many items', () => {
  test('returns nothing for no items', async () => {
    expect(await lookupMany(bench.db, [])).toEqual([]);
  });

  test('returns one row for each of 256 different items, in their order', async () => {
    const projects = await Promise.all(Array.from({ length: 8 }, makeProjectWithKey));
    const sorts = projects.flatMap(({ projectId, key }) => [
      { item: itemOf(key), apiKeyId: key.apiKeyId, hasProject: true },
      { item: { projectId, apiKeyDigest: null }, apiKeyId: undefined, hasProject: true },
      {
        item: { projectId, apiKeyDigest: mintApiKey(randomBytes).digest },
        apiKeyId: undefined,
        hasProject: true,
      },
      {
        item: { ...itemOf(key), projectId: randomUUID() },
        apiKeyId: undefined,
        hasProject: false,
      },
    ]);
    const asked = shuffled(Array.from({ length: 8 }, () => sorts).flat());
    expect(asked).toHaveLength(256);
    const rows = await lookupMany(
      bench.db,
      asked.map(({ item }) => item),
    );
    expect(rows).toHaveLength(256);
    expect(rows.every((row) => row !== undefined)).toBe(true);
    expect(rows.map((row) => row?.apiKey?.apiKeyId)).toEqual(asked.map(({ apiKeyId }) => apiKeyId));
    expect(rows.map((row) => row?.project !== null)).toEqual(
      asked.map(({ hasProject }) => hasProject),
    );
  });

  test('returns undefined for an item with two rows, and the rows of the others', async () => {
    const [good, doubled] = [await makeProjectWithKey(), await makeProjectWithKey()];
    await bench.db.sql`alter table subscriptions drop constraint subscriptions_project_id_key`;
    try {
      await bench.db.sql`
        insert into subscriptions (project_id, plan_id)
        select project_id, plan_id from subscriptions where project_id = ${doubled.projectId}`;
      const rows = await lookupMany(
        bench.db,
        [good, doubled, good].map(({ key }) => itemOf(key)),
      );
      expect(rows.map((row) => row?.apiKey?.apiKeyId)).toEqual([
        good.key.apiKeyId,
        undefined,
        good.key.apiKeyId,
      ]);
      expect(rows[1]).toBeUndefined();
    } finally {
      await bench.db.sql`
        delete from subscriptions s using subscriptions t
        where s.project_id = t.project_id and s.id < t.id`;
      await bench.db.sql`
        alter table subscriptions add constraint subscriptions_project_id_key unique (project_id)`;
    }
  });

  test('compares a digest of any bytes without an error', async () => {
    const { projectId } = await makeProjectWithKey();
    const digests = [Buffer.alloc(32, 0), Buffer.alloc(32, 0xff), digestOf("'; drop table x; --")];
    const rows = await lookupMany(
      bench.db,
      digests.map((apiKeyDigest) => ({ projectId, apiKeyDigest })),
    );
    expect(rows.map((row) => row?.apiKey)).toEqual([null, null, null]);
  });
});
