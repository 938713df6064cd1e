import { randomUUID } from 'node:crypto';
import { readQuotaUse, recordUsage } from '@ceiba/schema';
import { describe, expect, test } from 'vitest';
import { flush, givePlan, makeProject, rollUpAll, useBench } from '../support.ts';

const bench = useBench();

describe('the use of a quota', () => {
  test('is the month’s total over all incarnations, with each day and the last seven days', async () => {
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

  test('has what the calls of each day cost', async () => {
    const { projectId } = await makeProject(bench.ctx);
    await bench.db.sql`
      update projects set created_at = '2025-01-01T00:00:00Z' where id = ${projectId}`;
    await flush(bench.db, projectId, [{ at: '2026-03-01T09:00:00Z', count: 5 }]);
    const hour = Date.parse('2026-03-01T09:00:00Z') / 3_600_000;
    const cost = { projectId, hour, apiKeyId: randomUUID(), incarnation: 'i' };
    const costs = [
      { ...cost, kind: 'surplus' as const, count: 20 },
      { ...cost, kind: 'free' as const, count: 2 },
    ];
    await recordUsage(bench.db, { costs });
    const now = new Date('2026-03-02T12:00:00Z');
    expect(await readQuotaUse(bench.db, projectId, now)).toMatchObject({
      byDay: [{ allowed: 23 }, { allowed: 0 }],
      recent: { allowed: 23 },
    });
  });

  test('has the time when the count last grew, not when it was last written', async () => {
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

  test('has no quota without a subscription, and is null without a project', async () => {
    const { projectId } = await makeProject(bench.ctx);
    await bench.db.sql`delete from subscriptions where project_id = ${projectId}`;
    expect(await readQuotaUse(bench.db, projectId)).toMatchObject({ monthlyQuota: null, used: 0 });
    await bench.db.sql`delete from projects where id = ${projectId}`;
    expect(await readQuotaUse(bench.db, projectId)).toBeNull();
  });
});
