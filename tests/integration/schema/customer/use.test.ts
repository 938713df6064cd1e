import { windowOfPeriod } from '@ceiba/domain';
import {
  createCustomerPlan,
  type Database,
  exportCustomers,
  readCustomerNames,
  readCustomerUse,
  readUsageByCustomer,
  recordUsage,
  revokeApiKey,
  surveyCustomers,
  suspendCustomer,
  updateApiKey,
  updateCustomer,
} from '@ceiba/schema';
import { describe, expect, test } from 'vitest';
import { flush, givePlan, makeKey, makeProject, rollUpAll, useBench } from '../support.ts';
import { makeCustomer } from './support.ts';

const bench = useBench();

async function makeScene() {
  const { projectId } = await makeProject(bench.ctx);
  await givePlan(bench.ctx, projectId, { activeKeyCap: 20 });
  await createCustomerPlan(bench.ctx, {
    projectId,
    name: 'Growth',
    activeKeyCap: 5,
    rateLimitPerMinute: 60,
    monthlyQuota: 1_000,
    scopes: ['read'],
  });
  const customer = await makeCustomer(bench.ctx, projectId, { plan: 'Growth', billingDay: 15 });
  return { projectId, customer, customerId: customer.customerId };
}

const useOf = async (projectId: string, customerId: string) =>
  (await readCustomerUse(bench.db, { projectId, customerIds: [customerId] })).get(customerId)!;

/** Counts what the Runtime counts of a customer's month, and of its day. */
async function count(projectId: string, { customerId, day }: { customerId: string; day: number }) {
  const nowMs = Date.now();
  const write = { projectId, incarnation: 'i' };
  await recordUsage(bench.db, {
    months: [
      {
        ...write,
        month: windowOfPeriod(day).numberAt(nowMs),
        scope: day === 1 ? customerId : `${customerId}@${day}`,
        count: 40,
      },
    ],
    days: [
      { ...write, day: windowOfPeriod(0).numberAt(nowMs), scope: `${customerId}@0`, count: 7 },
    ],
  });
}

describe('the use of a customer', () => {
  test('is of the month that its billing day began, with the limits of its plan', async () => {
    const { projectId, customerId } = await makeScene();
    await count(projectId, { customerId, day: 15 });
    const use = await useOf(projectId, customerId);
    const month = windowOfPeriod(15);
    const number = month.numberAt(Date.now());
    expect(use).toEqual({
      activeKeys: 0,
      lastUsedAt: null,
      activeKeyCap: 5,
      admits: true,
      planScopes: ['read'],
      rate: { owner: 'customer_plan', window: 'minute', value: 60 },
      month: {
        from: new Date(month.startOf(number)),
        to: new Date(month.startOf(number + 1)),
        used: 40,
        quota: { owner: 'customer_plan', window: 'month', value: 1_000 },
      },
      day: null,
    });
  });

  test('begins again with another billing day', async () => {
    const { projectId, customerId } = await makeScene();
    await count(projectId, { customerId, day: 15 });
    await updateCustomer(bench.ctx, { projectId, customerId, billingDay: 1 });
    expect((await useOf(projectId, customerId)).month.used).toBe(0);
  });

  test('has a day once a quota limits it, and its own limits before those of its plan', async () => {
    const { projectId, customerId } = await makeScene();
    await count(projectId, { customerId, day: 15 });
    const own = { dailyQuota: 10, monthlyQuota: 50 };
    await updateCustomer(bench.ctx, { projectId, customerId, ...own });
    const { day, month, rate } = await useOf(projectId, customerId);
    expect(day).toMatchObject({ used: 7, quota: { owner: 'customer', window: 'day', value: 10 } });
    expect(month.quota).toMatchObject({ owner: 'customer', value: 50 });
    expect(rate?.owner).toBe('customer_plan');
  });

  test('says that a plan that is past due, canceled or over does not admit', async () => {
    const { projectId, customerId } = await makeScene();
    const ref = { projectId, customerId };
    const admits = async (change: Partial<Parameters<typeof updateCustomer>[1]>) => {
      await updateCustomer(bench.ctx, { ...ref, ...change });
      return (await useOf(projectId, customerId)).admits;
    };
    expect(await admits({ subscriptionStatus: 'past_due' })).toBe(false);
    expect(await admits({ subscriptionStatus: 'trialing' })).toBe(true);
    expect(await admits({ currentPeriodEnd: new Date('2026-01-01') })).toBe(false);
    expect(await admits({ plan: null })).toBe(true);
  });

  test('was last when a key that it has now was used, also one that is revoked', async () => {
    const { projectId, customerId } = await makeScene();
    const usedAt = async (day: string) => {
      const { apiKeyId } = await makeKey(bench.ctx, projectId);
      await bench.db.sql`update api_keys set customer_id = ${customerId},
        last_used_at = ${day}::timestamptz where id = ${apiKeyId}`;
      return { projectId, apiKeyId };
    };
    await usedAt('2026-01-01T00:00Z');
    const newest = await usedAt('2026-01-03T00:00Z');
    await revokeApiKey(bench.ctx, await usedAt('2026-01-02T00:00Z'));
    expect((await useOf(projectId, customerId)).lastUsedAt).toEqual(new Date('2026-01-03'));
    await updateApiKey(bench.ctx, { ...newest, customerId: null });
    expect((await useOf(projectId, customerId)).lastUsedAt).toEqual(new Date('2026-01-02'));
  });

  test('counts its active keys alone, and finds no customer of another project', async () => {
    const { projectId, customerId } = await makeScene();
    for (let index = 0; index < 3; index += 1) {
      const { apiKeyId } = await makeKey(bench.ctx, projectId);
      await updateApiKey(bench.ctx, { projectId, apiKeyId, customerId });
      if (index === 0) await revokeApiKey(bench.ctx, { projectId, apiKeyId });
    }
    await makeKey(bench.ctx, projectId);
    expect((await useOf(projectId, customerId)).activeKeys).toBe(2);
    const other = await makeProject(bench.ctx);
    const foreign = { projectId: other.projectId, customerIds: [customerId] };
    expect(await readCustomerUse(bench.db, foreign)).toEqual(new Map());
    expect(await readCustomerNames(bench.db, foreign)).toEqual(new Map());
    expect(await surveyCustomers(bench.db, other.projectId)).toEqual({ active: 0, suspended: 0 });
  });
});

test('customers are counted, named and exported with their use, newest first', async () => {
  const { projectId, customer, customerId } = await makeScene();
  const acme = await makeCustomer(bench.ctx, projectId, { externalId: 'acme', name: 'Acme' });
  await suspendCustomer(bench.ctx, { projectId, customerId });
  expect(await surveyCustomers(bench.db, projectId)).toEqual({ active: 1, suspended: 1 });
  const customerIds = [acme.customerId, customerId];
  expect(await readCustomerNames(bench.db, { projectId, customerIds })).toEqual(
    new Map([
      [acme.customerId, { externalId: 'acme', name: 'Acme' }],
      [customerId, { externalId: customer.externalId, name: '' }],
    ]),
  );
  const run = <T>(work: (db: Database) => Promise<T>) => work(bench.db);
  const ids = async (status?: 'suspended') => {
    const rows = [];
    for await (const page of exportCustomers(run, { projectId, filter: { status } })) {
      rows.push(...page);
    }
    return rows.map((row) => [row.customerId, row.use.activeKeyCap]);
  };
  expect(await ids()).toEqual([
    [acme.customerId, null],
    [customerId, 5],
  ]);
  expect(await ids('suspended')).toEqual([[customerId, 5]]);
});

test('an export of customers has none twice, though the rest no longer matches', async () => {
  const { projectId } = await makeProject(bench.ctx);
  await bench.db.sql`
    insert into customers (project_id, external_id, suspended_at, created_at)
    select ${projectId}, number::text, now(), now() - number * interval '1 minute'
    from generate_series(1, 501) as number`;
  const run = <T>(work: (db: Database) => Promise<T>) => work(bench.db);
  const exported: number[] = [];
  for await (const page of exportCustomers(run, { projectId, filter: { status: 'suspended' } })) {
    exported.push(page.length);
    await bench.db.sql`
      update customers set suspended_at = null
      where project_id = ${projectId} and external_id = '501'`;
  }
  expect(exported).toEqual([500, 0]);
});

describe.each(['hours', 'totals of days'])('usage by customer from %s', (source) => {
  test('adds up the keys that each customer has, the largest first', async () => {
    const { projectId, customerId } = await makeScene();
    const acme = await makeCustomer(bench.ctx, projectId, { externalId: 'acme', name: 'Acme' });
    const keys: string[] = [];
    for (const owner of [customerId, customerId, acme.customerId, null]) {
      const { apiKeyId } = await makeKey(bench.ctx, projectId);
      await updateApiKey(bench.ctx, { projectId, apiKeyId, customerId: owner });
      keys.push(apiKeyId);
    }
    const at = '2026-06-10T05:00:00Z';
    await flush(bench.db, projectId, [
      ...[3, 4, 5, 100].map((total, index) => ({ at, count: total, apiKeyId: keys[index]! })),
      { at, count: 50, apiKeyId: keys[2]!, outcome: 'quota_exceeded' as const },
      { at: '2026-06-12T05:00:00Z', count: 9, apiKeyId: keys[2]! },
    ]);
    if (source === 'totals of days') await rollUpAll(bench.db);
    const totals = async (step: 'hour' | 'day', from: string, to: string, top = 8) =>
      (
        await readUsageByCustomer(bench.db, {
          projectId,
          step,
          top,
          from: new Date(from),
          to: new Date(to),
        })
      ).map(({ customerId, name, total }) => [customerId, name, total]);
    expect(await totals('day', '2026-06-10', '2026-06-13')).toEqual([
      [acme.customerId, 'Acme', 14],
      [customerId, '', 7],
    ]);
    expect(await totals('day', '2026-06-10', '2026-06-13', 1)).toHaveLength(1);
    expect(await totals('hour', '2026-06-10T05:00:00Z', '2026-06-10T06:00:00Z')).toEqual([
      [customerId, '', 7],
      [acme.customerId, 'Acme', 5],
    ]);
    expect(await totals('day', '2026-06-11', '2026-06-12')).toEqual([]);
  });
});
