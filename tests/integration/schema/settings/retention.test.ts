import { randomBytes, randomUUID } from 'node:crypto';
import { mintApiKey } from '@ceiba/domain';
import {
  applyRetention,
  createApiKey,
  createDatabase,
  deleteProject,
  findApiKeys,
  getProject,
  listPolicies,
  lookupMany,
  readPeriodTotals,
  readRetention,
  readUsageSeries,
  recordFirstUses,
  recordUsage,
  setRetention,
} from '@ceiba/schema';
import { beforeEach, describe, expect, test } from 'vitest';
import { auditOf, makeCustomer, makeCustomerPlan } from '../customer/support.ts';
import {
  countAuditRows,
  expectKind,
  flush,
  givePlan,
  holding,
  makeKey,
  makeProject,
  rollUpAll,
  untilWaiting,
  useBench,
} from '../support.ts';

const bench = useBench();
const DAY_MS = 86_400_000;
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();

beforeEach(async () => {
  await setRetention(bench.ctx, { usageDays: null, auditDays: null, decisionDays: 7 });
  await applyAll();
});

async function applyAll(maxRows = 1_000): Promise<number> {
  let removed = 0;
  for (;;) {
    const { removedRows, isComplete } = await applyRetention(bench.db, { maxRows });
    removed += removedRows;
    if (isComplete) return removed;
  }
}

/** The number of a project's rows of usage, per table. */
async function rowsOf(projectId: string): Promise<Record<string, number>> {
  const tables = [
    'usage_hours',
    'usage_outcome_hours',
    'usage_outcome_days',
    'usage_policy_days',
    'usage_key_days',
    'usage_rolled_days',
    'usage_months',
    'usage_quota_days',
    'usage_cost_hours',
  ];
  const counts = await Promise.all(
    tables.map(async (table) => {
      const [row] = await bench.db.sql<{ count: number }[]>`
        select count(*)::int as count from ${bench.db.sql(table)} where project_id = ${projectId}`;
      return [table, row!.count] as const;
    }),
  );
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

const totalOf = async (projectId: string) => {
  const to = new Date();
  const from = new Date(to.getTime() - 399 * DAY_MS);
  const range = { projectId, from, to };
  return (await readUsageSeries(bench.db, { ...range, by: 'outcome', step: 'day' })).total;
};

describe('the settings of retention', () => {
  test('keep everything until they are set', async () => {
    await bench.db.sql`delete from settings`;
    expect(await readRetention(bench.db)).toEqual({
      usageDays: null,
      auditDays: null,
      decisionDays: 7,
    });
  });

  test('are the last that were set; equal ones change nothing', async () => {
    const days = { usageDays: 90, auditDays: null, decisionDays: 14 };
    expect(await setRetention(bench.ctx, days)).toEqual({ kind: 'updated' });
    expect(await readRetention(bench.db)).toEqual(days);
    const rows = await countAuditRows(bench.db);
    expect(await setRetention(bench.ctx, days)).toEqual({ kind: 'unchanged' });
    expect(await countAuditRows(bench.db)).toBe(rows);
  });

  test('that are absent from a change keep their values', async () => {
    await setRetention(bench.ctx, { usageDays: 90, auditDays: 60, decisionDays: 30 });
    await setRetention(bench.ctx, { decisionDays: 2 });
    expect(await readRetention(bench.db)).toEqual({
      usageDays: 90,
      auditDays: 60,
      decisionDays: 2,
    });
  });

  test('cannot be shorter than a month, whose usage is needed', async () => {
    await expect(setRetention(bench.ctx, { usageDays: 30, auditDays: null })).rejects.toThrow();
    await expect(setRetention(bench.ctx, { usageDays: null, auditDays: 3_651 })).rejects.toThrow();
  });
});

describe('retention of usage', () => {
  test('removes nothing by default, however old', async () => {
    const { projectId } = await makeProject(bench.ctx);
    await flush(bench.db, projectId, [{ at: '2001-01-01T10:00:00Z', count: 1 }]);
    await rollUpAll(bench.db);
    const before = await rowsOf(projectId);
    expect(Object.keys(before)).toHaveLength(7);
    expect(await applyAll()).toBe(0);
    expect(await rowsOf(projectId)).toEqual(before);
  });

  test.each(['added up', 'not added up'])(
    'removes older whole days in UTC that are %s, and keeps the others',
    async (state) => {
      const { projectId } = await makeProject(bench.ctx);
      const counts = [0, 1, 44, 45, 46, 47, 200].map((days) => [days, 2 ** (days % 7)] as const);
      await flush(
        bench.db,
        projectId,
        counts.map(([days, count]) => ({ at: daysAgo(days), count })),
      );
      if (state === 'added up') await rollUpAll(bench.db);
      await setRetention(bench.ctx, { usageDays: 45, auditDays: null });
      expect(await applyAll()).toBeGreaterThan(0);
      const kept = counts.filter(([days]) => days <= 45);
      expect(await totalOf(projectId)).toBe(kept.reduce((sum, [, count]) => sum + count, 0));
      const { usage_hours, usage_rolled_days = 0 } = await rowsOf(projectId);
      expect(usage_hours).toBe(kept.length);
      expect(usage_rolled_days).toBe(state === 'added up' ? 45 : 0);
      expect(await applyAll()).toBe(0);
    },
  );

  test('never removes the totals of this month and the previous one', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const now = new Date();
    const month = now.getUTCFullYear() * 12 + now.getUTCMonth();
    await flush(bench.db, projectId, [
      { at: now.toISOString(), count: 5 },
      {
        at: new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 0)).toISOString(),
        count: 6,
      },
      { at: daysAgo(100), count: 7 },
    ]);
    await setRetention(bench.ctx, { usageDays: 31, auditDays: null });
    await applyAll();
    const item = (back: number) => ({ projectId, number: month - back, scope: 'project' });
    expect(await readPeriodTotals(bench.db, [item(0), item(1), item(3), item(4)])).toEqual([
      5, 6, 0, 0,
    ]);
  });

  test('removes old days of quotas and costs, and never the month of a billing day that is running', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const today = Math.floor(Date.now() / DAY_MS);
    const periods = Array.from({ length: 28 }, (_, index) => index + 1);
    const monthAt = (ms: number) => {
      const at = new Date(ms);
      return at.getUTCFullYear() * 12 + at.getUTCMonth();
    };
    const item = (day: number, back: number) => ({
      projectId,
      number: monthAt(Date.now() - (day - 1) * DAY_MS) - back,
      scope: `customer@${day}`,
    });
    const count = { projectId, incarnation: 'i', count: 5 };
    await recordUsage(bench.db, {
      months: periods.flatMap((day) =>
        [0, 3].map((back) => {
          const { number, scope } = item(day, back);
          return { ...count, month: number, scope };
        }),
      ),
      days: [0, 31, 32, 90].map((ago) => ({ ...count, day: today - ago, scope: 'customer@0' })),
      costs: [0, 32, 90].map((ago) => ({
        ...count,
        hour: (today - ago) * 24,
        apiKeyId: randomUUID(),
        kind: 'surplus',
      })),
    });
    await setRetention(bench.ctx, { usageDays: 31, auditDays: null });
    await applyAll();
    const totals = (back: number) =>
      readPeriodTotals(
        bench.db,
        periods.map((day) => item(day, back)),
      );
    expect(await totals(0)).toEqual(periods.map(() => 5));
    expect(await totals(3)).toEqual(periods.map(() => 0));
    expect(await rowsOf(projectId)).toMatchObject({ usage_quota_days: 2, usage_cost_hours: 1 });
  });

  test('works in transactions with a limit of rows, until it is complete', async () => {
    const { projectId } = await makeProject(bench.ctx);
    await bench.db.sql`
      insert into usage_hours (project_id, hour, api_key_id, policy_id, outcome, incarnation, count)
      select ${projectId}, timestamptz '2020-01-01Z', md5(number::text)::uuid, ${projectId}, 'allowed',
        'i', 1 from generate_series(1, 250) as number`;
    await setRetention(bench.ctx, { usageDays: 45, auditDays: null });
    const removed = [];
    for (let call = 0; call < 4; call += 1) {
      removed.push(await applyRetention(bench.db, { maxRows: 100 }));
    }
    expect(removed).toEqual([
      { removedRows: 100, isComplete: false },
      { removedRows: 100, isComplete: false },
      { removedRows: 50, isComplete: false },
      { removedRows: 0, isComplete: true },
    ]);
  });

  test('is skipped while another Runtime applies it', async () => {
    const { projectId } = await makeProject(bench.ctx);
    await flush(bench.db, projectId, [{ at: daysAgo(100), count: 1 }]);
    await setRetention(bench.ctx, { usageDays: 45, auditDays: null });
    const release = await holding(bench.url, 'lock table usage_hours in share mode');
    const other = createDatabase(bench.url, { maxConnections: 1 });
    const first = applyRetention(other, { maxRows: 100 });
    await untilWaiting(bench.db);
    expect(await applyRetention(bench.db, { maxRows: 100 })).toEqual({
      removedRows: 0,
      isComplete: true,
    });
    await release();
    expect(await first).toMatchObject({ removedRows: 2 });
    await other.close();
  });
});

describe('retention of the audit log', () => {
  test('removes only older rows, in limited steps', async () => {
    await setRetention(bench.ctx, { usageDays: null, auditDays: 60 });
    const marker = randomUUID();
    await bench.db.sql`
      insert into audit_log (at, actor_kind, actor_label, action, target_kind, target_id, request_id)
      select now() - days * interval '1 day', 'cli', 'ceiba CLI', 'plan.update', 'plan', 'x', ${marker}
      from generate_series(1, 120) as days`;
    expect(await applyRetention(bench.db, { maxRows: 40 })).toMatchObject({ removedRows: 40 });
    await applyAll(40);
    const [row] = await bench.db.sql`
      select count(*)::int as count, max(extract(day from now() - at))::int as oldest
      from audit_log where request_id = ${marker}`;
    expect(row).toEqual({ count: 60, oldest: 60 });
  });
});

describe('deleting a project', () => {
  test('deletes its keys, policies, subscription and usage, and keeps its audit log', async () => {
    const made = await makeProject(bench.ctx);
    const { projectId, name } = made;
    await givePlan(bench.ctx, projectId, { activeKeyCap: 5 });
    const key = await makeKey(bench.ctx, projectId);
    await flush(bench.db, projectId, [{ at: daysAgo(3), count: 5, apiKeyId: key.apiKeyId }]);
    await rollUpAll(bench.db);
    const other = await makeProject(bench.ctx);
    await flush(bench.db, other.projectId, [{ at: daysAgo(3), count: 5 }]);

    expect(await deleteProject(bench.ctx, { projectId, name })).toEqual({ kind: 'deleted' });
    expect(await getProject(bench.db, projectId)).toBeNull();
    expect((await findApiKeys(bench.db, { projectId, limit: 500 })).items).toEqual([]);
    expect(await listPolicies(bench.db, projectId)).toEqual([]);
    expect(await rowsOf(projectId)).toEqual({});
    const [row] = await lookupMany(bench.db, [{ projectId, apiKeyDigest: key.minted.digest }]);
    expect(row).toEqual({ project: null, subscription: null, apiKey: null, customer: null });
    const rows = await bench.db.sql`
      select action, before from audit_log where project_id = ${projectId} order by id`;
    expect(rows.at(-1)).toMatchObject({
      action: 'project.delete',
      before: { name, apiKeys: 1, policies: 0 },
    });
    expect(rows.length).toBeGreaterThan(2);
    expect(await totalOf(other.projectId)).toBe(5);
  });

  test('deletes its customers, their plans and what they have used', async () => {
    const { projectId, name } = await makeProject(bench.ctx);
    await givePlan(bench.ctx, projectId, { activeKeyCap: 5 });
    const customer = await makeCustomer(bench.ctx, projectId, {
      plan: (await makeCustomerPlan(bench.db, projectId)).name,
    });
    const { customerId } = customer;
    const minted = mintApiKey(randomBytes);
    const key = { projectId, displayName: 'Job', mint: () => minted, customerId };
    const { apiKeyId } = expectKind(await createApiKey(bench.ctx, key), 'created');
    const count = { projectId, incarnation: 'i', count: 5 };
    await recordUsage(bench.db, {
      months: [{ ...count, month: 24_322, scope: `${customerId}@15` }],
      days: [{ ...count, day: 20_000, scope: `${customerId}@0` }],
      costs: [{ ...count, hour: 480_000, apiKeyId, kind: 'free' }],
    });
    const stays = await makeCustomer(bench.ctx, (await makeProject(bench.ctx)).projectId);
    expect(await deleteProject(bench.ctx, { projectId, name })).toEqual({ kind: 'deleted' });
    expect(await rowsOf(projectId)).toEqual({});
    const left = await bench.db.sql<{ id: string }[]>`
      select id from customers where id in (${customerId}, ${stays.customerId})
      union all select id from customer_plans where project_id = ${projectId}`;
    expect(left.map(({ id }) => id)).toEqual([stays.customerId]);
    const row = (await auditOf(bench.db, projectId)).at(-1);
    expect(row).toMatchObject({ before: { name, apiKeys: 1, customers: 1 } });
  });

  test('requires its exact name', async () => {
    const { projectId, name } = await makeProject(bench.ctx);
    const rows = await countAuditRows(bench.db);
    for (const typed of ['', name.toUpperCase(), `${name} `, 'another']) {
      expect(await deleteProject(bench.ctx, { projectId, name: typed })).toEqual({
        kind: 'name_mismatch',
      });
    }
    expect(await getProject(bench.db, projectId)).not.toBeNull();
    expect(await countAuditRows(bench.db)).toBe(rows);
    const nowhere = { projectId: randomUUID(), name };
    expect(await deleteProject(bench.ctx, nowhere)).toEqual({ kind: 'not_found' });
  });

  test('leaves the rows of a late flush, or too many rows, to the next upkeep', async () => {
    const { projectId, name } = await makeProject(bench.ctx);
    await deleteProject(bench.ctx, { projectId, name });
    await bench.db.sql`
      insert into usage_hours (project_id, hour, api_key_id, policy_id, outcome, incarnation, count)
      values (${projectId}, now(), ${projectId}, ${projectId}, 'allowed', 'i', 1)`;
    await bench.db.sql`
      insert into usage_months (project_id, month, scope, incarnation, count)
      values (${projectId}, 24322, 'project', 'i', 1)`;
    await applyAll();
    expect(await rowsOf(projectId)).toEqual({});
  });

  test('does not deadlock with flushes of its usage and first uses of its keys, in 15 rounds', async () => {
    const other = createDatabase(bench.url, { maxConnections: 4 });
    try {
      for (let round = 0; round < 15; round += 1) {
        const { projectId, name } = await makeProject(bench.ctx);
        await givePlan(bench.ctx, projectId, { activeKeyCap: 5 });
        const key = await makeKey(bench.ctx, projectId);
        const at = daysAgo(1);
        const counted = [{ at, count: 1, apiKeyId: key.apiKeyId }];
        await flush(bench.db, projectId, counted);
        await rollUpAll(bench.db);
        const [deleted] = await Promise.all([
          deleteProject(bench.ctx, { projectId, name }),
          flush(other, projectId, [{ ...counted[0]!, count: 2 }]),
          flush(other, projectId, [{ ...counted[0]!, count: 3 }]),
          recordFirstUses(other, [key.apiKeyId]),
        ]);
        expect(deleted).toEqual({ kind: 'deleted' });
        await applyAll();
        expect(await rowsOf(projectId)).toEqual({});
      }
    } finally {
      await other.close();
    }
  });
});
