import { randomUUID } from 'node:crypto';
import {
  InvalidInputError,
  readUsageOf,
  recordUsage,
  type UsageOfInput,
  updateApiKey,
} from '@ceiba/schema';
import { describe, expect, test } from 'vitest';
import { makeCustomer, makeCustomerPlan } from '../customer/support.ts';
import { flush, givePlan, makeKey, makeProject, rollUpAll, useBench } from '../support.ts';

const bench = useBench();
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const hourOf = (at: string) => Math.floor(Date.parse(at) / HOUR);

async function makeScene() {
  const { projectId } = await makeProject(bench.ctx);
  await givePlan(bench.ctx, projectId, {});
  const { customerId } = await makeCustomer(bench.ctx, projectId);
  const keys = [];
  for (let index = 0; index < 3; index += 1) keys.push(await makeKey(bench.ctx, projectId));
  const [first, second, other] = keys.map(({ apiKeyId }) => apiKeyId);
  for (const apiKeyId of [first!, second!]) {
    await updateApiKey(bench.ctx, { projectId, apiKeyId, customerId });
  }
  return { projectId, customerId, first: first!, second: second!, other: other! };
}

/** Two days of June and one of July 2026, with costs. */
async function makeUsage() {
  const scene = await makeScene();
  const { projectId, first, second, other } = scene;
  await flush(bench.db, projectId, [
    { at: '2026-06-10T00:00:00Z', count: 5, apiKeyId: first },
    { at: '2026-06-10T23:00:00Z', count: 2, apiKeyId: second },
    { at: '2026-06-10T12:00:00Z', count: 100, apiKeyId: other },
    { at: '2026-06-10T12:00:00Z', count: 9, outcome: 'invalid_api_key' },
    { at: '2026-06-10T12:00:00Z', count: 3, apiKeyId: first, outcome: 'quota_exceeded' },
    { at: '2026-06-12T01:00:00Z', count: 4, apiKeyId: first },
    { at: '2026-07-01T00:00:00Z', count: 1, apiKeyId: second },
  ]);
  const cost = (at: string, apiKeyId: string, kind: 'surplus' | 'free', count: number) => ({
    ...{ projectId, apiKeyId, kind, count, incarnation: 'i', hour: hourOf(at) },
  });
  await recordUsage(bench.db, {
    costs: [
      cost('2026-06-10T00:00:00Z', first, 'surplus', 70),
      cost('2026-06-10T00:00:00Z', first, 'free', 2),
      cost('2026-06-12T01:00:00Z', first, 'free', 4),
      cost('2026-06-10T12:00:00Z', other, 'surplus', 1_000),
    ],
  });
  return scene;
}

const RANGE = { from: new Date('2026-06-10T05:00:00Z'), to: new Date('2026-06-13T00:00:00Z') };
const day = (date: string) => new Date(`${date}T00:00:00Z`);

const read = (input: UsageOfInput) => readUsageOf(bench.db, input);

describe.each(['hours', 'totals of days'])('usage that is read from %s', (source) => {
  const made = async () => {
    const scene = await makeUsage();
    if (source === 'totals of days') await rollUpAll(bench.db);
    return scene;
  };

  test('of a customer is that of the keys that it has, widened to whole days', async () => {
    const { projectId, customerId } = await made();
    const asked = { projectId, customerId, ...RANGE, step: 'day' as const };
    expect(await read(asked)).toMatchObject({ usage: [{ denied: 3, limited: 0 }, {}, {}] });
    expect(await read({ ...asked, countsLimited: true })).toEqual({
      from: day('2026-06-10'),
      to: day('2026-06-13'),
      step: 'day',
      usage: [
        { from: day('2026-06-10'), allowed: 7, denied: 3, limited: 3, cost: 75 },
        { from: day('2026-06-11'), allowed: 0, denied: 0, limited: 0, cost: 0 },
        { from: day('2026-06-12'), allowed: 4, denied: 0, limited: 0, cost: 0 },
      ],
      period: { from: expect.any(Date), to: expect.any(Date), cost: 0, dailyCost: 0 },
    });
  });

  test('of a customer takes a known number of lookups, and is refused where it may not', async () => {
    const { projectId, customerId } = await made();
    const input = { projectId, customerId, ...RANGE, step: 'day' as const };
    // Two keys on three days, of which two have calls: of three keys that were allowed, the hours of costs;
    // without totals, those of both keys and of their calls too.
    const lookups = 2 * 3 + 24 * (source === 'hours' ? 2 * (2 * 2) : 3);
    expect(await read({ ...input, lookupsMax: lookups })).toEqual(await read(input));
    for (const lookupsMax of [lookups - 1, 5]) {
      await expect(read({ ...input, lookupsMax })).rejects.toMatchObject({
        problems: [{ field: 'from' }],
      });
    }
  });

  test('of a key is its own', async () => {
    const { projectId, second } = await made();
    const usage = await read({ projectId, apiKeyId: second, ...RANGE, step: 'day' });
    expect(usage).toMatchObject({
      period: null,
      usage: [{ allowed: 2, denied: 0, cost: 2 }, { allowed: 0 }, { allowed: 0 }],
    });
  });

  test('of a project is that of all its calls', async () => {
    const { projectId } = await made();
    const usage = await read({ projectId, ...RANGE, step: 'day' });
    expect(usage).toMatchObject({
      usage: [
        { allowed: 107, denied: 12, limited: 3, cost: 1_175 },
        { allowed: 0, denied: 0, cost: 0 },
        { allowed: 4, denied: 0, cost: 0 },
      ],
    });
  });

  test('by month has whole months', async () => {
    const { projectId, customerId } = await made();
    const range = { from: day('2026-06-11'), to: day('2026-07-02') };
    for (const input of [{ projectId, customerId }, { projectId }]) {
      const usage = await read({ ...input, ...range, step: 'month' });
      expect(usage).toMatchObject({ from: day('2026-06-01'), to: day('2026-08-01') });
      expect(usage!.usage.map(({ from }) => from)).toEqual([day('2026-06-01'), day('2026-07-01')]);
      expect(usage!.usage[1]).toMatchObject({ allowed: 1, denied: 0, cost: 1 });
    }
  });
});

test('usage without a range is that of the last thirty days, today among them', async () => {
  const { projectId, customerId } = await makeScene();
  const usage = await read({ projectId, customerId, step: 'day' });
  const today = new Date(Math.floor(Date.now() / DAY) * DAY);
  expect(usage!.usage).toHaveLength(30);
  expect([today.getTime(), today.getTime() - DAY]).toContain(usage!.usage[29]!.from.getTime());
  expect(usage!.to.getTime() - usage!.from.getTime()).toBe(30 * DAY);
});

test("a moved key's usage is read with its customer of today", async () => {
  const { projectId, customerId, first } = await makeUsage();
  const target = await makeCustomer(bench.ctx, projectId);
  await updateApiKey(bench.ctx, { projectId, apiKeyId: first, customerId: target.customerId });
  const allowed = async (id: string) => {
    const usage = await read({ projectId, customerId: id, ...RANGE, step: 'day' });
    return usage!.usage.reduce((sum, { allowed }) => sum + allowed, 0);
  };
  expect(await allowed(customerId)).toBe(2);
  expect(await allowed(target.customerId)).toBe(9);
});

describe('the period of a customer', () => {
  /** Counts of a customer's month from the day, and of its day. */
  async function record(projectId: string, scopes: { month?: string; day?: string }) {
    const now = new Date();
    const day = Math.floor(now.getTime() / DAY);
    const month = (from: number) => {
      const at = new Date(now.getTime() - (from - 1) * DAY);
      return at.getUTCFullYear() * 12 + at.getUTCMonth();
    };
    const [, from = '1'] = scopes.month?.split('@') ?? [];
    await recordUsage(bench.db, {
      months: scopes.month
        ? [
            {
              projectId,
              month: month(Number(from)),
              scope: scopes.month,
              incarnation: 'i',
              count: 40,
            },
          ]
        : [],
      days: scopes.day ? [{ projectId, day, scope: scopes.day, incarnation: 'i', count: 6 }] : [],
    });
  }

  test('begins on its billing day, and has what was charged to its counter of that day', async () => {
    const { projectId } = await makeScene();
    const { customerId } = await makeCustomer(bench.ctx, projectId, { billingDay: 15 });
    await record(projectId, { month: `${customerId}@15` });
    await record(projectId, { month: customerId });
    const { period } = (await read({ projectId, customerId, step: 'day' }))!;
    expect(period).toMatchObject({ cost: 40, dailyCost: 0 });
    const { from, to } = period!;
    expect([from.getUTCDate(), to.getUTCDate()]).toEqual([15, 15]);
    expect(from.getTime()).toBeLessThanOrEqual(Date.now());
    expect(to.getTime()).toBeGreaterThan(Date.now());
  });

  test.each(['its own', "its plan's"])('has the day that %s quota counts', async (whose) => {
    const { projectId } = await makeScene();
    const plan = await makeCustomerPlan(bench.db, projectId, { dailyQuota: 100 });
    const fields = whose === 'its own' ? { dailyQuota: 0 } : { plan: plan.name };
    const { customerId } = await makeCustomer(bench.ctx, projectId, fields);
    await record(projectId, { day: `${customerId}@0` });
    expect(await read({ projectId, customerId, step: 'day' })).toMatchObject({
      period: { cost: 0, dailyCost: 6 },
    });
  });

  test('has the cost of today where no quota counts days', async () => {
    const { projectId, customerId, first } = await makeScene();
    const at = new Date(Math.floor(Date.now() / DAY) * DAY).toISOString();
    await flush(bench.db, projectId, [{ at, count: 3, apiKeyId: first }]);
    expect(await read({ projectId, customerId, step: 'day' })).toMatchObject({
      period: { dailyCost: 3 },
    });
  });
});

describe('usage is refused', () => {
  test.each([
    ['to', 'that ends before it begins', { from: day('2026-06-10'), to: day('2026-06-10') }, {}],
    ['from', 'of more than 400 days', { from: day('2025-01-01'), to: day('2026-06-10') }, {}],
    [
      'from',
      'of more than 400 days in months, for a key',
      { from: day('2025-01-01'), to: day('2026-06-10'), step: 'month' },
      { apiKeyId: 'first' },
    ],
  ] as const)('for a wrong %s: a range %s', async (field, _, range, of) => {
    const { projectId, first } = await makeScene();
    const input = {
      projectId,
      step: 'day',
      ...range,
      ...('apiKeyId' in of && { apiKeyId: first }),
    };
    const refused = read(input as UsageOfInput);
    await expect(refused).rejects.toThrow(InvalidInputError);
    await expect(refused).rejects.toMatchObject({ problems: [{ field }] });
  });

  test('of a customer or key that the project does not have', async () => {
    const { projectId } = await makeScene();
    const theirs = await makeScene();
    const step = 'day';
    for (const customerId of [theirs.customerId, randomUUID()]) {
      expect(await read({ projectId, customerId, step })).toBeNull();
    }
    expect(await read({ projectId, apiKeyId: theirs.first, step })).toBeNull();
  });
});
