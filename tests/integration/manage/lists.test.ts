import { randomBytes, randomUUID } from 'node:crypto';
import { listApiKeys, listCustomers, listDecisions, runOperation } from '@ceiba/manage';
import { revokeApiKey, suspendCustomer, writeDecisions } from '@ceiba/schema';
import { expect, test } from 'vitest';
import { makeCustomer } from '../schema/customer/support.ts';
import { decisionAt } from '../schema/decision-log/support.ts';
import { makeKey, makeProject, useBench } from '../schema/support.ts';

const bench = useBench();

const callOf = () => {
  const by = { kind: 'operator' } as const;
  return { ctx: bench.ctx, db: bench.db, by, random: randomBytes };
};

async function makeTwo() {
  const { projectId } = await makeProject(bench.ctx);
  const customerIds: string[] = [];
  const apiKeyIds: string[] = [];
  for (const externalId of ['first', 'second']) {
    customerIds.push((await makeCustomer(bench.ctx, projectId, { externalId })).customerId);
    apiKeyIds.push((await makeKey(bench.ctx, projectId)).apiKeyId);
  }
  return { projectId, customerIds, apiKeyIds };
}

test('a list after a cursor whose matches are gone is empty', async () => {
  const { projectId, customerIds, apiKeyIds } = await makeTwo();
  const page = { projectId, status: 'active', limit: 1 } as const;
  const customers = await runOperation(listCustomers, callOf(), page);
  const keys = await runOperation(listApiKeys, callOf(), page);
  await suspendCustomer(bench.ctx, { projectId, customerId: customerIds[0]! });
  await revokeApiKey(bench.ctx, { projectId, apiKeyId: apiKeyIds[0]! });
  const after = { ...page, cursor: customers.nextCursor! };
  expect(await runOperation(listCustomers, callOf(), after)).toEqual({
    customers: [],
    nextCursor: null,
  });
  expect(await runOperation(listApiKeys, callOf(), { ...page, cursor: keys.nextCursor! })).toEqual({
    apiKeys: [],
    nextCursor: null,
  });
});

type Asked = { projectId: string; cursor: string };
const customers = (asked: Asked) => runOperation(listCustomers, callOf(), asked);
const keys = (asked: Asked) => runOperation(listApiKeys, callOf(), asked);
const decisions = (asked: Asked) => runOperation(listDecisions, callOf(), asked);

const REFUSED = {
  status: 400,
  code: 'invalid_input',
  field: 'cursor',
  message: '`cursor` must be a "nextCursor" of this list.',
};

test.each(Object.entries({ customers, keys, decisions }))(
  'a list of %s refuses what is no cursor by its name',
  async (_, list) => {
    const { projectId } = await makeTwo();
    for (const cursor of ['nonsense', 'after.17', `before.${randomUUID()}`]) {
      await expect(list({ projectId, cursor })).rejects.toMatchObject(REFUSED);
    }
  },
);

test.each(Object.entries({ customers, keys }))(
  'a list of %s refuses a cursor of another project',
  async (_, list) => {
    const { projectId } = await makeTwo();
    const other = await makeTwo();
    for (const id of [randomUUID(), other.customerIds[0], other.apiKeyIds[0]]) {
      await expect(list({ projectId, cursor: `after.${id}` })).rejects.toMatchObject(REFUSED);
    }
  },
);

test('decisions of a key are listed by its id in any letter case', async () => {
  const { projectId, apiKeyIds } = await makeTwo();
  const [apiKeyId = ''] = apiKeyIds;
  const decisions = [decisionAt(projectId, new Date(), { apiKeyId, outcome: 'rate_limited' })];
  await writeDecisions(bench.db, { decisions, gaps: [] });
  const asked = { projectId, key: apiKeyId.toUpperCase() };
  expect(await runOperation(listDecisions, callOf(), asked)).toMatchObject({
    decisions: [{ apiKeyId }],
    unknownKeyPrefix: null,
  });
});
