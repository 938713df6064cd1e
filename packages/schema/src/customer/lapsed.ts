import { type SQL, sql } from 'drizzle-orm';
import { admitsNow } from '../subscription/admits.ts';
import { recentCallers } from '../usage/recent-callers.ts';

/**
 * A query for the customers of one project whose plan has lapsed while their keys are still called: rows of
 * (id, name, status), the status being that of the subscription. It begins with the keys whose calls were
 * denied for it in the current hour or the one before.
 */
export const lapsedCustomers = (projectId: SQL, at: SQL): SQL => sql`
  select distinct c.id, coalesce(nullif(c.name, ''), c.external_id) as name,
    c.subscription_status as status
  from (${recentCallers(projectId, 'inactive_subscription', at)}) denied
  join api_keys k on k.id = denied.api_key_id and k.project_id = ${projectId}
    and k.status = 'active'
  join customers c on c.project_id = k.project_id and c.id = k.customer_id
  where c.plan_id is not null and c.suspended_at is null
    and not ${sql.raw(admitsNow('c', 'subscription_status'))}`;
