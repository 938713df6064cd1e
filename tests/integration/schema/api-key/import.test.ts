import { randomBytes } from 'node:crypto';
import { digestOf, mintApiKey } from '@ceiba/domain';
import {
  createDatabase,
  endPreviousKeySecret,
  getApiKey,
  InvalidInputError,
  importApiKeys,
  type KeyToImport,
  lookupMany,
  rotateApiKey,
} from '@ceiba/schema';
import { describe, expect, test } from 'vitest';
import {
  contextOf,
  countAuditRows,
  expectKind,
  givePlan,
  makeKey,
  makeProject,
  useBench,
} from '../support.ts';

const bench = useBench();

async function makeRoom(activeKeyCap = 1_000) {
  const { projectId } = await makeProject(bench.ctx);
  await givePlan(bench.ctx, projectId, { activeKeyCap });
  return projectId;
}

const secret = () => `sk_${randomBytes(16).toString('hex')}`;
const rowOf = (plaintext: string, fields: Partial<KeyToImport> = {}): KeyToImport => ({
  digest: digestOf(plaintext),
  displayName: 'Imported',
  keyPrefix: plaintext.slice(0, 6),
  ...fields,
});
const run = async (projectId: string, keys: KeyToImport[]) =>
  expectKind(await importApiKeys(bench.ctx, { projectId, keys }), 'done').results;

const accepts = async (projectId: string) => {
  const [row] = await bench.db.sql`
    select accepts_imported_keys as accepts from projects where id = ${projectId}`;
  return row!.accepts;
};

describe('an import', () => {
  test('of nothing that can be imported changes nothing, not even what the project accepts', async () => {
    const projectId = await makeRoom(0);
    const rows = await countAuditRows(bench.db);
    const results = await run(projectId, [rowOf(secret()), rowOf(secret(), { displayName: '' })]);
    expect(results.map(({ kind }) => kind)).toEqual(['plan_limit_reached', 'invalid']);
    expect(await run(projectId, [])).toEqual([]);
    expect(await accepts(projectId)).toBe(false);
    expect(await countAuditRows(bench.db)).toBe(rows);
  });

  test('never brings back a secret that a rotation has replaced, whatever came after it', async () => {
    const projectId = await makeRoom();
    const plaintext = secret();
    const [first] = await run(projectId, [rowOf(plaintext)]);
    const { apiKeyId, kind } = first as { apiKeyId: string; kind: string };
    expect(kind).toBe('imported');
    let current = { keyPrefix: plaintext.slice(0, 6), plaintextKey: plaintext };
    const replaced: KeyToImport[] = [];
    for (const overlapSeconds of [0, 3_600, 60]) {
      const rotated = await rotateApiKey(bench.ctx, {
        projectId,
        apiKeyId,
        keyPrefix: current.keyPrefix,
        overlapSeconds,
        confirm: true,
        mint: (brand) => mintApiKey(randomBytes, brand),
      });
      replaced.push(rowOf(current.plaintextKey));
      current = expectKind(rotated, 'rotated');
      expect(await run(projectId, [...replaced, rowOf(current.plaintextKey)])).toEqual([
        ...replaced.map(() => ({ kind: 'replaced', apiKeyId })),
        { kind: 'present', apiKeyId },
      ]);
    }
    await endPreviousKeySecret(bench.ctx, { projectId, apiKeyId });
    expect(await run(projectId, replaced)).toEqual(
      replaced.map(() => ({ kind: 'replaced', apiKeyId })),
    );
  });

  test('never brings back a secret that the release before has replaced, once it is replaced again', async () => {
    const projectId = await makeRoom();
    const { apiKeyId, minted } = await makeKey(bench.ctx, projectId);
    let keyPrefix = minted.prefix;
    for (const confirm of [false, true]) {
      const mint = (brand: string) => mintApiKey(randomBytes, brand);
      const rotation = { projectId, apiKeyId, keyPrefix, overlapSeconds: 60, confirm, mint };
      ({ keyPrefix } = expectKind(await rotateApiKey(bench.ctx, rotation), 'rotated'));
      // That release knows no such table.
      if (!confirm) await bench.db.sql`delete from replaced_secrets where api_key_id = ${apiKeyId}`;
      const results = await run(projectId, [rowOf(minted.plaintext)]);
      expect(results).toEqual([{ kind: 'replaced', apiKeyId }]);
    }
  });

  test('does not know what is replaced in another project', async () => {
    const [projectId, other] = [await makeRoom(), await makeRoom()];
    const { apiKeyId, minted } = await makeKey(bench.ctx, other);
    const rotation = { apiKeyId, keyPrefix: minted.prefix, overlapSeconds: 0 };
    const mint = (brand: string) => mintApiKey(randomBytes, brand);
    expectKind(await rotateApiKey(bench.ctx, { projectId: other, ...rotation, mint }), 'rotated');
    const [result] = await run(projectId, [rowOf(minted.plaintext)]);
    expect(result).toMatchObject({ kind: 'imported' });
  });

  test('makes the project accept imported keys, in its own transaction', async () => {
    const projectId = await makeRoom();
    const plaintext = secret();
    const item = { projectId, apiKeyDigest: digestOf(plaintext), isForeign: true };
    expect((await lookupMany(bench.db, [item]))[0]?.apiKey).toBeNull();
    await run(projectId, [rowOf(plaintext)]);
    expect(await accepts(projectId)).toBe(true);
    expect((await lookupMany(bench.db, [item]))[0]?.apiKey).toMatchObject({
      displayName: 'Imported',
    });
  });

  test('of a digest that is another project’s key makes a key of its own', async () => {
    const other = await makeRoom();
    const key = await makeKey(bench.ctx, other);
    const projectId = await makeRoom();
    const [result] = await run(projectId, [{ ...rowOf(secret()), digest: key.minted.digest }]);
    expect(result).toMatchObject({ kind: 'imported' });
    expect(result).not.toMatchObject({ apiKeyId: key.apiKeyId });
  });

  test('keeps texts, lists and objects exactly as they are', async () => {
    const projectId = await makeRoom();
    const displayName = `"{a,b}" \\ 'x' NULL é 🔑`;
    const metadata = { quote: '"', slash: '\\', list: ['{', null, 1.5], '': {} };
    const keys = [
      rowOf(secret(), { displayName, metadata, scopes: ['a:b', 'c'] }),
      rowOf(secret(), { displayName: 'NULL', scopes: [] }),
      rowOf(secret(), { scopes: null, expiresAt: null }),
    ];
    const results = await run(projectId, keys);
    const shown = await Promise.all(
      results.map((result) =>
        getApiKey(bench.db, { projectId, apiKeyId: (result as { apiKeyId: string }).apiKeyId }),
      ),
    );
    expect(shown[0]).toMatchObject({ displayName, metadata, scopes: ['a:b', 'c'] });
    expect(shown[1]).toMatchObject({ displayName: 'NULL', scopes: [] });
    expect(shown[2]).not.toHaveProperty('scopes');
  });

  test('refuses what breaks a rule, for every caller', async () => {
    const projectId = await makeRoom();
    const plaintext = 'a-secret-of-24-characters'.slice(0, 24);
    const cases: [Partial<KeyToImport>, string][] = [
      [{ digest: randomBytes(31) }, 'digest must be 32 bytes'],
      [{ keyPrefix: plaintext }, 'keyPrefix must not be the whole secret'],
      [{ keyPrefix: '' }, 'keyPrefix must be 1 to 32'],
      [{ createdAt: new Date(Date.now() + 60_000) }, 'createdAt must not be in the future'],
      [{ createdAt: new Date('0001-01-01T00:00:00Z') }, 'createdAt must be a date and time within'],
      [{ rateLimitPerMinute: -1 }, 'rateLimitPerMinute must be a whole number'],
    ];
    const results = await run(
      projectId,
      cases.map(([fields]) => rowOf(plaintext, fields)),
    );
    for (const [index, [, message]] of cases.entries()) {
      const result = expectKind(results[index]!, 'invalid');
      expect(result.error).toBeInstanceOf(InvalidInputError);
      expect(result.error.message).toContain(message);
    }
  });

  test('of 5,000 keys, in calls of 1,000, has each of them and five audit rows', async () => {
    const projectId = await makeRoom(1_000_000);
    const db = createDatabase(bench.url, { maxConnections: 1 });
    try {
      const before = await countAuditRows(db);
      for (let call = 0; call < 5; call += 1) {
        const keys = Array.from({ length: 1_000 }, (_, index) => rowOf(`secret ${call}-${index}`));
        const result = await importApiKeys(contextOf(db), { projectId, keys });
        const { results } = expectKind(result, 'done');
        expect(results.every(({ kind }) => kind === 'imported')).toBe(true);
      }
      expect(await countAuditRows(db)).toBe(before + 5);
      const [row] = await db.sql`
        select count(*)::int as count from api_keys where project_id = ${projectId} and is_imported`;
      expect(row).toEqual({ count: 5_000 });
    } finally {
      await db.close();
    }
  }, 60_000);
});
