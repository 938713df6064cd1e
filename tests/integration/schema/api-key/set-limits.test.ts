import { eachLimit } from '@ceiba/domain';
import { revokeApiKey, setApiKeyLimits } from '@ceiba/schema';
import { describe, expect, test } from 'vitest';
import { countAuditRows, expectKind, makeKey, makeProject, useBench } from '../support.ts';

const bench = useBench();

describe('limits of a key’s own', () => {
  test('are set one by one, and removed by null', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const key = await makeKey(bench.ctx, projectId);
    const set = async (limits: Parameters<typeof setApiKeyLimits>[1]['limits']) =>
      expectKind(await setApiKeyLimits(bench.ctx, { ...key, limits }), 'updated').limits;
    const none = eachLimit(() => null);
    const rate = { rateLimitPerMinute: 0 };
    const quota = { monthlyQuota: 9 };
    expect(await set(rate)).toEqual({ ...none, ...rate });
    expect(await set(quota)).toEqual({ ...none, ...rate, ...quota });
    expect(await set({ rateLimitPerMinute: null })).toEqual({ ...none, ...quota });
  });

  test('that do not change write no audit row', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const key = await makeKey(bench.ctx, projectId);
    const limits = { rateLimitPerMinute: 7, monthlyQuota: null };
    await setApiKeyLimits(bench.ctx, { ...key, limits });
    const rowsBefore = await countAuditRows(bench.db);
    expect(await setApiKeyLimits(bench.ctx, { ...key, limits })).toMatchObject({
      kind: 'unchanged',
      limits,
    });
    expect(await countAuditRows(bench.db)).toBe(rowsBefore);
  });

  test('of a revoked key cannot be changed', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const key = await makeKey(bench.ctx, projectId);
    await revokeApiKey(bench.ctx, key);
    const rowsBefore = await countAuditRows(bench.db);
    expect(await setApiKeyLimits(bench.ctx, { ...key, limits: { monthlyQuota: 9 } })).toEqual({
      kind: 'conflict',
      status: 'revoked',
    });
    expect(await countAuditRows(bench.db)).toBe(rowsBefore);
  });
});
