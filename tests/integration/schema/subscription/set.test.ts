import { randomUUID } from 'node:crypto';
import { findPlanByName, getSubscription, setSubscription } from '@ceiba/schema';
import { describe, expect, test } from 'vitest';
import { countAuditRows, givePlan, makeProject, useBench } from '../support.ts';

const bench = useBench();

describe('subscriptions', () => {
  test('keep absent fields in a change; null removes the end', async () => {
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

  test('with an end in a two-digit year can be read and corrected', async () => {
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

  test('that do not change write no audit row', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const rowsBefore = await countAuditRows(bench.db);
    expect(await setSubscription(bench.ctx, { projectId, status: 'active' })).toEqual({
      kind: 'unchanged',
    });
    expect(await countAuditRows(bench.db)).toBe(rowsBefore);
  });

  test('cannot use a plan that does not exist', async () => {
    const { projectId } = await makeProject(bench.ctx);
    expect(await setSubscription(bench.ctx, { projectId, planId: randomUUID() })).toEqual({
      kind: 'plan_not_found',
    });
  });
});

test('a subscription to a plan that is deleted concurrently finds no plan', async () => {
  const { projectId } = await makeProject(bench.ctx);
  const { planId } = await givePlan(bench.ctx, (await makeProject(bench.ctx)).projectId, {});
  await bench.db.sql`delete from subscriptions where plan_id = ${planId}`;
  await bench.db.sql`
    create function delete_plan() returns trigger language plpgsql as
    $$ begin delete from plans where id = new.plan_id; return new; end $$`;
  await bench.db.sql`
    create trigger delete_plan before insert on subscriptions
    for each row execute function delete_plan()`;
  try {
    const result = await setSubscription(bench.ctx, { projectId, planId });
    expect(result).toEqual({ kind: 'plan_not_found' });
  } finally {
    await bench.db.sql`drop function delete_plan cascade`;
  }
});
