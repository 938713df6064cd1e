import { randomBytes, randomUUID } from 'node:crypto';
import { mintApiKey } from '@ceiba/domain';
import { createApiKey, type NewApiKey, removeOldCreations } from '@ceiba/schema';
import { describe, expect, test } from 'vitest';
import { expectKind, givePlan, holding, makeProject, untilWaiting, useBench } from '../support.ts';

const bench = useBench();

async function makeRoom() {
  const { projectId } = await makeProject(bench.ctx);
  await givePlan(bench.ctx, projectId, { activeKeyCap: 100 });
  return projectId;
}

const create = (projectId: string, idempotencyKey: string, fields: Partial<NewApiKey> = {}) =>
  createApiKey(bench.ctx, {
    projectId,
    idempotencyKey,
    displayName: 'Job',
    mint: () => mintApiKey(randomBytes),
    ...fields,
  });

const EXPIRY = new Date('2031-01-01T00:00:00Z');

describe('a named creation', () => {
  test.each<[string, Partial<NewApiKey>, Partial<NewApiKey>]>([
    ['another name', { displayName: 'Job' }, { displayName: 'Other' }],
    ['an expiry', {}, { expiresAt: EXPIRY }],
    ['another expiry', { expiresAt: EXPIRY }, { expiresAt: new Date(EXPIRY.getTime() + 1) }],
    ['no expiry and a null', {}, { expiresAt: null }],
    ['a customer', {}, { externalCustomerId: 'acme' }],
    ['another limit', { monthlyQuota: 1 }, { monthlyQuota: 2 }],
    ['other metadata', { metadata: { a: [1, 2] } }, { metadata: { a: [2, 1] } }],
    ['deeper metadata', { metadata: { a: { b: 1 } } }, { metadata: { a: { b: '1' } } }],
  ])('with %s is another one', async (_what, first, second) => {
    const projectId = await makeRoom();
    const name = randomUUID();
    const { apiKeyId } = expectKind(await create(projectId, name, first), 'created');
    expect(await create(projectId, name, second)).toEqual({ kind: 'other_creation' });
    expect(await create(projectId, name, first)).toEqual({ kind: 'repeated', apiKeyId });
  });

  test('is the same, whatever the order of its fields and of labels', async () => {
    const projectId = await makeRoom();
    const first = { scopes: ['b', 'a'], metadata: { a: { x: 1, y: [{ p: 1, q: 2 }] }, 7: 0 } };
    const second = {
      metadata: { 7: 0, a: { y: [{ q: 2, p: 1 }], x: 1 } },
      scopes: ['a', 'b', 'a'],
    };
    const { apiKeyId } = expectKind(await create(projectId, 'n', first), 'created');
    expect(await create(projectId, 'n', second)).toEqual({ kind: 'repeated', apiKeyId });
  });

  test('made by many calls at once, which wait for each other, is made once', async () => {
    const projectId = await makeRoom();
    const lock = `select 1 from projects where id = '${projectId}' for update`;
    const release = await holding(bench.url, lock);
    const calls = Promise.all(Array.from({ length: 3 }, () => create(projectId, 'n')));
    await untilWaiting(bench.db, 2);
    await release();
    const results = await calls;
    expect(results.map(({ kind }) => kind).sort()).toEqual(['created', 'repeated', 'repeated']);
  });

  test('is removed by upkeep once it is 24 hours old', async () => {
    const projectId = await makeRoom();
    await create(projectId, 'old');
    await create(projectId, 'new');
    await bench.db.sql`
      update key_creations set created_at = now() - interval '24 hours 1 second'
      where project_id = ${projectId} and idempotency_key = 'old'`;
    expect(await removeOldCreations(bench.db)).toEqual({ isComplete: true });
    const rows = await bench.db.sql`
      select idempotency_key as name from key_creations where project_id = ${projectId}`;
    expect(rows.map(({ name }) => name)).toEqual(['new']);
  });

  test('whose name is used again while upkeep removes the old one, stays', async () => {
    const projectId = await makeRoom();
    await create(projectId, 'n');
    await bench.db.sql`
      update key_creations set created_at = now() - interval '25 hours'
      where project_id = ${projectId}`;
    const again = `update key_creations set created_at = now() where project_id = '${projectId}'`;
    const release = await holding(bench.url, again);
    const removal = removeOldCreations(bench.db);
    await untilWaiting(bench.db);
    await release();
    expect(await removal).toEqual({ isComplete: true });
    expect(await create(projectId, 'n')).toMatchObject({ kind: 'repeated' });
  });
});
