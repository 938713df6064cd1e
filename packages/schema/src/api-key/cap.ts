import { statusesThatCount } from '@ceiba/domain';
import { type SQL, sql } from 'drizzle-orm';
import { bulk } from '../bulk.ts';
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

/** What a plan leaves for active keys, as counted once; each key that is added takes one place. */
export interface Places {
  activeKeyCap: number;
  of: FullPlan['of'];
  left: number;
}

/** @returns null where there is a place left, or no plan with a cap */
export const fullPlanOf = (places: Places | undefined): FullPlan | null =>
  places === undefined || places.left > 0
    ? null
    : { kind: 'plan_limit_reached', activeKeyCap: places.activeKeyCap, of: places.of };

/** Without a subscription a project has no place. */
export async function placesOfProject(tx: Executor, projectId: string): Promise<Places> {
  const [found] = await tx.execute<{ activeKeyCap: number; count: number }>(sql`
    select coalesce((
        select plan.active_key_cap from subscriptions s join plans plan on plan.id = s.plan_id
        where s.project_id = ${projectId}
      ), 0) as "activeKeyCap",
      (select count(*) from api_keys k
        where k.project_id = ${projectId} and ${countsAgainstCap('k')})::int as count`);
  if (found === undefined) throw new Error('an aggregate returned no row');
  const { activeKeyCap, count } = found;
  return { activeKeyCap, of: 'plan', left: activeKeyCap - count };
}

const IDS = bulk<string>({ id: ['uuid', (id) => id] });

/** By customer, of those whose plan has a cap. */
export async function placesOfCustomers(
  tx: Executor,
  projectId: string,
  customerIds: readonly string[],
): Promise<Map<string, Places>> {
  const rows = await tx.execute<{ customerId: string; activeKeyCap: number; count: number }>(sql`
    select c.id as "customerId", plan.active_key_cap as "activeKeyCap",
      (select count(*) from api_keys k
        where k.project_id = ${projectId} and k.customer_id = c.id and ${countsAgainstCap('k')}
      )::int as count
    from ${IDS.of(customerIds)} join customers c on c.project_id = ${projectId} and c.id = row.id
    join customer_plans plan on plan.project_id = c.project_id and plan.id = c.plan_id
    where plan.active_key_cap is not null`);
  return new Map(
    rows.map(({ customerId, activeKeyCap, count }) => [
      customerId,
      { activeKeyCap, of: 'customer_plan', left: activeKeyCap - count },
    ]),
  );
}
