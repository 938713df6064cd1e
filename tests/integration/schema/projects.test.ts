import { randomBytes, randomUUID } from 'node:crypto';
import { mintProjectSecret } from '@ceiba/domain';
import {
  allOrNothing,
  createProject,
  findPlanByName,
  findProjectByName,
  getOwnedProject,
  getProject,
  getSubscription,
  listPlans,
  putPlan,
  revokeApiKey,
  setApiKeyLimits,
  setSubscription,
  updateProject,
  type VerbContext,
} from '@ceiba/schema';
import { describe, expect, test } from 'vitest';
import {
  countAuditRows,
  expectKind,
  makeKey,
  makeOwner,
  makeProject,
  useBench,
} from './support.ts';

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

  test('have names that are unique to their owner', async () => {
    const [owner, other] = [await makeOwner(bench.ctx), await makeOwner(bench.ctx)];
    const { projectId } = expectKind(await create(owner, 'reports'), 'created');
    expectKind(await create(owner, 'reports'), 'name_taken');
    expectKind(await create(other, 'reports'), 'created');
    expect(await findProjectByName(bench.db, { ownerId: owner, name: 'reports' })).toMatchObject({
      projectId,
    });
  });

  test('of 10 created at once under one name, one is made, with one subscription', async () => {
    const owner = await makeOwner(bench.ctx);
    const results = await Promise.all(Array.from({ length: 10 }, () => create(owner, 'reports')));
    expect(results.filter(({ kind }) => kind === 'created')).toHaveLength(1);
    const [row] = await bench.db.sql`
      select count(*)::int as count from projects p join subscriptions s on s.project_id = p.id
      where p.owner_id = ${owner}`;
    expect(row).toEqual({ count: 1 });
  });

  test('of somebody else read as not found, as one that does not exist does', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const stranger = await makeOwner(bench.ctx);
    expect(await getOwnedProject(bench.db, { ownerId: stranger, projectId })).toBeNull();
    const nowhere = { ownerId: stranger, projectId: randomUUID() };
    expect(await getOwnedProject(bench.db, nowhere)).toBeNull();
  });

  test('are renamed, but not into a name that the owner has already', async () => {
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

  test('keep what an update does not name; null takes the default rate away', async () => {
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

describe('subscriptions', () => {
  test('keep what a change does not name; null takes the end away', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const planId = (await findPlanByName(bench.db, 'Pro'))!.planId;
    const end = new Date('2099-01-31T12:00:00.000Z');
    await setSubscription(bench.ctx, { projectId, planId });
    await setSubscription(bench.ctx, { projectId, currentPeriodEnd: end });
    await setSubscription(bench.ctx, { projectId, status: 'trialing' });
    expect(await getSubscription(bench.db, projectId)).toMatchObject({
      plan: { name: 'Pro' },
      status: 'trialing',
      currentPeriodEnd: end,
      admits: true,
    });
    await setSubscription(bench.ctx, { projectId, currentPeriodEnd: null });
    expect(await getSubscription(bench.db, projectId)).toMatchObject({ currentPeriodEnd: null });
  });

  test('whose end lies in a year that was typed in two digits are read and mended', async () => {
    const { projectId } = await makeProject(bench.ctx);
    await bench.db.sql`
      update subscriptions set current_period_end = '0026-11-21T10:00:00Z'
      where project_id = ${projectId}`;
    expect(await getSubscription(bench.db, projectId)).toMatchObject({
      currentPeriodEnd: new Date('0026-11-21T10:00:00.000Z'),
      admits: false,
    });
    await setSubscription(bench.ctx, { projectId, status: 'trialing' });
    expect(await setSubscription(bench.ctx, { projectId, currentPeriodEnd: null })).toEqual({
      kind: 'updated',
    });
    expect(await getSubscription(bench.db, projectId)).toMatchObject({
      status: 'trialing',
      currentPeriodEnd: null,
      admits: true,
    });
  });

  test('say by the database’s clock whether they admit', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const past = new Date('2001-01-01T00:00:00.000Z');
    await setSubscription(bench.ctx, { projectId, currentPeriodEnd: past });
    expect(await getSubscription(bench.db, projectId)).toMatchObject({ admits: false });
  });

  test('that are set to what they are change nothing and write no audit row', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const rowsBefore = await countAuditRows(bench.db);
    expect(await setSubscription(bench.ctx, { projectId, status: 'active' })).toEqual({
      kind: 'unchanged',
    });
    expect(await countAuditRows(bench.db)).toBe(rowsBefore);
  });

  test('cannot be put on a plan that does not exist', async () => {
    const { projectId } = await makeProject(bench.ctx);
    expect(await setSubscription(bench.ctx, { projectId, planId: randomUUID() })).toEqual({
      kind: 'plan_not_found',
    });
  });
});

describe('plans', () => {
  const LIMITS = { activeKeyCap: 2, rateLimitPerMinute: 3, monthlyQuota: 5 };

  test('are created, changed and left alone by name, with an audit row for each change', async () => {
    const name = randomUUID();
    const rowsBefore = await countAuditRows(bench.db);
    const created = await putPlan(bench.ctx, { name, ...LIMITS });
    const { planId } = created;
    expect(created.kind).toBe('created');
    expect(await putPlan(bench.ctx, { name, ...LIMITS })).toEqual({ kind: 'unchanged', planId });
    expect(await putPlan(bench.ctx, { name, ...LIMITS, monthlyQuota: 6 })).toEqual({
      kind: 'updated',
      planId,
    });
    expect(await countAuditRows(bench.db)).toBe(rowsBefore + 2);
    expect(await findPlanByName(bench.db, name)).toEqual({
      planId,
      name,
      ...LIMITS,
      monthlyQuota: 6,
    });
  });

  test('of 20 puts of one name at once make one plan', async () => {
    const name = randomUUID();
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        putPlan(bench.ctx, { name, ...LIMITS, monthlyQuota: index }),
      ),
    );
    expect(results.filter(({ kind }) => kind === 'created')).toHaveLength(1);
    expect(new Set(results.map(({ planId }) => planId)).size).toBe(1);
  });

  test('take limits from 0 to 2,147,483,647', async () => {
    const most = 2_147_483_647;
    const limits = { activeKeyCap: 0, rateLimitPerMinute: most, monthlyQuota: most };
    const name = randomUUID();
    await putPlan(bench.ctx, { name, ...limits });
    expect(await findPlanByName(bench.db, name)).toMatchObject(limits);
  });

  test('are listed with the smallest quota first', async () => {
    const quotas = (await listPlans(bench.db)).map(({ monthlyQuota }) => monthlyQuota);
    expect(quotas).toEqual([...quotas].sort((a, b) => a - b));
  });

  test('change with their subscriptions while others subscribe, without a deadlock, in 20 rounds', async () => {
    const name = randomUUID();
    const { planId } = await putPlan(bench.ctx, { name, ...LIMITS });
    const projects = await Promise.all(Array.from({ length: 5 }, () => makeProject(bench.ctx)));
    const freeId = (await findPlanByName(bench.db, 'Free'))!.planId;
    const subscribe = (ctx: VerbContext, round: number) =>
      projects.map(({ projectId }) =>
        setSubscription(ctx, { projectId, planId: round % 2 === 0 ? planId : freeId }),
      );
    for (let round = 0; round < 20; round += 1) {
      const asOne = allOrNothing(bench.ctx, async (ctx) => {
        await putPlan(ctx, { name, ...LIMITS, monthlyQuota: round });
        for (const { projectId } of projects) await setSubscription(ctx, { projectId, planId });
      });
      await Promise.all([asOne, ...subscribe(bench.ctx, round)]);
    }
  });
});

describe('limits of a key’s own', () => {
  test('are set one by one and taken away by null', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const key = await makeKey(bench.ctx, projectId);
    const set = async (limits: Parameters<typeof setApiKeyLimits>[1]['limits']) =>
      expectKind(await setApiKeyLimits(bench.ctx, { ...key, limits }), 'updated').limits;
    expect(await set({ rateLimitPerMinute: 0 })).toEqual({
      rateLimitPerMinute: 0,
      monthlyQuota: null,
    });
    expect(await set({ monthlyQuota: 9 })).toEqual({ rateLimitPerMinute: 0, monthlyQuota: 9 });
    expect(await set({ rateLimitPerMinute: null })).toEqual({
      rateLimitPerMinute: null,
      monthlyQuota: 9,
    });
  });

  test('that are set to what they are write no audit row', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const key = await makeKey(bench.ctx, projectId);
    const limits = { rateLimitPerMinute: 7, monthlyQuota: null };
    await setApiKeyLimits(bench.ctx, { ...key, limits });
    const rowsBefore = await countAuditRows(bench.db);
    expect(await setApiKeyLimits(bench.ctx, { ...key, limits })).toMatchObject({
      kind: 'unchanged',
      limits,
    });
    expect(await countAuditRows(bench.db)).toBe(rowsBefore);
  });

  test('of a key that has ended stay as they are', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const key = await makeKey(bench.ctx, projectId);
    await revokeApiKey(bench.ctx, key);
    const rowsBefore = await countAuditRows(bench.db);
    expect(await setApiKeyLimits(bench.ctx, { ...key, limits: { monthlyQuota: 9 } })).toEqual({
      kind: 'conflict',
      status: 'revoked',
    });
    expect(await countAuditRows(bench.db)).toBe(rowsBefore);
  });

  test('of another project’s key are not found', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const key = await makeKey(bench.ctx, projectId);
    const { projectId: stranger } = await makeProject(bench.ctx);
    const asked = { ...key, projectId: stranger, limits: { monthlyQuota: 1 } };
    expect(await setApiKeyLimits(bench.ctx, asked)).toEqual({ kind: 'not_found' });
  });
});
