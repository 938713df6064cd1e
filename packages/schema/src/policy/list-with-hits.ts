import { nextStep, startOfStep } from '@ceiba/domain';
import { sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { days, withinDays } from '../usage/decisions.ts';
import { listPolicies, type PolicyRecord } from './list.ts';

/** A policy and the decisions that it matched this month, in UTC. */
export interface PolicyWithHits extends PolicyRecord {
  allowed: number;
  /** Requests that it matched and that were still denied, for example for their quota. */
  denied: number;
}

/** A project's policies in match order, with their hits in the month of `now` so far. */
export async function listPoliciesWithHits(
  db: { orm: Executor },
  { projectId, now }: { projectId: string; now: Date },
): Promise<PolicyWithHits[]> {
  const policies = await listPolicies(db, projectId);
  if (policies.length === 0) return [];
  const to = nextStep(now, 'day');
  const rows = await db.orm.execute<{ policyId: string; allowed: number; denied: number }>(sql`
    with ${days({ projectId, from: startOfStep(now, 'month'), to })}, matched as (
      select t.policy_id, t.allowed, t.denied from usage_policy_days t
      where t.project_id = ${projectId}
        and t.day = any(array(select day from days where rolled))
      union all
      select u.policy_id, case when u.outcome = 'allowed' then u.count else 0 end,
        case when u.outcome = 'allowed' then 0 else u.count end
      from ${withinDays(sql`usage_hours`, projectId)} where not days.rolled
    )
    select policy_id as "policyId", sum(allowed)::float8 as allowed, sum(denied)::float8 as denied
    from matched group by policy_id`);
  const hits = new Map(
    rows.map(({ policyId, allowed, denied }) => [policyId, { allowed, denied }]),
  );
  return policies.map((policy) => ({
    ...policy,
    ...(hits.get(policy.policyId) ?? { allowed: 0, denied: 0 }),
  }));
}
