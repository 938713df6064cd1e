import { finestUsageStep, USAGE_RANGE_DAYS_MAX } from '@ceiba/domain';
import {
  createPolicy,
  deletePolicy,
  exportUsage,
  readTopDenials,
  readUsageSeries,
  recordUsage,
  type UsageRow,
} from '@ceiba/schema';
import { describe, expect, test } from 'vitest';
import {
  expectKind,
  flush,
  givePlan,
  makeKey,
  makeProject,
  rollUpAll,
  useBench,
} from '../support.ts';

const bench = useBench();

const range = (from: string, to: string) => ({ from: new Date(from), to: new Date(to) });
const iso = (dates: readonly Date[]) => dates.map((date) => date.toISOString());

async function makePolicy(projectId: string, pathPattern: string): Promise<string> {
  const created = await createPolicy(bench.ctx, { projectId, method: 'GET', pathPattern });
  return expectKind(created, 'created').policyId;
}

describe('a series', () => {
  test('of no decisions is 0 at every step, without a line', async () => {
    const { projectId } = await makeProject(bench.ctx);
    for (const by of ['outcome', 'api_key', 'policy'] as const) {
      const series = await readUsageSeries(bench.db, {
        projectId,
        by,
        step: 'day',
        ...range('2026-02-27T00:00:00Z', '2026-03-02T00:00:00Z'),
      });
      expect(iso(series.starts)).toEqual([
        '2026-02-27T00:00:00.000Z',
        '2026-02-28T00:00:00.000Z',
        '2026-03-01T00:00:00.000Z',
      ]);
      expect(series).toMatchObject({
        lines: [],
        rest: { total: 0, counts: [0, 0, 0] },
        total: 0,
      });
    }
  });

  test('of one decision has one point among zeros, in UTC', async () => {
    const { projectId } = await makeProject(bench.ctx);
    await flush(bench.db, projectId, [{ at: '2026-02-28T23:00:00Z', count: 1 }]);
    const read = (step: 'hour' | 'day' | 'month', from: string, to: string) =>
      readUsageSeries(bench.db, { projectId, by: 'outcome', step, ...range(from, to) });
    const line = { id: 'allowed', label: null, total: 1 };
    expect(await read('hour', '2026-02-28T22:00:00Z', '2026-03-01T01:00:00Z')).toMatchObject({
      lines: [{ ...line, counts: [0, 1, 0] }],
    });
    expect(await read('day', '2026-02-28T00:00:00Z', '2026-03-02T00:00:00Z')).toMatchObject({
      lines: [{ ...line, counts: [1, 0] }],
    });
    expect(await read('month', '2026-01-01T00:00:00Z', '2026-04-01T00:00:00Z')).toMatchObject({
      lines: [{ ...line, counts: [0, 1, 0] }],
    });
  });

  test('widens its range to whole steps, and returns that range', async () => {
    const { projectId } = await makeProject(bench.ctx);
    await flush(bench.db, projectId, [
      { at: '2026-02-01T00:00:00Z', count: 1 },
      { at: '2026-02-28T23:00:00Z', count: 2 },
      { at: '2026-03-01T00:00:00Z', count: 4 },
    ]);
    const series = await readUsageSeries(bench.db, {
      projectId,
      by: 'outcome',
      step: 'month',
      ...range('2026-02-10T07:30:00Z', '2026-02-20T00:00:00Z'),
    });
    expect(iso([series.from, series.to])).toEqual([
      '2026-02-01T00:00:00.000Z',
      '2026-03-01T00:00:00.000Z',
    ]);
    expect(series.total).toBe(3);
  });

  test('by outcome counts every decision, in the order of the contract', async () => {
    const { projectId } = await makeProject(bench.ctx);
    await flush(bench.db, projectId, [
      { at: '2026-02-01T10:00:00Z', count: 5, outcome: 'rate_limited' },
      { at: '2026-02-01T10:00:00Z', count: 2, outcome: 'missing_api_key' },
      { at: '2026-02-01T10:00:00Z', count: 9 },
      { at: '2026-02-01T10:00:00Z', count: 1, incarnation: 'after a restart' },
    ]);
    const series = await readUsageSeries(bench.db, {
      projectId,
      by: 'outcome',
      step: 'day',
      ...range('2026-02-01T00:00:00Z', '2026-02-02T00:00:00Z'),
    });
    expect(series.lines.map(({ id, total }) => [id, total])).toEqual([
      ['allowed', 10],
      ['missing_api_key', 2],
      ['rate_limited', 5],
    ]);
    expect(series.total).toBe(17);
  });

  test('of one key counts its decisions by outcome, and none of another key or project', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const { projectId: elsewhere } = await makeProject(bench.ctx);
    const [key, other] = [await makeKey(bench.ctx, projectId), await makeKey(bench.ctx, projectId)];
    const [{ apiKeyId }, policyId] = [key, await makePolicy(projectId, '/v1/reports*')];
    await flush(bench.db, projectId, [
      { at: '2026-02-01T00:00:00Z', count: 3, apiKeyId },
      { at: '2026-02-01T23:00:00Z', count: 4, apiKeyId, policyId },
      { at: '2026-02-01T23:00:00Z', count: 2, apiKeyId, outcome: 'rate_limited' },
      { at: '2026-02-03T00:00:00Z', count: 5, apiKeyId },
      { at: '2026-02-04T00:00:00Z', count: 100, apiKeyId },
      { at: '2026-02-01T23:00:00Z', count: 100, apiKeyId: other.apiKeyId },
      { at: '2026-02-01T23:00:00Z', count: 100, outcome: 'missing_api_key' },
    ]);
    await flush(bench.db, elsewhere, [{ at: '2026-02-01T23:00:00Z', count: 100, apiKeyId }]);
    const read = (step: 'hour' | 'day' | 'month') =>
      readUsageSeries(bench.db, {
        projectId,
        apiKeyId,
        by: 'outcome',
        step,
        ...range('2026-02-01T00:00:00Z', '2026-02-04T00:00:00Z'),
      });
    const byDay = {
      total: 14,
      lines: [
        { id: 'allowed', total: 12, counts: [7, 0, 5] },
        { id: 'rate_limited', total: 2, counts: [2, 0, 0] },
      ],
    };
    expect(await read('day')).toMatchObject(byDay);
    await rollUpAll(bench.db);
    expect(await read('day')).toMatchObject(byDay);
    expect((await read('hour')).lines[0]?.counts.slice(22, 26)).toEqual([0, 4, 0, 0]);
    expect((await read('month')).total).toBe(114);
  });

  test.each(['hour', 'day', 'month'] as const)(
    'by key in steps of a %s has a named line for the largest keys, and the sum of the rest',
    async (step) => {
      const { projectId } = await makeProject(bench.ctx);
      await givePlan(bench.ctx, projectId, { activeKeyCap: 5 });
      const keys = [];
      for (const displayName of ['Small', 'Large', 'Middle']) {
        keys.push((await makeKey(bench.ctx, projectId, { displayName })).apiKeyId);
      }
      const [small, large, middle] = keys;
      const at = '2026-02-01T10:00:00Z';
      await flush(bench.db, projectId, [
        { at, count: 1, apiKeyId: small! },
        { at, count: 7, apiKeyId: large! },
        { at, count: 3, apiKeyId: middle! },
        { at, count: 99, apiKeyId: small!, outcome: 'rate_limited' },
      ]);
      for (const _ of ['from hours', 'from totals']) {
        const series = await readUsageSeries(bench.db, {
          projectId,
          by: 'api_key',
          step,
          top: 2,
          ...range('2026-02-01T10:00:00Z', '2026-02-01T11:00:00Z'),
        });
        expect(series).toMatchObject({
          lines: [
            { id: large, label: 'Large', total: 7, counts: [7] },
            { id: middle, label: 'Middle', total: 3, counts: [3] },
          ],
          rest: { total: 1, counts: [1] },
          total: 11,
        });
        await rollUpAll(bench.db);
      }
    },
  );

  test('by key counts calls and not what they cost, also in part of a month', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const { apiKeyId } = await makeKey(bench.ctx, projectId);
    const hourOf = (at: string) => Date.parse(at) / 3_600_000;
    const hours = ['2025-06-02T00:00:00Z', '2025-06-20T00:00:00Z', '2025-10-01T00:00:00Z'].map(
      (at) => ({
        ...{ projectId, hour: hourOf(at), apiKeyId, policyId: null, incarnation: 'i' },
        ...{ outcome: 'allowed' as const, count: 100 },
      }),
    );
    // Calls that cost ten in June, and nothing in October.
    const months = ['project', apiKeyId].map((scope) => ({
      ...{ projectId, month: 2025 * 12 + 5, scope, incarnation: 'i', count: 2_000 },
    }));
    await recordUsage(bench.db, { hours, months, lastUsed: [] });
    for (const _ of ['from hours', 'from totals']) {
      for (const [step, total] of [
        ['day', 200],
        ['month', 300],
      ] as const) {
        const asked = range('2025-06-10T00:00:00Z', '2025-10-15T00:00:00Z');
        const read = (by: 'outcome' | 'api_key') =>
          readUsageSeries(bench.db, { projectId, by, step, ...asked });
        const byKey = await read('api_key');
        expect(byKey).toMatchObject({
          lines: [{ id: apiKeyId, total }],
          total,
          rest: { total: 0 },
        });
        expect(byKey.lines[0]!.counts).toEqual((await read('outcome')).lines[0]!.counts);
      }
      await rollUpAll(bench.db);
    }
  });

  test('by key finds the largest among more keys than a day indexes, with exact counts', async () => {
    const { projectId } = await makeProject(bench.ctx);
    await bench.db.sql`
      insert into usage_hours (project_id, hour, api_key_id, policy_id, outcome, incarnation, count)
      select ${projectId}, timestamptz '2026-02-01Z' + day * interval '1 day',
        md5('key' || key)::uuid, ${projectId}, 'allowed', 'i',
        -- Key 1 is small on the first day, where 90 others are larger, and the largest of all after.
        case when key = 1 then case when day = 0 then 1 else 900 end else 100 + key end
      from generate_series(1, 91) as key, generate_series(0, 4) as day`;
    const read = () =>
      readUsageSeries(bench.db, {
        projectId,
        by: 'api_key',
        step: 'day',
        top: 3,
        ...range('2026-02-01T00:00:00Z', '2026-02-06T00:00:00Z'),
      });
    const fromHours = await read();
    await rollUpAll(bench.db);
    const fromTotals = await read();
    expect(fromTotals).toEqual(fromHours);
    expect(fromTotals.lines.map(({ counts }) => counts)).toEqual([
      [1, 900, 900, 900, 900],
      [191, 191, 191, 191, 191],
      [190, 190, 190, 190, 190],
    ]);
    expect(fromTotals.total).toBe(1 + 4 * 900 + 5 * (90 * 100 + (92 * 91) / 2 - 1));
  });

  test('by policy has its method and pattern as the label, and none if it was deleted', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const [kept, gone] = [
      await makePolicy(projectId, '/v1/a'),
      await makePolicy(projectId, '/v1/b'),
    ];
    const at = '2026-02-01T10:00:00Z';
    await flush(bench.db, projectId, [
      { at, count: 2, policyId: kept },
      { at, count: 1, policyId: gone },
    ]);
    await deletePolicy(bench.ctx, { projectId, policyId: gone });
    const { lines } = await readUsageSeries(bench.db, {
      projectId,
      by: 'policy',
      step: 'day',
      ...range('2026-02-01T00:00:00Z', '2026-02-02T00:00:00Z'),
    });
    expect(lines.map(({ id, label }) => [id, label])).toEqual([
      [kept, 'GET /v1/a'],
      [gone, null],
    ]);
  });

  test('contains nothing of another project', async () => {
    const [mine, other] = [await makeProject(bench.ctx), await makeProject(bench.ctx)];
    await flush(bench.db, other.projectId, [{ at: '2026-02-01T10:00:00Z', count: 5 }]);
    await rollUpAll(bench.db);
    const series = await readUsageSeries(bench.db, {
      projectId: mine.projectId,
      by: 'outcome',
      step: 'day',
      ...range('2026-02-01T00:00:00Z', '2026-02-02T00:00:00Z'),
    });
    expect(series.total).toBe(0);
  });

  test('of a year in days has 365 points, also with totals', async () => {
    const { projectId } = await makeProject(bench.ctx);
    await flush(
      bench.db,
      projectId,
      Array.from({ length: 365 }, (_, day) => ({
        at: new Date(Date.UTC(2025, 0, 1 + day, day % 24)).toISOString(),
        count: day + 1,
      })),
    );
    await rollUpAll(bench.db);
    const { lines } = await readUsageSeries(bench.db, {
      projectId,
      by: 'outcome',
      step: 'day',
      ...range('2025-01-01T00:00:00Z', '2026-01-01T00:00:00Z'),
    });
    expect(lines).toHaveLength(1);
    expect(lines[0]!.counts).toEqual(Array.from({ length: 365 }, (_, day) => day + 1));
  });

  test.each([
    ['is empty', '2026-02-01T00:00:00Z', '2026-02-01T00:00:00Z'],
    ['ends before it begins', '2026-02-02T00:00:00Z', '2026-02-01T00:00:00Z'],
    ['is too long for its step', '2026-01-01T00:00:00Z', '2026-02-02T00:00:00Z'],
    ['is not a date', 'never', '2026-02-02T00:00:00Z'],
  ])('is refused if its range %s', async (_, from, to) => {
    const { projectId } = await makeProject(bench.ctx);
    const input = { projectId, by: 'outcome', step: 'hour', ...range(from, to) } as const;
    await expect(readUsageSeries(bench.db, input)).rejects.toThrow(RangeError);
  });

  test('can be read in its finest step for every range that it may have', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const to = new Date();
    for (const days of [0.01, 1, 2, 7, 30, 31, 32, 90, 365, 400, 401, 1_830]) {
      for (const by of ['outcome', 'api_key', 'policy'] as const) {
        const from = new Date(to.getTime() - days * 86_400_000);
        const step = finestUsageStep(by, { from, to });
        if (days > USAGE_RANGE_DAYS_MAX[by][step]) continue;
        const series = await readUsageSeries(bench.db, { projectId, by, step, from, to });
        expect(series.starts.length).toBeLessThanOrEqual(31 * 24 + 1);
      }
    }
  });
});

describe('the most frequent denials', () => {
  test('are grouped by reason, key and policy, with the last hour of each', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const { apiKeyId, minted } = await makeKey(bench.ctx, projectId, { displayName: 'Mobile app' });
    const policyId = await makePolicy(projectId, '/v1/a');
    await flush(bench.db, projectId, [
      { at: '2026-02-01T10:00:00Z', count: 50, apiKeyId, policyId },
      { at: '2026-02-01T10:00:00Z', count: 3, apiKeyId, policyId, outcome: 'rate_limited' },
      { at: '2026-02-01T12:00:00Z', count: 2, apiKeyId, policyId, outcome: 'rate_limited' },
      { at: '2026-02-01T11:00:00Z', count: 9, outcome: 'missing_api_key' },
      { at: '2026-02-01T11:00:00Z', count: 1, apiKeyId, outcome: 'policy_no_match' },
    ]);
    const { denials } = await readTopDenials(bench.db, {
      projectId,
      limit: 2,
      ...range('2026-02-01T00:00:00Z', '2026-02-02T00:00:00Z'),
    });
    const noKey = { apiKeyId: null, displayName: null, keyPrefix: null };
    expect(denials).toEqual([
      {
        denialReason: 'missing_api_key',
        ...noKey,
        policyId: null,
        method: null,
        pathPattern: null,
        count: 9,
        lastHour: new Date('2026-02-01T11:00:00Z'),
      },
      {
        denialReason: 'rate_limited',
        apiKeyId,
        displayName: 'Mobile app',
        keyPrefix: minted.prefix,
        policyId,
        method: 'GET',
        pathPattern: '/v1/a',
        count: 5,
        lastHour: new Date('2026-02-01T12:00:00Z'),
      },
    ]);
  });
});

describe('an export', () => {
  async function collect(projectId: string, step: 'hour' | 'day', from: string, to: string) {
    const rows: UsageRow[] = [];
    const pages: number[] = [];
    const input = { projectId, step, ...range(from, to) };
    for await (const page of exportUsage((work) => work(bench.db), input)) {
      rows.push(...page);
      pages.push(page.length);
    }
    return { rows, pages };
  }

  test('has every row once, oldest first, over pages and days', async () => {
    const { projectId } = await makeProject(bench.ctx);
    await bench.db.sql`
      insert into usage_hours (project_id, hour, api_key_id, policy_id, outcome, incarnation, count)
      select ${projectId}, timestamptz '2026-02-01T22:00:00Z' + (number % 4) * interval '1 hour',
        md5((number / 4)::text)::uuid, md5('policy')::uuid, 'allowed', run, number
      from generate_series(1, 24000) as number, unnest(array['a', 'b']) as run`;
    const hours = await collect(projectId, 'hour', '2026-02-01T00:00:00Z', '2026-02-03T00:00:00Z');
    expect(hours.rows).toHaveLength(24_000);
    expect(
      new Set(hours.rows.map(({ from, apiKeyId }) => `${from.getTime()} ${apiKeyId}`)).size,
    ).toBe(24_000);
    expect(hours.pages).toEqual([10_000, 2_000, 10_000, 2_000]);
    const sum = hours.rows.reduce((total, { count }) => total + count, 0);
    expect(sum).toBe(24_000 * 24_001);
    const times = hours.rows.map(({ from }) => from.getTime());
    expect(times).toEqual([...times].sort((a, b) => a - b));

    const days = await collect(projectId, 'day', '2026-02-01T00:00:00Z', '2026-02-03T00:00:00Z');
    expect(days.rows.length).toBeGreaterThan(11_000);
    expect(days.rows.length).toBeLessThan(13_000);
    expect(days.rows.reduce((total, { count }) => total + count, 0)).toBe(sum);
    expect(new Set(iso(days.rows.map(({ from }) => from)))).toEqual(
      new Set(['2026-02-01T00:00:00.000Z', '2026-02-02T00:00:00.000Z']),
    );
  });

  test('has the names of keys and policies, and only rows in the range', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const { apiKeyId, minted } = await makeKey(bench.ctx, projectId, { displayName: 'Mobile app' });
    const policyId = await makePolicy(projectId, '/v1/a');
    await flush(bench.db, projectId, [
      { at: '2026-02-01T09:00:00Z', count: 100 },
      { at: '2026-02-01T10:00:00Z', count: 3, apiKeyId, policyId },
      { at: '2026-02-01T11:00:00Z', count: 2, outcome: 'missing_api_key' },
      { at: '2026-02-01T12:00:00Z', count: 100 },
    ]);
    const { rows } = await collect(
      projectId,
      'hour',
      '2026-02-01T10:00:00Z',
      '2026-02-01T12:00:00Z',
    );
    expect(rows).toEqual([
      {
        from: new Date('2026-02-01T10:00:00Z'),
        outcome: 'allowed',
        apiKeyId,
        displayName: 'Mobile app',
        keyPrefix: minted.prefix,
        policyId,
        method: 'GET',
        pathPattern: '/v1/a',
        count: 3,
      },
      {
        from: new Date('2026-02-01T11:00:00Z'),
        outcome: 'missing_api_key',
        apiKeyId: null,
        displayName: null,
        keyPrefix: null,
        policyId: null,
        method: null,
        pathPattern: null,
        count: 2,
      },
    ]);
  });

  test('of no usage has no page', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const { pages } = await collect(
      projectId,
      'day',
      '2026-02-01T00:00:00Z',
      '2026-02-03T00:00:00Z',
    );
    expect(pages).toEqual([]);
  });
});
