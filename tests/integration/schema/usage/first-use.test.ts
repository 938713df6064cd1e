import { readFirstUse, writeDecisions } from '@ceiba/schema';
import { describe, expect, test } from 'vitest';
import { decisionAt } from '../decision-log/support.ts';
import { flush, givePlan, makeKey, makeProject, rollUpAll, useBench } from '../support.ts';

const bench = useBench();

async function makeScene(hours: readonly string[]) {
  const { projectId } = await makeProject(bench.ctx);
  await givePlan(bench.ctx, projectId, { activeKeyCap: 2 });
  const { apiKeyId } = await makeKey(bench.ctx, projectId);
  const other = await makeKey(bench.ctx, projectId);
  await flush(bench.db, projectId, [
    ...hours.map((at) => ({ at, count: 1, apiKeyId })),
    { at: '2026-06-08T10:00:00Z', count: 1, apiKeyId: other.apiKeyId },
    { at: '2026-06-09T10:00:00Z', count: 1, apiKeyId, outcome: 'policy_no_match' },
  ]);
  return { projectId, apiKeyId };
}

const RANGE = {
  createdAt: new Date('2026-06-08T10:20:00Z'),
  lastUsedAt: new Date('2026-06-13T10:20:00Z'),
};

describe.each(['hours', 'totals of days'])('the first use of a key, read from %s', (source) => {
  test('is the hour of its first allowed call', async () => {
    const key = await makeScene([
      '2026-06-12T14:00:00Z',
      '2026-06-12T15:00:00Z',
      '2026-06-13T08:00:00Z',
    ]);
    if (source === 'totals of days') await rollUpAll(bench.db);
    expect(await readFirstUse(bench.db, { ...key, ...RANGE })).toEqual({
      hour: new Date('2026-06-12T14:00:00Z'),
      recorded: null,
    });
  });

  test('is unknown where no usage has it', async () => {
    const key = await makeScene([]);
    if (source === 'totals of days') await rollUpAll(bench.db);
    expect(await readFirstUse(bench.db, { ...key, ...RANGE })).toBeNull();
  });
});

test('the first use of a key names the first allowed call of its hour that is recorded', async () => {
  const hour = new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000);
  const key = await makeScene([hour.toISOString()]);
  const within = (minute: number) => new Date(hour.getTime() + minute * 60_000);
  const { projectId, apiKeyId } = key;
  const decisions = [
    decisionAt(projectId, within(1), { apiKeyId, outcome: 'policy_no_match' }),
    decisionAt(projectId, within(3), { apiKeyId, outcome: 'allowed' }),
    decisionAt(projectId, within(4), { apiKeyId, outcome: 'allowed' }),
  ];
  await writeDecisions(bench.db, { decisions, gaps: [] });
  const used = { createdAt: within(0), lastUsedAt: within(4) };
  expect(await readFirstUse(bench.db, { ...key, ...used })).toEqual({
    hour,
    recorded: { decisionId: decisions[1]!.decisionId, at: within(3) },
  });
});
