import { randomBytes } from 'node:crypto';
import type { Outcome } from '@ceiba/contract/sets';
import { MS_PER_HOUR, mintApiKey, monthOf } from '@ceiba/domain';
import { createApiKey, listPolicies, recordUsage, type UsageHourCount } from '@ceiba/schema';
import { beforeEach, describe, expect, test } from 'vitest';
import { useDesk } from './support.ts';

const desk = useDesk();

let projectId: string;
let apiKeyId: string;
let policyId: string;
beforeEach(async () => {
  const yaml =
    'owner: { email: ops@example.com }\nprojects:\n  - name: reports\n' +
    '    policies: [{ method: GET, pathPattern: /v1/reports* }]\n';
  const { stdout } = await desk.apply(yaml, { json: true });
  projectId = JSON.parse(stdout).projects[0].projectId;
  const minted = mintApiKey(randomBytes);
  const created = await createApiKey(desk.ctx, {
    projectId,
    displayName: 'Batch job',
    mint: () => minted,
  });
  if (created.kind !== 'created') throw new Error(created.kind);
  ({ apiKeyId } = created);
  policyId = (await listPolicies(desk.db, projectId))[0]!.policyId;
  await record(
    decisions('2026-10-31T23:00:00Z', 'allowed', 7),
    decisions('2026-11-01T00:00:00Z', 'allowed', 3),
    decisions('2026-11-01T05:00:00Z', 'rate_limited', 2),
    decisions('2026-11-30T23:00:00Z', 'allowed', 1),
    decisions('2026-12-01T00:00:00Z', 'allowed', 9),
  );
});

const decisions = (at: string, outcome: Outcome, count: number): UsageHourCount => ({
  projectId,
  hour: Date.parse(at) / MS_PER_HOUR,
  apiKeyId,
  policyId: outcome === 'allowed' ? policyId : null,
  outcome,
  incarnation: 'a',
  count,
});

const record = (...hours: UsageHourCount[]) =>
  recordUsage(desk.db, { hours, months: [], lastUsed: [] });

const usage = (...args: string[]) => desk.ceiba(['usage', '--project', projectId, ...args]);

async function counted(...args: string[]) {
  const { code, stdout, stderr } = await usage('--json', ...args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}

const NOVEMBER = {
  from: '2026-11-01T00:00:00.000Z',
  to: '2026-12-01T00:00:00.000Z',
};

describe('ceiba usage', () => {
  test('counts the decisions of a month by outcome, without those before and after it', async () => {
    expect(await counted('--month', '2026-11')).toEqual({
      projectId,
      ...NOVEMBER,
      by: 'outcome',
      total: 6,
      counts: [
        { id: 'allowed', count: 4 },
        { id: 'rate_limited', count: 2 },
      ],
    });
    expect((await usage('--month', '2026-11')).stdout).toBe(
      `6 decisions from ${NOVEMBER.from} to ${NOVEMBER.to}\n` +
        '           4  allowed\n           2  rate_limited\n',
    );
  });

  test('counts allowed requests by key and by policy', async () => {
    expect(await counted('--month', '2026-11', '--by', 'key')).toMatchObject({
      total: 4,
      counts: [{ id: apiKeyId, name: 'Batch job', count: 4 }],
      others: 0,
    });
    expect(await counted('--month', '2026-11', '--by', 'policy')).toMatchObject({
      total: 4,
      counts: [{ id: policyId, name: 'GET /v1/reports*', count: 4 }],
    });
    const { stdout } = await usage('--month', '2026-11', '--by', 'key');
    expect(stdout).toContain(`4  Batch job (${apiKeyId})`);
  });

  test('counts by hour and by day, and prints the ones with decisions', async () => {
    const range = ['--from', '2026-11-01T00:00:00Z', '--to', '2026-11-02T00:00:00Z'];
    const { counts } = await counted(...range, '--by', 'hour');
    expect(counts).toHaveLength(24);
    expect(counts[0]).toEqual({ from: NOVEMBER.from, total: 3, outcomes: { allowed: 3 } });
    expect(counts[5]).toMatchObject({ total: 2, outcomes: { rate_limited: 2 } });
    expect((await usage('--month', '2026-11', '--by', 'day')).stdout.split('\n').slice(1)).toEqual([
      '  from                         allowed      denied',
      '  2026-11-01T00:00:00.000Z           3           2',
      '  2026-11-30T00:00:00.000Z           1           0',
      '',
    ]);
  });

  test('is of this month with its quota, unless a range is given', async () => {
    const now = new Date();
    const hour = Math.floor(now.getTime() / MS_PER_HOUR);
    const allowed = { ...decisions(NOVEMBER.from, 'allowed', 5), hour, incarnation: 'b' };
    const months = [
      { projectId, month: monthOf(now), scope: 'project', incarnation: 'b', count: 5 },
    ];
    await recordUsage(desk.db, { hours: [allowed], months, lastUsed: [] });
    const printed = await counted();
    const start = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth()));
    expect(printed).toMatchObject({
      from: start.toISOString(),
      usedThisMonth: 5,
      monthlyQuota: 10_000,
    });
    expect((await usage()).stdout).toContain("Used of the month's quota: 5 of 10000");
    expect((await usage('--month', '2026-11')).stdout).not.toContain('quota');
  });

  test.each([
    ['2024-02', '2024-03-01'],
    ['2100-02', '2100-03-01'],
    ['2026-12', '2027-01-01'],
    ['9998-12', '9999-01-01'],
  ])('counts the month %s up to the first day of the next one', async (month, end) => {
    const { from, to } = await counted('--month', month);
    expect([from, to]).toEqual([`${month}-01T00:00:00.000Z`, `${end}T00:00:00.000Z`]);
  });

  test('says that there were none', async () => {
    const { code, stdout } = await usage('--month', '2001-01');
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: '0 decisions from 2001-01-01T00:00:00.000Z to 2001-02-01T00:00:00.000Z\n',
    });
  });

  test.each([
    ['a month that does not exist', ['--month', '2026-13'], '--month'],
    ['a month that no time can end', ['--month', '9999-12'], '--month'],
    ['a day as the month', ['--month', '2026-11-01'], '--month'],
    ['a month and a range', ['--month', '2026-11', '--from', NOVEMBER.from], '--month'],
    ['an end without a start', ['--to', NOVEMBER.to], '--from'],
    ['an empty range', ['--from', NOVEMBER.to, '--to', NOVEMBER.from], '--from'],
    [
      'a range too long for hours',
      ['--from', '2026-01-01T00:00:00Z', '--to', NOVEMBER.to, '--by', 'hour'],
      '--from',
    ],
    [
      'a range too long for keys',
      ['--from', '2025-01-01T00:00:00Z', '--to', NOVEMBER.to, '--by', 'key'],
      '--from',
    ],
    ['five hundred years', ['--from', '1500-01-01T00:00:00Z', '--to', NOVEMBER.to], '--from'],
    [
      'an hour that no time can end',
      ['--from', '9999-12-31T00:00:00Z', '--to', '9999-12-31T23:59:00Z'],
      '--to',
    ],
    ['an unknown group', ['--by', 'minute'], '--by'],
  ])('refuses %s, and names the option', async (_, args, field) => {
    const { code, stdout, stderr } = await usage('--json', ...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(JSON.parse(stderr).error.field).toBe(field);
  });
});
