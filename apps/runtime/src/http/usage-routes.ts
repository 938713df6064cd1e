import {
  type CustomerUsageResult,
  dateOf,
  ERROR_MESSAGES,
  type UsageResult,
  usageQuerySchema,
} from '@ceiba/contract';
import { readUsageOf, type UsageOf } from '@ceiba/schema';
import { TransportError } from '../errors.ts';
import { noCustomer } from './customer-routes.ts';
import type { ProjectCall, ProjectRoute } from './project-routes.ts';

const PROJECT = '/rt/projects/:projectId';

type UsageCall = ProjectCall<typeof usageQuerySchema>;

const route = (
  path: string,
  answer: (call: UsageCall) => Promise<UsageResult>,
  id?: 'apiKeyId' | 'customerId',
): ProjectRoute<typeof usageQuerySchema> => ({
  method: 'GET',
  path: `${PROJECT}${path}`,
  ...(id && { id }),
  query: usageQuerySchema,
  answer,
});

/** The routes that read usage. */
export const USAGE_ROUTES: readonly ProjectRoute[] = [
  route('/usage', ofProject),
  route('/api-keys/:apiKeyId/usage', ofApiKey, 'apiKeyId'),
  route('/customers/:customerId/usage', ofCustomer, 'customerId'),
];

async function ofProject(call: UsageCall): Promise<UsageResult> {
  const usage = await read(call, {});
  if (usage === null) throw new Error('the usage of a project is not there');
  return toBody(usage);
}

async function ofApiKey(call: UsageCall): Promise<UsageResult> {
  const usage = await read(call, { apiKeyId: call.id });
  if (usage === null) throw new TransportError('not_found', ERROR_MESSAGES.not_found);
  return toBody(usage);
}

async function ofCustomer(call: UsageCall): Promise<CustomerUsageResult> {
  const usage = await read(call, { customerId: call.id });
  if (!usage?.period) throw noCustomer();
  return { ...toBody(usage), period: { ...usage.period, ...rangeOf(usage.period) } };
}

/** PostgreSQL 15 makes 300 in a ms and newer versions more; the rest of the deadline is to spare. */
const LOOKUPS_PER_MS = 200;

const read = (
  { run, deadline, projectId, query: { step, from, to } }: UsageCall,
  of: { apiKeyId?: string; customerId?: string },
) => {
  const lookupsMax = Math.floor(deadline.remainingMs() * LOOKUPS_PER_MS);
  const range = { from: dateOf(from), to: dateOf(to), lookupsMax };
  return run(({ db }) => readUsageOf(db, { projectId, ...of, step, ...range }));
};

const toBody = (usage: UsageOf): UsageResult => ({
  ...rangeOf(usage),
  step: usage.step,
  usage: usage.usage.map(({ from, limited: _, ...counts }) => ({
    from: from.toISOString(),
    ...counts,
  })),
});

const rangeOf = ({ from, to }: { from: Date; to: Date }) => ({
  from: from.toISOString(),
  to: to.toISOString(),
});
