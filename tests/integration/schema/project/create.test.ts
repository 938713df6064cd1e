import { randomBytes, randomUUID } from 'node:crypto';
import { mintProjectSecret } from '@ceiba/domain';
import {
  createProject,
  findProjectByName,
  getProject,
  getSubscription,
  setSubscription,
  updateProject,
} from '@ceiba/schema';
import { describe, expect, test } from 'vitest';
import { expectKind, makeOwner, makeProject, useBench } from '../support.ts';

const bench = useBench();

const create = (ownerId: string, name: string) =>
  createProject(bench.ctx, { ownerId, name, secret: mintProjectSecret(randomBytes) });

describe('projects', () => {
  test('start on the plan Free, active and without an end', async () => {
    const { projectId } = await makeProject(bench.ctx);
    expect(await getSubscription(bench.db, projectId)).toMatchObject({
      status: 'active',
      currentPeriodEnd: null,
      admits: true,
      plan: { name: 'Free', activeKeyCap: 3, rateLimitPerMinute: 60, monthlyQuota: 10_000 },
    });
  });

  test('have names that are unique per owner', async () => {
    const [owner, other] = [await makeOwner(bench.ctx), await makeOwner(bench.ctx)];
    const { projectId } = expectKind(await create(owner, 'reports'), 'created');
    expectKind(await create(owner, 'reports'), 'name_taken');
    expectKind(await create(other, 'reports'), 'created');
    expect(await findProjectByName(bench.db, { ownerId: owner, name: 'reports' })).toMatchObject({
      projectId,
    });
  });

  test('with one name are created once by 10 concurrent calls, with one subscription', async () => {
    const owner = await makeOwner(bench.ctx);
    const results = await Promise.all(Array.from({ length: 10 }, () => create(owner, 'reports')));
    expect(results.filter(({ kind }) => kind === 'created')).toHaveLength(1);
    const [row] = await bench.db.sql`
      select count(*)::int as count from projects p join subscriptions s on s.project_id = p.id
      where p.owner_id = ${owner}`;
    expect(row).toEqual({ count: 1 });
  });

  test('are renamed, but not to a name that the owner already uses', async () => {
    const owner = await makeOwner(bench.ctx);
    expectKind(await create(owner, 'taken'), 'created');
    const { projectId } = expectKind(await create(owner, 'reports'), 'created');
    expect(await updateProject(bench.ctx, { projectId, name: 'taken' })).toEqual({
      kind: 'name_taken',
    });
    expect(await updateProject(bench.ctx, { projectId, name: 'billing' })).toEqual({
      kind: 'updated',
    });
    expect(await getProject(bench.db, projectId)).toMatchObject({ name: 'billing' });
  });

  test('keep absent fields in an update; null removes the default rate', async () => {
    const { projectId, name } = await makeProject(bench.ctx);
    await updateProject(bench.ctx, { projectId, defaultKeyRateLimitPerMinute: 5 });
    expect(await getProject(bench.db, projectId)).toMatchObject({
      name,
      defaultKeyRateLimitPerMinute: 5,
    });
    await updateProject(bench.ctx, { projectId, name: randomUUID() });
    expect(await getProject(bench.db, projectId)).toMatchObject({
      defaultKeyRateLimitPerMinute: 5,
    });
    await updateProject(bench.ctx, { projectId, defaultKeyRateLimitPerMinute: null });
    expect(await getProject(bench.db, projectId)).toMatchObject({
      defaultKeyRateLimitPerMinute: null,
    });
  });

  test('that do not exist are not found', async () => {
    const projectId = randomUUID();
    expect(await updateProject(bench.ctx, { projectId, name: 'x' })).toEqual({ kind: 'not_found' });
    expect(await setSubscription(bench.ctx, { projectId })).toEqual({ kind: 'not_found' });
    expect(await getSubscription(bench.db, projectId)).toBeNull();
  });
});
