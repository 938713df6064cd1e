import { projectQuota } from '@ceiba/domain';
import {
  createPolicy,
  listPoliciesWithHits,
  type QuotaUse,
  readQuotaUse,
  setSubscription,
} from '@ceiba/schema';
import { describe, expect, test } from 'vitest';
import { expectKind, flush, givePlan, makeProject, rollUpAll, useBench } from './support.ts';

const bench = useBench();

describe('policies with their hits', () => {
  test('stand in match order, with what each allowed and denied this month', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const ids = [];
    for (const pathPattern of ['*', '/v1/reports*', '/v1/reports/daily']) {
      const created = await createPolicy(bench.ctx, { projectId, method: 'GET', pathPattern });
      ids.push(expectKind(created, 'created').policyId);
    }
    const [any, prefix] = ids;
    await flush(bench.db, projectId, [
      { at: '2026-02-28T23:00:00Z', count: 1_000, policyId: prefix! },
      { at: '2026-03-01T00:00:00Z', count: 5, policyId: prefix! },
      { at: '2026-03-02T10:00:00Z', count: 2, policyId: prefix!, outcome: 'rate_limited' },
      { at: '2026-03-03T10:00:00Z', count: 1, policyId: any! },
      { at: '2026-03-03T11:00:00Z', count: 9, outcome: 'policy_no_match' },
    ]);
    const now = new Date('2026-03-03T12:00:00Z');
    for (const _ of ['from hours', 'from totals']) {
      const policies = await listPoliciesWithHits(bench.db, { projectId, now });
      expect(
        policies.map(({ pathPattern, allowed, denied }) => [pathPattern, allowed, denied]),
      ).toEqual([
        ['/v1/reports/daily', 0, 0],
        ['/v1/reports*', 5, 2],
        ['*', 1, 0],
      ]);
      await rollUpAll(bench.db);
    }
  });

  test('of a project without any are none', async () => {
    const { projectId } = await makeProject(bench.ctx);
    expect(await listPoliciesWithHits(bench.db, { projectId, now: new Date() })).toEqual([]);
  });
});

describe('the use of a quota', () => {
  test('is what the months say, over all incarnations, with each day and the last seven', async () => {
    const { projectId } = await makeProject(bench.ctx);
    await givePlan(bench.ctx, projectId, { monthlyQuota: 100 });
    await bench.db.sql`
      update projects set created_at = '2025-01-01T00:00:00Z' where id = ${projectId}`;
    await flush(bench.db, projectId, [
      { at: '2026-02-27T10:00:00Z', count: 14 },
      { at: '2026-03-01T00:00:00Z', count: 5 },
      { at: '2026-03-03T09:00:00Z', count: 2 },
      { at: '2026-03-03T09:00:00Z', count: 4, incarnation: 'after a restart' },
      { at: '2026-03-03T09:00:00Z', count: 50, outcome: 'quota_exceeded' },
    ]);
    const now = new Date('2026-03-03T12:00:00Z');
    for (const _ of ['from hours', 'from totals']) {
      const use = await readQuotaUse(bench.db, projectId, now);
      expect(use).toEqual({
        now,
        monthStart: new Date('2026-03-01T00:00:00Z'),
        monthEnd: new Date('2026-04-01T00:00:00Z'),
        monthlyQuota: 100,
        used: 11,
        countedAt: expect.any(Date),
        byDay: [
          { day: new Date('2026-03-01T00:00:00Z'), allowed: 5 },
          { day: new Date('2026-03-02T00:00:00Z'), allowed: 0 },
          { day: new Date('2026-03-03T00:00:00Z'), allowed: 6 },
        ],
        recent: { since: new Date('2026-02-24T12:00:00Z'), allowed: 25 },
      });
      expect(Math.abs(use!.countedAt!.getTime() - Date.now())).toBeLessThan(60_000);
      await rollUpAll(bench.db);
    }
  });

  test('tells when the number last grew, and not when it was last written again', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const at = new Date().toISOString();
    const countedAt = async () => (await readQuotaUse(bench.db, projectId))!.countedAt;
    expect(await countedAt()).toBeNull();
    await flush(bench.db, projectId, [{ at, count: 3 }]);
    const first = await countedAt();
    await flush(bench.db, projectId, [{ at, count: 3 }]);
    expect(await countedAt()).toEqual(first);
    await flush(bench.db, projectId, [{ at, count: 4 }]);
    expect((await countedAt())!.getTime()).toBeGreaterThan(first!.getTime());
  });

  test('of a project without a subscription has no quota, and of no project is null', async () => {
    const { projectId } = await makeProject(bench.ctx);
    await bench.db.sql`delete from subscriptions where project_id = ${projectId}`;
    expect(await readQuotaUse(bench.db, projectId)).toMatchObject({ monthlyQuota: null, used: 0 });
    await bench.db.sql`delete from projects where id = ${projectId}`;
    expect(await readQuotaUse(bench.db, projectId)).toBeNull();
  });
});

describe('a projection', () => {
  const now = new Date('2026-03-11T00:00:00Z');
  const use = (rest: Partial<QuotaUse>): QuotaUse => ({
    now,
    monthStart: new Date('2026-03-01T00:00:00Z'),
    monthEnd: new Date('2026-04-01T00:00:00Z'),
    monthlyQuota: 1_000,
    used: 400,
    countedAt: now,
    byDay: [],
    recent: { since: new Date('2026-03-04T00:00:00Z'), allowed: 350 },
    ...rest,
  });

  test('goes on at the mean of the last seven days', () => {
    expect(projectQuota(use({}))).toEqual({
      expectedAtMonthEnd: 400 + 21 * 50,
      exhaustedAt: new Date('2026-03-23T00:00:00Z'),
    });
  });

  test('has no end of the quota where the month ends before, or there is no quota', () => {
    expect(projectQuota(use({ monthlyQuota: 1_500 })).exhaustedAt).toBeNull();
    expect(projectQuota(use({ monthlyQuota: null })).exhaustedAt).toBeNull();
  });

  test('of what is used up is exhausted now', () => {
    expect(projectQuota(use({ used: 1_000 })).exhaustedAt).toEqual(now);
    expect(projectQuota(use({ used: 0, monthlyQuota: 0 })).exhaustedAt).toEqual(now);
  });

  test('of a project without a request stays where it is', () => {
    const quiet = use({ used: 0, recent: { since: now, allowed: 0 } });
    expect(projectQuota(quiet)).toEqual({ expectedAtMonthEnd: 0, exhaustedAt: null });
  });

  test('of a project that is an hour old does not make a month of its first minutes', () => {
    const recent = { since: new Date('2026-03-10T23:00:00Z'), allowed: 24 };
    expect(projectQuota(use({ used: 24, recent })).expectedAtMonthEnd).toBe(24 + 21 * 24);
  });
});

test('a subscription to a plan that is deleted meanwhile is to no plan', async () => {
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
