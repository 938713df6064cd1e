import { randomBytes, randomUUID } from 'node:crypto';
import { mintApiKey } from '@ceiba/domain';
import { findKeyByPrefix, readKeyNames, rotateApiKey } from '@ceiba/schema';
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
