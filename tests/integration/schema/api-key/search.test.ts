import { randomUUID } from 'node:crypto';
import { eachLimit } from '@ceiba/domain';
import {
  API_KEY_SORTS,
  type ApiKeyRow,
  archiveApiKey,
  describeApiKey,
  disableApiKey,
  revokeApiKey,
  searchApiKeys,
  surveyApiKeys,
  updateApiKey,
} from '@ceiba/schema';
import { beforeAll, describe, expect, test } from 'vitest';
import { flush, follow, givePlan, makeKey, makeProject, useBench } from '../support.ts';

const bench = useBench();

const DAY_MS = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS);

/** A project with room for its keys. */
async function makeRoom(): Promise<string> {
  const { projectId } = await makeProject(bench.ctx);
  await givePlan(bench.ctx, projectId, { activeKeyCap: 200 });
  return projectId;
}

const search = (projectId: string, rest: Partial<Parameters<typeof searchApiKeys>[1]> = {}) =>
  searchApiKeys(bench.db, { projectId, limit: 100, ...rest });
const names = (items: readonly ApiKeyRow[]) => items.map(({ displayName }) => displayName);

describe('a row', () => {
  test('has the read shape, its own limits, this month’s use and its hints', async () => {
    const projectId = await makeRoom();
    const key = await makeKey(bench.ctx, projectId, { displayName: 'Mobile app' });
    await updateApiKey(bench.ctx, { ...key, monthlyQuota: 50 });
    await flush(bench.db, projectId, [
      { at: new Date().toISOString(), count: 7, apiKeyId: key.apiKeyId },
      { at: new Date().toISOString(), count: 3, apiKeyId: key.apiKeyId, incarnation: 'again' },
      { at: inDays(-40).toISOString(), count: 100, apiKeyId: key.apiKeyId },
    ]);
    const { items } = await search(projectId);
    expect(items).toEqual([
      {
        apiKeyId: key.apiKeyId,
        displayName: 'Mobile app',
        keyPrefix: key.minted.prefix,
        status: 'active',
        createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
        expiresAt: null,
        revokedAt: null,
        archivedAt: null,
        lastUsedAt: null,
        isExpired: false,
        disabledAt: null,
        customerDenial: null,
        note: '',
        ...eachLimit(() => null),
        monthlyQuota: 50,
        usedThisMonth: 10,
        usedToday: 0,
        hints: ['never_expires'],
      },
    ]);
  });

  test('of another project is not found, in the list or by id', async () => {
    const [mine, other] = [await makeRoom(), await makeRoom()];
    const key = await makeKey(bench.ctx, other);
    expect(await search(mine)).toMatchObject({ items: [], total: 0 });
    expect(await search(mine, { text: key.apiKeyId })).toMatchObject({ items: [], total: 0 });
  });
});

describe('hints', () => {
  let projectId: string;
  const cases = {
    expired: inDays(-1),
    'expires within a week': inDays(6.9),
    'expires later': inDays(7.1),
    'never expires': undefined,
  };
  beforeAll(async () => {
    projectId = await makeRoom();
    for (const [displayName, expiresAt] of Object.entries(cases)) {
      await makeKey(bench.ctx, projectId, { displayName, ...(expiresAt && { expiresAt }) });
    }
    const idle = await makeKey(bench.ctx, projectId, { displayName: 'idle' });
    const unused = await makeKey(bench.ctx, projectId, { displayName: 'never used and old' });
    const used = await makeKey(bench.ctx, projectId, { displayName: 'old and used' });
    await bench.db.sql`
      update api_keys set created_at = now() - interval '200 days', expires_at = '2999-01-01Z'
      where id in ${bench.db.sql([idle.apiKeyId, unused.apiKeyId, used.apiKeyId])}`;
    await bench.db.sql`
      update api_keys set last_used_at = now() - interval '91 days' where id = ${idle.apiKeyId}`;
    await bench.db.sql`
      update api_keys set last_used_at = now() - interval '89 days' where id = ${used.apiKeyId}`;
    const disabled = await makeKey(bench.ctx, projectId, {
      displayName: 'disabled',
      expiresAt: inDays(30),
    });
    await disableApiKey(bench.ctx, disabled);
    const revoked = await makeKey(bench.ctx, projectId, { displayName: 'revoked' });
    await revokeApiKey(bench.ctx, revoked);
    const archived = await makeKey(bench.ctx, projectId, {
      displayName: 'archived',
      expiresAt: inDays(-1),
    });
    await archiveApiKey(bench.ctx, archived);
    await bench.db.sql`
      update api_keys set is_imported = true where project_id = ${projectId}
        and display_name in ('expires later', 'revoked')`;
  });

  test('mark active keys that are expired, expire soon, are imported, never expire or are idle', async () => {
    const { items } = await search(projectId);
    const hints = Object.fromEntries(items.map((key) => [key.displayName, key.hints]));
    expect(hints).toEqual({
      expired: ['expired'],
      'expires within a week': ['expires_soon'],
      'expires later': ['imported'],
      'never expires': ['never_expires'],
      idle: ['idle'],
      'never used and old': ['idle'],
      'old and used': [],
      disabled: ['disabled'],
      revoked: [],
      archived: [],
    });
    expect(items.find(({ displayName }) => displayName === 'expired')).toMatchObject({
      status: 'active',
      isExpired: true,
    });
  });

  test('can be filtered one by one', async () => {
    const { items, total } = await search(projectId, { hint: 'idle', sort: 'name' });
    expect(names(items)).toEqual(['idle', 'never used and old']);
    expect(total).toBe(2);
  });

  test('are counted with the keys per status and the cap', async () => {
    expect(await surveyApiKeys(bench.db, projectId)).toEqual({
      byStatus: { active: 8, revoked: 1, archived: 1 },
      byHint: { disabled: 1, expired: 1, expires_soon: 1, imported: 1, never_expires: 1, idle: 2 },
      activeKeyCap: 200,
    });
  });

  test('are all 0 for a project without keys', async () => {
    expect(await surveyApiKeys(bench.db, (await makeProject(bench.ctx)).projectId)).toEqual({
      byStatus: { active: 0, revoked: 0, archived: 0 },
      byHint: { disabled: 0, expired: 0, expires_soon: 0, imported: 0, never_expires: 0, idle: 0 },
      activeKeyCap: 3,
    });
  });
});

describe('a search', () => {
  const NAMES = ['Mobile app', 'Batch 100%', 'Partner_one', 'mobile web'];
  let projectId: string;
  let prefix: string;
  let plaintext: string;
  let apiKeyId: string;
  beforeAll(async () => {
    projectId = await makeRoom();
    // Every prefix begins with a figure, so that a letter finds none.
    for (const [at, displayName] of NAMES.entries()) {
      const random = (bytes: number) => Buffer.alloc(bytes, at + 1);
      const key = await makeKey(bench.ctx, projectId, { displayName, random });
      if (displayName === 'Partner_one') {
        await describeApiKey(bench.ctx, { ...key, displayName, note: 'For Acme Ltd.' });
      }
      if (displayName !== 'Mobile app') continue;
      ({ apiKeyId } = key);
      ({ prefix, plaintext } = key.minted);
    }
  });

  test.each([
    ['part of a name in any case', 'MOBILE', ['Mobile app', 'mobile web']],
    ['part of the note, which says who it is for', 'acme', ['Partner_one']],
    ['two letters within a word', 'cm', ['Partner_one']],
    ['one letter', 'p', ['Mobile app', 'Partner_one']],
    ['a percent sign, literally', '%', ['Batch 100%']],
    ['a backslash, literally', '\\', []],
    ['an underscore, literally', '_', ['Partner_one']],
    ['text with surrounding spaces', '  partner  ', ['Partner_one']],
    ['only spaces', '   ', ['Batch 100%', 'Mobile app', 'Partner_one', 'mobile web']],
    ['text that does not occur', "'; drop table api_keys; --", []],
    ['a NUL character', '\0', ['Batch 100%', 'Mobile app', 'Partner_one', 'mobile web']],
  ])('finds by %s', async (_, text, expected) => {
    const { items, total } = await search(projectId, { text });
    expect(names(items).sort()).toEqual(expected);
    expect(total).toBe(expected.length);
  });

  test('finds a key by its prefix, by part of that, by the whole key and by its id', async () => {
    const digits = prefix.slice('ceiba_'.length);
    for (const text of [prefix, digits, digits.slice(0, 6), plaintext, apiKeyId]) {
      expect(names((await search(projectId, { text })).items)).toEqual(['Mobile app']);
    }
  });

  test('by status finds only keys of that status', async () => {
    const other = await makeRoom();
    const [first] = [await makeKey(bench.ctx, other), await makeKey(bench.ctx, other)];
    await revokeApiKey(bench.ctx, first);
    expect((await search(other, { status: 'revoked' })).items).toMatchObject([
      { apiKeyId: first.apiKeyId },
    ]);
    expect((await search(other, { status: 'active' })).total).toBe(1);
    expect((await search(other, { status: 'archived' })).items).toEqual([]);
  });
});

describe('pages', () => {
  let projectId: string;
  beforeAll(async () => {
    projectId = await makeRoom();
    // With ties and missing values in every sort key.
    await bench.db.sql`
      insert into api_keys (project_id, display_name, key_prefix, key_digest, created_at, expires_at,
        last_used_at, status, revoked_at, archived_at)
      select ${projectId}, 'Key ' || number % 5, 'ceiba_x', sha256((${projectId} || number)::bytea),
        timestamptz '2026-01-01Z' + number / 4 * interval '1 day',
        case when number % 3 > 0 then timestamptz '2027-01-01Z' + number % 4 * interval '1 day' end,
        case when number % 4 > 0 then timestamptz '2026-02-01Z' + number % 6 * interval '1 us' end,
        (array['active', 'revoked', 'archived'])[1 + number % 3],
        timestamptz '2026-03-01Z' + number % 4 * interval '1 day',
        timestamptz '2026-03-01Z' + number % 5 * interval '1 day'
      from generate_series(1, 57) as number`;
    const { items } = await search(projectId);
    await flush(
      bench.db,
      projectId,
      items.slice(0, 40).map(({ apiKeyId }, index) => ({
        at: new Date().toISOString(),
        count: 1 + (index % 6),
        apiKeyId,
      })),
    );
  });

  const keyOf: Record<(typeof API_KEY_SORTS)[number], (row: ApiKeyRow) => string | number> = {
    created: (row) => row.createdAt,
    name: (row) => row.displayName.toLowerCase(),
    expires: (row) => row.expiresAt ?? '9999',
    ended: (row) => row.revokedAt ?? row.archivedAt ?? '0000',
    last_used: (row) => row.lastUsedAt ?? '0000',
    used: (row) => row.usedThisMonth,
  };

  test.each(API_KEY_SORTS.flatMap((sort) => [[sort, true] as const, [sort, false] as const]))(
    'sorted by %s, descending: %s, show every key once, there and back',
    async (sort, descending) => {
      const input = { projectId, sort, descending, limit: 8 };
      const all = await follow((cursor) => searchApiKeys(bench.db, { ...input, cursor }));
      expect(new Set(all.map(({ apiKeyId }) => apiKeyId)).size).toBe(57);
      expect(all).toHaveLength(57);
      const places: number[] = [];
      await follow(async (cursor) => {
        const page = await searchApiKeys(bench.db, { ...input, cursor });
        places.push(page.before);
        return page;
      });
      expect(places).toEqual([0, 8, 16, 24, 32, 40, 48, 56]);
      const values = all.map(keyOf[sort]);
      const rising = [...values].sort((a, b) => (a < b ? -1 : Number(a > b)));
      expect(values).toEqual(descending ? rising.reverse() : rising);

      const last = await follow((cursor) =>
        searchApiKeys(bench.db, { ...input, limit: 50, cursor }),
      );
      expect(last.map(({ apiKeyId }) => apiKeyId)).toEqual(all.map(({ apiKeyId }) => apiKeyId));

      let page = await searchApiKeys(bench.db, {
        ...input,
        cursor: `after.${all.at(-9)!.apiKeyId}`,
      });
      expect(page.next).toBeNull();
      const backward: ApiKeyRow[] = [...page.items];
      while (page.previous !== null) {
        page = await searchApiKeys(bench.db, { ...input, cursor: page.previous });
        expect(page.next).not.toBeNull();
        backward.unshift(...page.items);
        expect(page.before).toBe(57 - backward.length);
      }
      expect(backward.map(({ apiKeyId }) => apiKeyId)).toEqual(all.map(({ apiKeyId }) => apiKeyId));
    },
  );

  test('keep their filter, and have the total of all pages', async () => {
    const input = { projectId, text: 'key 3', limit: 5 };
    const all = await follow((cursor) => searchApiKeys(bench.db, { ...input, cursor }));
    expect(new Set(names(all))).toEqual(new Set(['Key 3']));
    const first = await searchApiKeys(bench.db, input);
    expect(first.total).toBe(all.length);
    expect(first.previous).toBeNull();
  });

  test.each([
    ['invalid', 'after.nonsense'],
    ['of a deleted key', `after.${randomUUID()}`],
    ['with SQL in it', "after.' or 1 = 1"],
    ['of another list', 'after.17'],
    ['empty', ''],
  ])('start from the first with a cursor that is %s', async (_, cursor) => {
    const first = await search(projectId, { limit: 5 });
    expect(await search(projectId, { limit: 5, cursor, orFirst: true })).toEqual(first);
  });

  test('start from the first with a cursor of another project’s key', async () => {
    const other = await makeRoom();
    const { apiKeyId } = await makeKey(bench.ctx, other);
    const first = await search(projectId, { limit: 5 });
    const asked = { limit: 5, cursor: `after.${apiKeyId}` };
    expect(await search(projectId, { ...asked, orFirst: true })).toEqual(first);
    await expect(search(projectId, asked)).rejects.toThrow('cursor must be a "nextCursor"');
  });

  test('have from one to a thousand rows, whatever the limit', async () => {
    expect((await search(projectId, { limit: 0 })).items).toHaveLength(1);
    expect((await search(projectId, { limit: 1e9 })).items).toHaveLength(57);
  });
});
