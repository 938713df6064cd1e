import 'server-only';
import { MS_PER_DAY } from '@ceiba/domain';
import {
  type Database,
  getCustomer,
  groupDenials,
  listPolicies,
  readCustomerUse,
  readDenyingProblems,
  readRetention,
  readUsageOf,
  searchApiKeys,
  searchCustomerPlans,
} from '@ceiba/schema';
import { keptRequests } from '#components/usage/range-links.ts';
import { PLANS_LISTED } from '../../plan-detail.ts';
import { readCustomerTimeline } from '../../read-timeline.ts';
import { customerPlanChoice } from '../customer-choice.ts';

/** The history is of this many of its keys. */
const KEYS_READ = 10;
const DENIALS_SHOWN = 5;

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
  const [problems, uses, usage, plans, policies, keys, denials] = await Promise.all([
    readDenyingProblems(db, projectId),
    readCustomerUse(db, { projectId, customerIds: [customerId] }),
    readUsageOf(db, { projectId, customerId, step: 'day', countsLimited: true }),
    searchCustomerPlans(db, { projectId, limit: PLANS_LISTED }),
    listPolicies(db, projectId),
    searchApiKeys(db, { projectId, customerId, limit: KEYS_READ }),
    groupDenials(db, { projectId, customerId, from: kept.since, to, limit: DENIALS_SHOWN }),
  ]);
  const use = uses.get(customer.customerId);
  if (use === undefined || usage === null) return null;
  const apiKeyIds = keys.items.map(({ apiKeyId }) => apiKeyId);
  const timeline = await readCustomerTimeline(db, { projectId, kept }, { customerId, apiKeyIds });
  return {
    customer,
    problems,
    use,
    usage,
    plans: plans.map(customerPlanChoice),
    policies,
    keys,
    kept,
    denials,
    timeline,
  };
}
