import { createPolicy, listPoliciesWithHits } from '@ceiba/schema';
import { describe, expect, test } from 'vitest';
import { expectKind, flush, makeProject, rollUpAll, useBench } from '../support.ts';

const bench = useBench();

describe('policies with their hits', () => {
  test('are in match order, with the requests that each allowed and denied this month', async () => {
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

  test('are an empty list for a project without policies', async () => {
    const { projectId } = await makeProject(bench.ctx);
    expect(await listPoliciesWithHits(bench.db, { projectId, now: new Date() })).toEqual([]);
  });
});
