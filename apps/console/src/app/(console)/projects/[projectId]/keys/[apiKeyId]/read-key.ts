import 'server-only';
import { type UsageRange, usageStepFor } from '@ceiba/domain';
import {
  type Database,
  type DenialGroup,
  getApiKeyRow,
  groupDenials,
  listPolicies,
  type PolicyRecord,
  type Problem,
  type Project,
  readDenyingProblems,
  readRetention,
  readUsageSeries,
  type UsageSeries,
} from '@ceiba/schema';
import { type KeptRequests, keptRequests } from '#components/usage/range-links.ts';
import { comparedRange, type UsageQuery } from '#components/usage/usage-query.ts';
import { readKeyTimeline, type Timeline } from '../../read-timeline.ts';
import { type KeyCustomer, readKeyCustomer } from '../key-customer.ts';

const DAY_MS = 86_400_000;
const DENIALS_SHOWN = 5;

/** What the page of a key shows; null if the project has no such key. */
export async function readKeyPage(
  db: Database,
  { projectId }: Project,
  apiKeyId: string,
  usage: UsageQuery,
) {
  const apiKey = await getApiKeyRow(db, { projectId, apiKeyId });
  if (apiKey === null) return null;
  const { from, to } = usage;
  const { decisionDays, usageDays } = await readRetention(db);
  const kept = keptRequests(decisionDays, new Date());
  const compared = comparedRange(usage);
  const step = usageStepFor('outcome', usage);
  const read = (range: UsageRange) =>
    readUsageSeries(db, { projectId, apiKeyId, by: 'outcome', step, ...range });
  const [problems, series, previous, denials, timeline, customer, policies]: [
    Problem[],
    UsageSeries,
    UsageSeries | undefined,
    DenialGroup[],
    Timeline,
    KeyCustomer | null,
    PolicyRecord[],
  ] = await Promise.all([
    readDenyingProblems(db, projectId),
    read({ from, to }),
    compared && read(compared),
    readDenials(db, projectId, apiKeyId, kept),
    readKeyTimeline(db, { projectId, kept, usageDays }, apiKey),
    apiKey.customer ? readKeyCustomer(db, projectId, apiKey.customer) : null,
    listPolicies(db, projectId),
  ]);
  return { apiKey, problems, customer, policies, series, previous, kept, denials, timeline };
}

/** What is recorded of a key's denials. */
function readDenials(db: Database, projectId: string, apiKeyId: string, { since }: KeptRequests) {
  const to = new Date(Date.now() + DAY_MS);
  return groupDenials(db, { projectId, apiKeyId, from: since, to, limit: DENIALS_SHOWN });
}
