import { statusesThatCount } from '@ceiba/domain';
import { type SQL, sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';

/** As a literal, so that the index of active keys serves it. */
const counting = statusesThatCount()
  .map((status) => `'${status}'`)
  .join(', ');

/**
 * Whether a key counts against its plan's cap.
 *
 * @param table the name or alias of `api_keys` in the statement
 */
export const countsAgainstCap = (table: string): SQL => sql.raw(`${table}.status in (${counting})`);

/** A plan that allows no further active key. The project is locked before (rule cap-under-lock). */
export interface FullPlan {
  kind: 'plan_limit_reached';
  activeKeyCap: number;
  /** Whose plan: the project's, or that of the key's customer. */
  of: 'plan' | 'customer_plan';
}

/** @returns null where the project has a place left; without a subscription it has none */
export async function fullPlanOfProject(tx: Executor, projectId: string): Promise<FullPlan | null> {
  const [found] = await tx.execute<{ activeKeyCap: number; count: number }>(sql`
    select coalesce((
        select plan.active_key_cap from subscriptions s join plans plan on plan.id = s.plan_id
        where s.project_id = ${projectId}
      ), 0) as "activeKeyCap",
      (select count(*) from api_keys k
        where k.project_id = ${projectId} and ${countsAgainstCap('k')})::int as count`);
  if (found === undefined) throw new Error('an aggregate returned no row');
  const { activeKeyCap, count } = found;
  return count < activeKeyCap ? null : { kind: 'plan_limit_reached', activeKeyCap, of: 'plan' };
}

/** @returns null where the customer has a place left, or no plan with a cap */
export async function fullPlanOfCustomer(
  tx: Executor,
  { projectId, customerId }: { projectId: string; customerId: string },
): Promise<FullPlan | null> {
  const [found] = await tx.execute<{ activeKeyCap: number | null; count: number }>(sql`
    select plan.active_key_cap as "activeKeyCap",
      (select count(*) from api_keys k
        where k.project_id = ${projectId} and k.customer_id = c.id and ${countsAgainstCap('k')}
      )::int as count
    from customers c
    join customer_plans plan on plan.project_id = c.project_id and plan.id = c.plan_id
    where c.project_id = ${projectId} and c.id = ${customerId}`);
  const { activeKeyCap = null, count = 0 } = found ?? {};
  return activeKeyCap === null || count < activeKeyCap
    ? null
    : { kind: 'plan_limit_reached', activeKeyCap, of: 'customer_plan' };
}
