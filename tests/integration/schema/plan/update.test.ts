import { randomUUID } from 'node:crypto';
import {
  createDatabase,
  createPlan,
  deletePlan,
  listPlansWithUse,
  setSubscription,
  updatePlan,
} from '@ceiba/schema';
import { describe, expect, test } from 'vitest';
import {
  contextOf,
  countAuditRows,
  expectKind,
  givePlan,
  LIMITS,
  makeProject,
  useBench,
} from '../support.ts';

const bench = useBench();

async function makePlan(name: string = randomUUID()): Promise<{ planId: string; name: string }> {
  const created = await createPlan(bench.ctx, { name, ...LIMITS });
  return { planId: expectKind(created, 'created').planId, name };
}
const planOf = async (id: string) =>
  (await listPlansWithUse(bench.db)).find(({ planId }) => planId === id);
const freePlan = async () => (await listPlansWithUse(bench.db)).find(({ isDefault }) => isDefault)!;

describe('plans', () => {
  test('are listed with the number of their projects, smallest quota first', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const { planId, name } = await givePlan(bench.ctx, projectId, { monthlyQuota: 7 });
    expect(await planOf(planId)).toMatchObject({ name, projects: 1, isDefault: false });
    const quotas = (await listPlansWithUse(bench.db)).map(({ monthlyQuota }) => monthlyQuota);
    expect(quotas).toEqual([...quotas].sort((a, b) => a - b));
  });

  test('have unique names, also when several are created at once', async () => {
    const name = randomUUID();
    const results = await Promise.all(
      Array.from({ length: 4 }, () => createPlan(bench.ctx, { name, ...LIMITS })),
    );
    expect(results.map(({ kind }) => kind).sort()).toEqual([
      'created',
      'name_taken',
      'name_taken',
      'name_taken',
    ]);
    const { planId } = await makePlan();
    expect(await updatePlan(bench.ctx, { planId, name })).toEqual({ kind: 'name_taken' });
  });

  test('change only in the given fields', async () => {
    const { planId, name } = await makePlan();
    expect(await updatePlan(bench.ctx, { planId, monthlyQuota: 30 })).toEqual({ kind: 'updated' });
    expect(await planOf(planId)).toMatchObject({ name, ...LIMITS, monthlyQuota: 30 });
    const renamed = randomUUID();
    expect(await updatePlan(bench.ctx, { planId, name: renamed })).toEqual({ kind: 'updated' });
    expect(await planOf(planId)).toMatchObject({ name: renamed, monthlyQuota: 30 });
  });

  test('that do not change write no audit row', async () => {
    const { planId, name } = await makePlan();
    const rows = await countAuditRows(bench.db);
    expect(await updatePlan(bench.ctx, { planId, name, ...LIMITS })).toEqual({ kind: 'unchanged' });
    expect(await updatePlan(bench.ctx, { planId })).toEqual({ kind: 'unchanged' });
    expect(await countAuditRows(bench.db)).toBe(rows);
  });

  test('cannot be deleted while projects are on them; the result has their number', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const { planId } = await givePlan(bench.ctx, projectId, {});
    const second = await makeProject(bench.ctx);
    await setSubscription(bench.ctx, { projectId: second.projectId, planId });
    expect(await deletePlan(bench.ctx, { planId })).toEqual({ kind: 'in_use', projects: 2 });
    const other = await makePlan();
    for (const on of [projectId, second.projectId]) {
      await setSubscription(bench.ctx, { projectId: on, planId: other.planId });
    }
    expect(await deletePlan(bench.ctx, { planId })).toEqual({ kind: 'deleted' });
    expect(await deletePlan(bench.ctx, { planId })).toEqual({ kind: 'not_found' });
  });

  test('are never deleted while a project moves to them, in 20 rounds', async () => {
    const other = createDatabase(bench.url, { maxConnections: 2 });
    try {
      for (let round = 0; round < 20; round += 1) {
        const { projectId } = await makeProject(bench.ctx);
        const { planId } = await makePlan();
        const [moved, deleted] = await Promise.all([
          setSubscription(bench.ctx, { projectId, planId }),
          deletePlan(contextOf(other), { planId }),
        ]);
        const outcome = `${moved.kind}, ${deleted.kind}`;
        expect(['updated, in_use', 'plan_not_found, deleted']).toContain(outcome);
      }
    } finally {
      await other.close();
    }
  });

  test('that new projects start on can be neither renamed nor deleted', async () => {
    const { planId, name, monthlyQuota } = await freePlan();
    expect(name).toBe('Free');
    expect(await updatePlan(bench.ctx, { planId, name: 'Gratis' })).toEqual({
      kind: 'default_plan',
    });
    expect(await deletePlan(bench.ctx, { planId })).toEqual({ kind: 'default_plan' });
    const raised = await updatePlan(bench.ctx, { planId, monthlyQuota: monthlyQuota + 1 });
    expect(raised).toEqual({ kind: 'updated' });
  });

  test('that do not exist are not found', async () => {
    const planId = randomUUID();
    expect(await updatePlan(bench.ctx, { planId, name: 'x' })).toEqual({ kind: 'not_found' });
    expect(await deletePlan(bench.ctx, { planId })).toEqual({ kind: 'not_found' });
  });
});
