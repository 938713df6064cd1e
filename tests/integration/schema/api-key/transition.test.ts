import { randomUUID } from 'node:crypto';
import type { ApiKeyStatus, ApiKeySummary } from '@ceiba/contract';
import { API_KEY_STATUSES } from '@ceiba/contract/sets';
import { statusAfter, TRANSITIONS } from '@ceiba/domain';
import {
  archiveApiKey,
  describeApiKey,
  disableApiKey,
  enableApiKey,
  findApiKeys,
  getApiKey,
  getApiKeyRow,
  InvalidInputError,
  recordFirstUses,
  revokeApiKey,
  updateApiKey,
  type VerbContext,
} from '@ceiba/schema';
import { describe, expect, test } from 'vitest';
import {
  countAuditRows,
  follow,
  givePlan,
  type MadeKey,
  makeKey,
  makeProject,
  useBench,
} from '../support.ts';

const bench = useBench();

const VERBS = { revoke: revokeApiKey, archive: archiveApiKey };

/** Each verb from each status, by the table of the domain. */
const TABLE = API_KEY_STATUSES.flatMap((from) => [
  [from, 'revoke', TRANSITIONS.revoke[from]] as const,
  [from, 'archive', TRANSITIONS.archive[from]] as const,
]);

async function makeKeyThatIs(status: ApiKeyStatus): Promise<MadeKey> {
  const { projectId } = await makeProject(bench.ctx);
  const key = await makeKey(bench.ctx, projectId);
  if (status === 'revoked') await revokeApiKey(bench.ctx, key);
  if (status === 'archived') await archiveApiKey(bench.ctx, key);
  return key;
}

const listPage = async (page: Parameters<typeof findApiKeys>[1]): Promise<ApiKeySummary[]> =>
  (await findApiKeys(bench.db, page)).items;

async function read(key: MadeKey): Promise<ApiKeySummary> {
  const summary = await getApiKey(bench.db, key);
  if (summary === null) throw new Error('the key is gone');
  return summary;
}

test.each(TABLE)(
  'a key that is %s, then %s: is %s, and changes nothing else',
  async (from, verb, kind) => {
    const key = await makeKeyThatIs(from);
    const before = await read(key);
    const rowsBefore = await countAuditRows(bench.db);

    const result = await VERBS[verb](bench.ctx, key);

    const after = await read(key);
    expect(result.kind).toBe(kind);
    expect(after.status).toBe(kind === 'updated' ? statusAfter(verb) : from);
    expect(await countAuditRows(bench.db)).toBe(rowsBefore + (kind === 'updated' ? 1 : 0));
    if (kind !== 'updated') expect(after).toEqual(before);
    if (result.kind === 'conflict') expect(result.status).toBe(from);
    if (result.kind === 'updated') expect(result.apiKey).toEqual(after);
  },
);

describe('a transition', () => {
  test('does not happen at the expiry: the key is still listed as active', async () => {
    const key = await makeKeyThatIs('active');
    await updateApiKey(bench.ctx, { ...key, expiresAt: new Date('2001-01-01T00:00:00Z') });
    const [listed] = await listPage({
      projectId: key.projectId,
      limit: 500,
    });
    expect(listed).toMatchObject({ status: 'active', expiresAt: '2001-01-01T00:00:00.000Z' });
  });

  test('by plain SQL sets the time as well', async () => {
    const key = await makeKeyThatIs('active');
    await bench.db.sql`update api_keys set status = 'revoked' where id = ${key.apiKeyId}`;
    expect(await read(key)).toMatchObject({ status: 'revoked', revokedAt: expect.any(String) });
  });
});

describe('the key of another project', () => {
  const every: Record<string, (ctx: VerbContext, ref: MadeKey) => Promise<{ kind: string }>> = {
    ...VERBS,
    disable: disableApiKey,
    enable: enableApiKey,
    describe: (ctx, ref) => describeApiKey(ctx, { ...ref, note: 'mine now' }),
  };
  test.each(Object.entries(every))('is not found by %s, which changes nothing', async (_, verb) => {
    const key = await makeKeyThatIs('active');
    const { projectId: stranger } = await makeProject(bench.ctx);
    const before = await getApiKeyRow(bench.db, key);
    expect(await verb(bench.ctx, { ...key, projectId: stranger })).toEqual({ kind: 'not_found' });
    expect(await verb(bench.ctx, { ...key, apiKeyId: randomUUID() })).toEqual({
      kind: 'not_found',
    });
    expect(await getApiKeyRow(bench.db, key)).toEqual(before);
    expect(await getApiKey(bench.db, { ...key, projectId: stranger })).toBeNull();
  });
});

describe('concurrent transitions', () => {
  test('to revoked and archived have exactly one winner, whose status stays', async () => {
    for (let round = 0; round < 20; round += 1) {
      const key = await makeKeyThatIs('active');
      const results = await Promise.all([
        revokeApiKey(bench.ctx, key),
        archiveApiKey(bench.ctx, key),
      ]);
      expect(results.map(({ kind }) => kind).sort()).toEqual(['conflict', 'updated']);
      const winner = results[0].kind === 'updated' ? 'revoked' : 'archived';
      expect((await read(key)).status).toBe(winner);
    }
  });

  test('of ten revokes write one audit row and one time', async () => {
    const key = await makeKeyThatIs('active');
    const rowsBefore = await countAuditRows(bench.db);
    const results = await Promise.all(
      Array.from({ length: 10 }, () => revokeApiKey(bench.ctx, key)),
    );
    expect(results.filter(({ kind }) => kind === 'updated')).toHaveLength(1);
    expect(results.filter(({ kind }) => kind === 'unchanged')).toHaveLength(9);
    const times = results.map((result) => 'apiKey' in result && result.apiKey.revokedAt);
    expect(new Set(times).size).toBe(1);
    expect(await countAuditRows(bench.db)).toBe(rowsBefore + 1);
  });
});

describe('the list', () => {
  test('has keys of every status, newest first', async () => {
    const { projectId } = await makeProject(bench.ctx);
    await givePlan(bench.ctx, projectId, { activeKeyCap: 10 });
    const keys: MadeKey[] = [];
    for (let index = 0; index < 5; index += 1) keys.push(await makeKey(bench.ctx, projectId));
    await revokeApiKey(bench.ctx, keys[1]!);
    await archiveApiKey(bench.ctx, keys[3]!);
    const listed = await listPage({ projectId, limit: 500 });
    expect(listed.map(({ apiKeyId }) => apiKeyId)).toEqual(
      keys.map(({ apiKeyId }) => apiKeyId).reverse(),
    );
    expect(listed.map(({ status }) => status)).toEqual([
      'active',
      'archived',
      'active',
      'revoked',
      'active',
    ]);
  });

  test('has each key once over its pages, even if many were created at the same time', async () => {
    const { projectId } = await makeProject(bench.ctx);
    await bench.db.sql`
      insert into api_keys (project_id, display_name, key_prefix, key_digest, created_at)
      select ${projectId}, 'key ' || n, 'ceiba_AAAAAAAA', sha256(n::text::bytea),
        timestamptz '2026-01-01T00:00:00.000001Z' + make_interval(secs => 0.0000015 * (n / 9))
      from generate_series(1, 50) n`;
    const inOneGo = await listPage({ projectId, limit: 100 });
    const paged = await follow((cursor) => findApiKeys(bench.db, { projectId, cursor, limit: 7 }));
    expect(inOneGo).toHaveLength(50);
    expect(paged).toEqual(inOneGo);
  });

  test('is refused if its project is deleted while it is read, and empty at its end', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const { apiKeyId } = await makeKey(bench.ctx, projectId);
    const next = { projectId, cursor: `after.${apiKeyId}`, limit: 1 };
    expect(await listPage(next)).toEqual([]);
    await bench.db.sql`delete from projects where id = ${projectId}`;
    await expect(listPage(next)).rejects.toThrow(InvalidInputError);
  });

  test('has the prefix of each key, and neither the key nor its digest', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const { minted } = await makeKey(bench.ctx, projectId);
    const text = JSON.stringify(await listPage({ projectId, limit: 500 }));
    expect(text).toContain(minted.prefix);
    expect(text).not.toContain(minted.plaintext);
    expect(text).not.toContain(minted.digest.toString('hex'));
    expect(text).not.toContain(minted.digest.toString('base64'));
  });
});

describe('lastUsedAt', () => {
  test('is null until the first use, and is not changed by another first use', async () => {
    const key = await makeKeyThatIs('active');
    expect((await read(key)).lastUsedAt).toBeNull();
    await recordFirstUses(bench.db, [key.apiKeyId]);
    const { lastUsedAt } = await read(key);
    expect(lastUsedAt).toEqual(expect.any(String));
    await recordFirstUses(bench.db, [key.apiKeyId]);
    expect((await read(key)).lastUsedAt).toBe(lastUsedAt);
  });
});
