import { randomBytes, randomUUID } from 'node:crypto';
import { mintApiKey } from '@ceiba/domain';
import { findKeyByPrefix, findKeysByPrefix, readKeyNames, rotateApiKey } from '@ceiba/schema';
import { expect, test } from 'vitest';
import { makeKey, makeProject, useBench } from '../support.ts';

const bench = useBench();

test('the names of keys are read by id, and never those of another project', async () => {
  const { projectId } = await makeProject(bench.ctx);
  const elsewhere = await makeProject(bench.ctx);
  const own = await makeKey(bench.ctx, projectId, { displayName: 'Mobile app' });
  const other = await makeKey(bench.ctx, elsewhere.projectId, { displayName: 'Hidden' });
  const apiKeyIds = [own.apiKeyId, other.apiKeyId, randomUUID()];
  const names = await readKeyNames(bench.db, { projectId, apiKeyIds });
  expect([...names]).toEqual([
    [own.apiKeyId, { displayName: 'Mobile app', keyPrefix: own.minted.prefix }],
  ]);
  expect((await readKeyNames(bench.db, { projectId, apiKeyIds: [] })).size).toBe(0);
});

test('a key is found by the prefix of its secret, and by that of the one it replaced while that is valid', async () => {
  const { projectId } = await makeProject(bench.ctx);
  const elsewhere = await makeProject(bench.ctx);
  const { apiKeyId, minted } = await makeKey(bench.ctx, projectId, { displayName: 'Mobile app' });
  const find = (prefix: string, ofProject = projectId) =>
    findKeyByPrefix(bench.db, { projectId: ofProject, prefix });
  const input = { projectId, apiKeyId, keyPrefix: minted.prefix, overlapSeconds: 60 };
  await rotateApiKey(bench.ctx, { ...input, mint: () => mintApiKey(randomBytes) });
  const found = await find(minted.prefix);
  expect(found).toEqual({ apiKeyId, displayName: 'Mobile app', keyPrefix: expect.any(String) });
  const current = found?.keyPrefix ?? '';
  expect(current).not.toBe(minted.prefix);
  expect(await find(current)).toEqual(found);
  expect(await find(current, elsewhere.projectId)).toBeNull();
  expect(await find(current.slice(0, -1))).toBeNull();
  await bench.db.sql`update api_keys set previous_expires_at = now() where id = ${apiKeyId}`;
  expect(await find(minted.prefix)).toBeNull();
  expect(await find(current)).toEqual(found);
});

test('keys are found by a part of the prefix of a secret, as far as it is valid', async () => {
  const { projectId } = await makeProject(bench.ctx);
  const elsewhere = await makeProject(bench.ctx);
  const [older, newer] = [
    await makeKey(bench.ctx, projectId, { displayName: 'Older' }),
    await makeKey(bench.ctx, projectId, { displayName: 'Newer' }),
  ];
  await bench.db
    .sql`update api_keys set key_prefix = 'ceiba_abcOlder1' where id = ${older.apiKeyId}`;
  await bench.db
    .sql`update api_keys set key_prefix = 'ceiba_xyzNewer1', previous_prefix = 'ceiba_abcNewer0',
    previous_digest = sha256('previous'), previous_expires_at = now() + interval '1 hour'
    where id = ${newer.apiKeyId}`;
  const find = async (part: string, ofProject = projectId, limit = 20) => {
    const found = await findKeysByPrefix(bench.db, { projectId: ofProject, part, limit });
    return found.map(({ displayName }) => displayName);
  };
  expect(await find('ceiba_abc')).toEqual(['Newer', 'Older']);
  expect(await find('abc')).toEqual(['Newer', 'Older']);
  expect(await find('ceiba_abc', projectId, 1)).toEqual(['Newer']);
  expect(await find('ceiba_abcO')).toEqual(['Older']);
  expect(await find('ceiba_ABC')).toEqual([]);
  expect(await find('bcOlder')).toEqual([]);
  expect(await find('ceiba_abc', elsewhere.projectId)).toEqual([]);
  await bench.db.sql`update api_keys set previous_expires_at = now() where id = ${newer.apiKeyId}`;
  expect(await find('ceiba_abc')).toEqual(['Older']);
  await bench.db.sql`update projects set key_prefix = 'acme_' where id = ${projectId}`;
  await bench.db
    .sql`update api_keys set key_prefix = 'acme_abcNewer1' where id = ${newer.apiKeyId}`;
  expect(await find('abc')).toEqual(['Newer', 'Older']);
});
