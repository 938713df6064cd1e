import 'server-only';
import { MS_PER_DAY } from '@ceiba/domain';
import {
  type Database,
  getCustomer,
  groupDenials,
  listAudit,
  listCustomerPlans,
  listPolicies,
  readCustomerUse,
  readRetention,
  readUsageOf,
  searchApiKeys,
} from '@ceiba/schema';
import { keptRequests } from '#components/usage/range-links.ts';

const KEYS_SHOWN = 10;
const DENIALS_SHOWN = 5;
const CHANGES_SHOWN = 10;

/** What the page of a customer shows; null if the project has no such customer. */
export async function readCustomerPage(
  db: Database,
  { projectId, customerId }: { projectId: string; customerId: string },
) {
  const customer = await getCustomer(db, { projectId, customerId });
  if (customer === null) return null;
  const { decisionDays } = await readRetention(db);
  const kept = keptRequests(decisionDays, new Date());
  const to = new Date(Date.now() + MS_PER_DAY);
  const [uses, usage, plans, policies, keys, denials, changes] = await Promise.all([
    readCustomerUse(db, { projectId, customerIds: [customerId] }),
    readUsageOf(db, { projectId, customerId, step: 'day' }),
    listCustomerPlans(db, projectId),
    listPolicies(db, projectId),
    searchApiKeys(db, { projectId, customerId, limit: KEYS_SHOWN }),
    groupDenials(db, { projectId, customerId, from: kept.since, to, limit: DENIALS_SHOWN }),
    listAudit(db, { ownerId: null, projectId, targetId: customerId, limit: CHANGES_SHOWN }),
  ]);
  const use = uses.get(customerId);
  if (use === undefined || usage === null) return null;
  return { customer, use, usage, plans, policies, keys, kept, denials, changes: changes.items };
}
