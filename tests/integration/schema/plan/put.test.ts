import { randomUUID } from 'node:crypto';
import {
  allOrNothing,
  findPlanByName,
  listPlans,
  putPlan,
  setSubscription,
  type VerbContext,
} from '@ceiba/schema';
import { describe, expect, test } from 'vitest';
import { countAuditRows, LIMITS, makeProject, useBench } from '../support.ts';

const bench = useBench();

describe('putting a plan', () => {
  test('creates, changes or keeps the plan of that name, with an audit row per change', async () => {
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

  test('creates one plan if 20 concurrent calls use one name', async () => {
    const name = randomUUID();
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        putPlan(bench.ctx, { name, ...LIMITS, monthlyQuota: index }),
      ),
    );
    expect(results.filter(({ kind }) => kind === 'created')).toHaveLength(1);
    expect(new Set(results.map(({ planId }) => planId)).size).toBe(1);
  });

  test('adds to a list that starts with the smallest quota', async () => {
    const quotas = (await listPlans(bench.db)).map(({ monthlyQuota }) => monthlyQuota);
    expect(quotas).toEqual([...quotas].sort((a, b) => a - b));
  });

  test('does not deadlock with concurrent subscriptions, in 20 rounds', async () => {
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
