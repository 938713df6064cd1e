import { randomUUID } from 'node:crypto';
import { readKeyNames } from '@ceiba/schema';
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
