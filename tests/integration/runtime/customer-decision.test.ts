/** Customers, days and costs in the answers of decisions, in the usage and in the log. */
import { allowDecisionSchema, type Decision, decisionSchema } from '@ceiba/contract';
import { describe, expect, it } from 'vitest';
import { withinOneMinute } from '../../support/minute.ts';
import {
  type CustomerOptions,
  type ProjectOptions,
  runtimeClient,
} from '../../support/scenario.ts';
import { until } from '../../support/until.ts';
import { startWorld } from './setup.ts';

const { world, runtime } = await startWorld();

async function setUp(customerOptions: CustomerOptions = {}, options: ProjectOptions = {}) {
  const project = await world.createProject(options);
  const customer = await project.createCustomer(customerOptions);
  const { customerId } = customer;
  const keys = [await project.createKey({ customerId }), await project.createKey({ customerId })];
  const client = runtimeClient(runtime.url, project);
  const ask = async (which = 0, question: object = {}): Promise<Decision> => {
    const apiKey = keys[which]?.plaintext;
    return decisionSchema.parse((await client.authorize({ apiKey, ...question })).json);
  };
  return { project, customer, keys, client, ask };
}

const secondsToTheEndOf = (day: number) => {
  const now = new Date();
  const month = now.getUTCMonth() + (now.getUTCDate() >= day ? 1 : 0);
  return (Date.UTC(now.getUTCFullYear(), month, day) - now.getTime()) / 1000;
};

describe('an allow of a customer’s key', () => {
  it('names the customer and its plan, and reports the tightest limits', async () => {
    const { ask, customer } = await setUp({ dailyQuota: 9, plan: { monthlyQuota: 70 } });
    const { access, limits, resetAfterSeconds } = allowDecisionSchema.parse(await ask());
    expect(access.customer).toEqual({
      customerId: customer.customerId,
      externalId: customer.externalId,
      plan: { planId: customer.planId, name: customer.planId },
    });
    expect(limits).toEqual({
      rateLimitPerMinute: 1_000_000,
      remainingThisMinute: 999_999,
      monthlyQuota: 70,
      remainingThisMonth: 69,
      dailyQuota: 9,
      remainingToday: 8,
    });
    expect(resetAfterSeconds.day).toBeGreaterThan(0);
    expect(resetAfterSeconds.day).toBeLessThanOrEqual(86_400);
  });

  it('ends the month on the billing day', async () => {
    const billingDay = (new Date().getUTCDate() % 28) + 1;
    const { ask } = await setUp({ billingDay, monthlyQuota: 5 });
    const { resetAfterSeconds } = allowDecisionSchema.parse(await ask());
    const expected = secondsToTheEndOf(billingDay);
    expect(Math.abs(resetAfterSeconds.month - expected)).toBeLessThan(120);
  });
});

describe('a limit of a customer', () => {
  it.each([
    ['its plan', { plan: { monthlyQuota: 1 } }, 'customer_plan', 'month'],
    ['its own', { monthlyQuota: 1, plan: { monthlyQuota: 5 } }, 'customer', 'month'],
    ['its day', { dailyQuota: 1 }, 'customer', 'day'],
    ['its minute', { rateLimitPerMinute: 1 }, 'customer', 'minute'],
  ] as const)('is shared by its keys, and named by the denial and the log: %s', async (...row) => {
    const [, options, owner, window] = row;
    await withinOneMinute(async () => {
      const { ask, client, customer } = await setUp(options);
      expect((await ask(0)).allowed).toBe(true);
      const denial = await ask(1);
      const exceededLimit = { owner, window, value: 1 };
      expect(denial).toMatchObject({
        denialReason: window === 'minute' ? 'rate_limited' : 'quota_exceeded',
        exceededLimit,
      });
      const query = `customerId=${customer.customerId}&outcome=denied`;
      await until('the denial is in the log', async () => {
        const { decisions } = (await client.listDecisions(query)).json as { decisions: object[] };
        if (decisions.length === 0) return false;
        expect(decisions).toMatchObject([{ decisionId: denial.decisionId, exceededLimit }]);
        return true;
      });
    });
  });

  it('does not touch the keys of another customer', async () => {
    const { ask, project, client } = await setUp({ monthlyQuota: 1 });
    expect([(await ask(0)).allowed, (await ask(1)).allowed]).toEqual([true, false]);
    const { customerId } = await project.createCustomer({ monthlyQuota: 1 });
    const { plaintext: apiKey } = await project.createKey({ customerId });
    expect((await client.authorize({ apiKey })).json).toMatchObject({ allowed: true });
  });
});

describe('a cost', () => {
  it('is that of the policy which a router may take the path for', async () => {
    const policies = [
      { method: '*', pathPattern: '*', cost: 1 },
      { method: 'POST', pathPattern: '/v1/exports', cost: 100 },
    ];
    const { ask } = await setUp({ monthlyQuota: 1_000 }, { policies });
    let left = 1_000;
    for (const [method, path, cost] of [
      ['POST', '/v1/reports', 1],
      ['POST', '/v1/%65xports', 100],
      ['POST', '/V1/Exports/', 100],
      ['POST', '/v1//exports', 100],
      ['GET', '/v1//exports', 1],
      ['POST', '/files/a%2Fb', 1],
    ] as const) {
      left -= cost;
      expect(await ask(0, { method, path })).toMatchObject({
        limits: { remainingThisMonth: left },
      });
    }
  });

  it('of 75 is allowed six times in 500, whatever arrives at once, and what is left fits no more', async () => {
    const { ask } = await setUp({ monthlyQuota: 500 });
    const asked = Array.from({ length: 20 }, (_, index) => ask(index % 2, { cost: 75 }));
    const decisions = await Promise.all(asked);
    expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(6);
    expect(await ask(0, { cost: 51 })).toMatchObject({
      denialReason: 'quota_exceeded',
      limits: { monthlyQuota: 500, remainingThisMonth: 50 },
    });
    expect(await ask(0, { cost: 50 })).toMatchObject({ limits: { remainingThisMonth: 0 } });
    expect(await ask(0, { cost: 0 })).toMatchObject({ allowed: true });
  });

  it('replaces that of the policy, and only the rate counts the call', async () => {
    await withinOneMinute(async () => {
      const policies = [{ method: 'GET', pathPattern: '/v1/reports*', cost: 7 }];
      const { ask } = await setUp({ monthlyQuota: 100, rateLimitPerMinute: 10 }, { policies });
      expect(await ask()).toMatchObject({ limits: { remainingThisMonth: 93 } });
      expect(await ask(1, { cost: 3 })).toMatchObject({
        limits: { remainingThisMonth: 90, remainingThisMinute: 8 },
      });
    });
  });

  it('is in the usage of the month, and beside the hours for charts', async () => {
    const { ask, project, customer, keys } = await setUp({ dailyQuota: 1_000 });
    for (const cost of [5, 0, 1]) await ask(0, { cost });
    const { projectId } = project;
    await until('usage is in Postgres', async () => {
      const [row] = await world.db.sql`
        select
          (select sum(count)::int from usage_months where project_id = ${projectId}
            and scope = ${customer.customerId}) as month,
          (select sum(count)::int from usage_quota_days where project_id = ${projectId}
            and scope = ${`${customer.customerId}@0`}) as day,
          (select sum(count)::int from usage_hours where project_id = ${projectId}
            and outcome = 'allowed') as calls,
          (select json_object_agg(kind, count) from usage_cost_hours where project_id = ${projectId}
            and api_key_id = ${keys[0]?.apiKeyId ?? ''}) as costs`;
      if (row?.calls !== 3 || row.costs === null) return false;
      expect(row).toEqual({ month: 6, day: 6, calls: 3, costs: { surplus: 4, free: 1 } });
      return true;
    });
  });
});
