import type { DenialReason } from '@ceiba/contract';
import { NO_LIMITS } from '@ceiba/domain';
import {
  createCustomer,
  createCustomerPlan,
  listProjectsAtAGlance,
  readDenyingProblems,
  readProblems,
  recordUsage,
  setSubscription,
  updateApiKey,
  updateCustomer,
} from '@ceiba/schema';
import { describe, expect, test } from 'vitest';
import {
  expectKind,
  flush,
  givePlan,
  makeKey,
  makeOwner,
  makeProject,
  rollUpAll,
  useBench,
} from '../support.ts';

const bench = useBench();
/** Past, so that its days can be added up. */
const NOW = new Date('2025-06-16T10:20:00Z');
const HOUR_MS = 3_600_000;
const hoursAgo = (hours: number) => new Date(NOW.getTime() - hours * HOUR_MS).toISOString();
const [THIS_HOUR, LAST_HOUR] = [new Date('2025-06-16T10:00:00Z'), new Date('2025-06-16T09:00:00Z')];

const makeCalm = async (limits = {}) => {
  const { projectId } = await makeProject(bench.ctx);
  await givePlan(bench.ctx, projectId, { monthlyQuota: 1_000, dailyQuota: null, ...limits });
  return projectId;
};
const problemsOf = async (projectId: string) =>
  (await readProblems(bench.db, [projectId], NOW)).get(projectId) ?? [];
const kindsOf = async (projectId: string) => (await problemsOf(projectId)).map(({ kind }) => kind);
const use = (projectId: string, count: number) =>
  flush(bench.db, projectId, [{ at: '2025-06-02T00:00:00Z', count }]);
const deny = (
  projectId: string,
  at: string,
  count: number,
  outcome: DenialReason = 'policy_no_match',
) => flush(bench.db, projectId, [{ at, count, outcome }]);

/** Writes what a scope used this month, or today where its name ends in `@0`. */
async function useOf(projectId: string, scope: string, count: number) {
  const counted = { projectId, scope, incarnation: 'i', count };
  const day = Math.floor(NOW.getTime() / (24 * HOUR_MS));
  await recordUsage(
    bench.db,
    scope.endsWith('@0')
      ? { days: [{ ...counted, day }] }
      : { months: [{ ...counted, month: 2025 * 12 + 5 }] },
  );
}

describe('what is wrong in a project', () => {
  test('is nothing where calls are allowed, some are denied and most of the quota is left', async () => {
    const projectId = await makeCalm();
    await flush(bench.db, projectId, [{ at: hoursAgo(0), count: 799 }]);
    await deny(projectId, hoursAgo(0), 49);
    await makeKey(bench.ctx, projectId);
    expect(await readProblems(bench.db, [projectId], NOW)).toEqual(new Map());
  });

  test('is a subscription that denies every call, with the reason', async () => {
    const projectId = await makeCalm();
    for (const status of ['past_due', 'canceled'] as const) {
      await setSubscription(bench.ctx, { projectId, status });
      expect(await problemsOf(projectId)).toEqual([
        { kind: 'subscription_inactive', reason: status },
      ]);
    }
    await setSubscription(bench.ctx, { projectId, status: 'active' });
    await bench.db
      .sql`update subscriptions set current_period_end = now() where project_id = ${projectId}`;
    expect(await problemsOf(projectId)).toEqual([
      { kind: 'subscription_inactive', reason: 'period_ended' },
    ]);
    await bench.db.sql`delete from subscriptions where project_id = ${projectId}`;
    expect(await problemsOf(projectId)).toEqual([
      { kind: 'subscription_inactive', reason: 'no_subscription' },
    ]);
  });

  test('is a quota of the month that is used up, or nearly, and not both', async () => {
    const projectId = await makeCalm();
    await use(projectId, 800);
    const nearly = { kind: 'quota_nearly_used', window: 'month', used: 800, quota: 1_000 };
    expect(await problemsOf(projectId)).toEqual([nearly]);
    await use(projectId, 1_000);
    const usedUp = { kind: 'quota_used_up', window: 'month', used: 1_000, quota: 1_000 };
    expect(await problemsOf(projectId)).toEqual([usedUp]);
  });

  test('is a quota of the day that is used up', async () => {
    const projectId = await makeCalm({ dailyQuota: 50 });
    await useOf(projectId, 'project@0', 50);
    const usedUp = { kind: 'quota_used_up', window: 'day', used: 50, quota: 50 };
    expect(await problemsOf(projectId)).toEqual([usedUp]);
  });

  test('that denies every call is read by itself, as among the others', async () => {
    const projectId = await makeCalm({ monthlyQuota: 5_000, dailyQuota: 100 });
    const denying = () => readDenyingProblems(bench.db, projectId, NOW);
    await use(projectId, 4_999);
    expect(await kindsOf(projectId)).toEqual(['quota_nearly_used']);
    expect(await denying()).toEqual([]);
    await useOf(projectId, 'project@0', 100);
    expect(await denying()).toEqual([
      { kind: 'quota_used_up', window: 'day', used: 100, quota: 100 },
    ]);
    await use(projectId, 5_000);
    await setSubscription(bench.ctx, { projectId, status: 'past_due' });
    expect(await denying()).toEqual([
      { kind: 'subscription_inactive', reason: 'past_due' },
      { kind: 'quota_used_up', window: 'month', used: 5_000, quota: 5_000 },
    ]);
    expect(await denying()).toEqual(await problemsOf(projectId));
  });

  test('are the keys that expire within a week, the first named', async () => {
    const projectId = await makeCalm();
    const expiring = async (displayName: string, days: number) => {
      const { apiKeyId } = await makeKey(bench.ctx, projectId, { displayName });
      await bench.db.sql`update api_keys set expires_at =
        ${hoursAgo(-24 * days)} where id = ${apiKeyId}`;
      return apiKeyId;
    };
    await expiring('Over', -1);
    await expiring('Later', 8);
    const id = await expiring('First', 2);
    await expiring('Second', 6);
    await bench.db.sql`update api_keys set status = 'revoked'
      where id = ${await expiring('Revoked', 1)}`;
    expect(await problemsOf(projectId)).toEqual([
      {
        kind: 'api_keys_expiring',
        count: 2,
        id,
        name: 'First',
        firstAt: new Date('2025-06-18T10:20:00Z'),
      },
    ]);
  });

  test('comes worst first, and without what follows from another', async () => {
    const projectId = await makeCalm();
    const { apiKeyId } = await makeKey(bench.ctx, projectId);
    await bench.db.sql`update api_keys set expires_at = ${hoursAgo(-1)},
      monthly_quota = 5 where id = ${apiKeyId}`;
    await useOf(projectId, apiKeyId, 5);
    await use(projectId, 1_000);
    const at = hoursAgo(0);
    await flush(bench.db, projectId, [{ at, count: 60, outcome: 'quota_exceeded', apiKeyId }]);
    await deny(projectId, at, 60, 'invalid_api_key');
    await deny(projectId, at, 60, 'policy_no_match');
    const rest = ['api_key_quota_used_up', 'api_keys_expiring'];
    const denied = async () =>
      (await problemsOf(projectId)).flatMap((found) => ('status' in found ? [found.status] : []));
    expect(await kindsOf(projectId)).toEqual([
      'quota_used_up',
      'unusual_denials',
      'unusual_denials',
      ...rest,
    ]);
    expect(await denied()).toEqual([401, 403]);
    await setSubscription(bench.ctx, { projectId, status: 'past_due' });
    expect(await kindsOf(projectId)).toEqual([
      'subscription_inactive',
      'quota_used_up',
      'unusual_denials',
      ...rest,
    ]);
    expect(await denied()).toEqual([401]);
    await givePlan(bench.ctx, projectId, { monthlyQuota: 10_000, dailyQuota: null });
    expect(await denied()).toEqual([401, 429]);
  });
});

describe('denials of an hour', () => {
  test('are unusual from fifty on, each status by itself', async () => {
    const projectId = await makeCalm();
    await deny(projectId, hoursAgo(0), 49, 'policy_no_match');
    await deny(projectId, hoursAgo(0), 49, 'rate_limited');
    await deny(projectId, hoursAgo(0), 30, 'invalid_api_key');
    expect(await problemsOf(projectId)).toEqual([]);
    await deny(projectId, hoursAgo(0), 20, 'missing_api_key');
    expect(await problemsOf(projectId)).toEqual([
      { kind: 'unusual_denials', status: 401, hour: THIS_HOUR, count: 50, usual: 0 },
    ]);
  });

  test('are judged in this hour and the last, of which the first unusual one is named', async () => {
    const projectId = await makeCalm();
    await deny(projectId, hoursAgo(2), 5_000);
    expect(await problemsOf(projectId)).toEqual([]);
    await deny(projectId, hoursAgo(0), 60);
    expect(await problemsOf(projectId)).toMatchObject([{ hour: THIS_HOUR, count: 60 }]);
    await deny(projectId, hoursAgo(1), 55);
    expect(await problemsOf(projectId)).toMatchObject([{ hour: LAST_HOUR, count: 55 }]);
  });

  test('are unusual above twice the average of the same hour of seven days', async () => {
    const projectId = await makeCalm();
    await deny(projectId, hoursAgo(0), 100);
    for (const days of [1, 7]) await deny(projectId, hoursAgo(24 * days), 175);
    // Of another hour, of another status, and of the day before the seven.
    await deny(projectId, hoursAgo(25), 9_000);
    await deny(projectId, hoursAgo(24), 9_000, 'rate_limited');
    await deny(projectId, hoursAgo(24 * 8), 9_000);
    expect(await problemsOf(projectId)).toEqual([]);
    await deny(projectId, hoursAgo(0), 101);
    const unusual = { kind: 'unusual_denials', status: 403, hour: THIS_HOUR, count: 101 };
    expect(await problemsOf(projectId)).toEqual([{ ...unusual, usual: 50 }]);
  });

  test('are compared with the totals of days that are added up', async () => {
    const projectId = await makeCalm();
    for (const days of [1, 2, 3]) await deny(projectId, hoursAgo(24 * days), 700);
    await rollUpAll(bench.db);
    // Only the totals have them from now on.
    await bench.db.sql`delete from usage_hours where project_id = ${projectId}`;
    await deny(projectId, hoursAgo(0), 601);
    expect(await problemsOf(projectId)).toMatchObject([{ count: 601, usual: 300 }]);
    await bench.db.sql`update usage_rolled_days set rolled_at = null
      where project_id = ${projectId}`;
    expect(await problemsOf(projectId)).toMatchObject([{ count: 601, usual: 0 }]);
  });
});

describe('quotas of keys and customers', () => {
  const deniedKey = async (projectId: string, displayName: string) => {
    const { apiKeyId } = await makeKey(bench.ctx, projectId, { displayName });
    const denial = { at: hoursAgo(1), count: 1, outcome: 'quota_exceeded', apiKeyId } as const;
    await flush(bench.db, projectId, [denial]);
    return apiKeyId;
  };

  test('are named where they are used up and deny calls', async () => {
    const projectId = await makeCalm();
    const [monthly, daily, roomy] = [
      await deniedKey(projectId, 'Monthly'),
      await deniedKey(projectId, 'Daily'),
      await deniedKey(projectId, 'Roomy'),
    ];
    // Used up as well, but its quota denied no call.
    const { apiKeyId: silent } = await makeKey(bench.ctx, projectId, { displayName: 'A' });
    const limited = {
      at: hoursAgo(1),
      count: 9,
      outcome: 'rate_limited',
      apiKeyId: silent,
    } as const;
    await flush(bench.db, projectId, [limited]);
    for (const apiKeyId of [monthly, roomy, silent]) {
      await updateApiKey(bench.ctx, { projectId, apiKeyId, monthlyQuota: 10 });
    }
    await updateApiKey(bench.ctx, { projectId, apiKeyId: daily, dailyQuota: 3 });
    await useOf(projectId, monthly, 10);
    await useOf(projectId, roomy, 9);
    await useOf(projectId, silent, 10);
    expect(await problemsOf(projectId)).toEqual([
      { kind: 'api_key_quota_used_up', count: 1, id: monthly, name: 'Monthly' },
    ]);
    await useOf(projectId, `${daily}@0`, 3);
    expect(await problemsOf(projectId)).toEqual([
      { kind: 'api_key_quota_used_up', count: 2, id: daily, name: 'Daily' },
    ]);
  });

  test('of a customer are counted from its billing day, once for all its keys', async () => {
    const projectId = await makeCalm();
    const { customer } = expectKind(
      await createCustomer(bench.ctx, {
        projectId,
        externalId: 'acme',
        billingDay: 20,
        monthlyQuota: 7,
      }),
      'created',
    );
    const { customerId } = customer;
    for (const name of ['One', 'Two']) {
      const apiKeyId = await deniedKey(projectId, name);
      await updateApiKey(bench.ctx, { projectId, apiKeyId, customerId });
    }
    const scope = `${customerId}@20`;
    await useOf(projectId, scope, 7);
    expect(await problemsOf(projectId)).toEqual([]);
    // On 16 June, the month that began on 20 May.
    const counted = { projectId, scope, incarnation: 'i', count: 7, month: 2025 * 12 + 4 };
    await recordUsage(bench.db, { months: [counted] });
    expect(await problemsOf(projectId)).toEqual([
      { kind: 'customer_quota_used_up', count: 1, id: customerId, name: 'acme' },
    ]);
  });
});

describe('customers with a lapsed plan', () => {
  const makeCustomer = async (projectId: string, externalId: string) => {
    const { customer } = expectKind(
      await createCustomer(bench.ctx, { projectId, externalId, plan: 'Team' }),
      'created',
    );
    const { customerId } = customer;
    const { apiKeyId } = await makeKey(bench.ctx, projectId);
    await updateApiKey(bench.ctx, { projectId, apiKeyId, customerId });
    return { customerId, apiKeyId };
  };
  const call = (projectId: string, apiKeyId: string, hours: number) =>
    flush(bench.db, projectId, [
      { at: hoursAgo(hours), count: 1, outcome: 'inactive_subscription', apiKeyId },
    ]);
  const makeProjectWithPlan = async () => {
    const projectId = await makeCalm();
    await createCustomerPlan(bench.ctx, { projectId, name: 'Team', ...NO_LIMITS });
    return projectId;
  };

  test.each([
    [{ subscriptionStatus: 'past_due' }, 'past_due'],
    [{ subscriptionStatus: 'canceled' }, 'canceled'],
    [{ currentPeriodEnd: new Date('2020-01-01Z') }, 'period_ended'],
  ] as const)('are named while their keys are called and denied: %j', async (lapse, reason) => {
    const projectId = await makeProjectWithPlan();
    const { customerId, apiKeyId } = await makeCustomer(projectId, 'acme');
    await call(projectId, apiKeyId, 1);
    expect(await problemsOf(projectId)).toEqual([]);
    await updateCustomer(bench.ctx, { projectId, customerId, ...lapse });
    expect(await problemsOf(projectId)).toEqual([
      { kind: 'customers_lapsed', count: 1, id: customerId, name: 'acme', reason },
    ]);
  });

  test('are counted once each, without those that are not called any more or are suspended', async () => {
    const projectId = await makeProjectWithPlan();
    const [silent, suspended, one, other] = [
      await makeCustomer(projectId, 'a'),
      await makeCustomer(projectId, 'b'),
      await makeCustomer(projectId, 'c'),
      await makeCustomer(projectId, 'd'),
    ];
    await bench.db.sql`update customers set subscription_status = 'past_due'
      where project_id = ${projectId}`;
    await bench.db
      .sql`update customers set suspended_at = now() where id = ${suspended.customerId}`;
    const { apiKeyId: second } = await makeKey(bench.ctx, projectId);
    await updateApiKey(bench.ctx, { projectId, apiKeyId: second, customerId: one.customerId });
    await call(projectId, silent.apiKeyId, 3);
    for (const apiKeyId of [suspended.apiKeyId, one.apiKeyId, second, other.apiKeyId]) {
      await call(projectId, apiKeyId, 0);
    }
    expect(await problemsOf(projectId)).toEqual([
      { kind: 'customers_lapsed', count: 2, id: one.customerId, name: 'c', reason: 'past_due' },
    ]);
    // All calls are denied then, also those of customers that have paid.
    await setSubscription(bench.ctx, { projectId, status: 'canceled' });
    expect(await kindsOf(projectId)).toEqual(['subscription_inactive']);
  });
});

describe('projects', () => {
  test('have the problems of their own, each project that is asked about', async () => {
    const [one, other, calm, left] = [
      await makeCalm(),
      await makeCalm(),
      await makeCalm(),
      await makeCalm(),
    ];
    await use(one, 1_000);
    await deny(other, hoursAgo(0), 60);
    await use(left, 1_000);
    const problems = await readProblems(bench.db, [one, other, calm], NOW);
    expect([...problems].map(([id, found]) => [id, found.map(({ kind }) => kind)])).toEqual(
      expect.arrayContaining([
        [one, ['quota_used_up']],
        [other, ['unusual_denials']],
      ]),
    );
    expect(problems.size).toBe(2);
  });

  test('are listed with the worst problem first, over all pages', async () => {
    const userId = await makeOwner(bench.ctx);
    const ids: Record<string, string> = {};
    for (const name of ['a', 'b', 'c', 'd']) {
      const { projectId } = await makeProject(bench.ctx, userId);
      await bench.db.sql`update projects set name = ${name} where id = ${projectId}`;
      ids[name] = projectId;
    }
    await setSubscription(bench.ctx, { projectId: ids.d!, status: 'canceled' });
    await givePlan(bench.ctx, ids.c!, { monthlyQuota: 0 });
    const namesOf = async (offset: number) =>
      (await listProjectsAtAGlance(bench.db, { userId, limit: 2, offset })).projects.map(
        ({ name, problems }) => [name, ...problems.map(({ kind }) => kind)],
      );
    expect(await namesOf(0)).toEqual([
      ['d', 'subscription_inactive'],
      ['c', 'quota_used_up'],
    ]);
    expect(await namesOf(2)).toEqual([['a'], ['b']]);
  });
});
