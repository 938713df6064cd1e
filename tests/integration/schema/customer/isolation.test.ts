import { randomBytes } from 'node:crypto';
import { type MintedCredential, mintApiKey } from '@ceiba/domain';
import {
  createApiKey,
  getApiKey,
  getCustomer,
  listCustomers,
  lookupMany,
  postgresError,
  readUsageOf,
  updateApiKey,
  updateCustomer,
} from '@ceiba/schema';
import { expect, test } from 'vitest';
import { createRandom } from '../../../chaos/support/random.ts';
import { expectKind, givePlan, makeProject, useBench } from '../support.ts';
import { makeCustomer, makeCustomerPlan } from './support.ts';

const bench = useBench();

/** The external ids and the names of plans, which all projects use. */
const NAMES = ['acme', 'bolt', 'cross'];

interface Room {
  projectId: string;
  customers: string[];
  plans: string[];
  keys: { apiKeyId: string; minted: MintedCredential }[];
}

async function makeRoom(): Promise<Room> {
  const { projectId } = await makeProject(bench.ctx);
  await givePlan(bench.ctx, projectId, {});
  const room: Room = { projectId, customers: [], plans: [], keys: [] };
  for (const name of NAMES) {
    room.plans.push((await makeCustomerPlan(bench.db, projectId, { name })).planId);
    room.customers.push(
      (await makeCustomer(bench.ctx, projectId, { externalId: name })).customerId,
    );
    const minted = mintApiKey(randomBytes);
    const created = await createApiKey(bench.ctx, {
      projectId,
      displayName: name,
      mint: () => minted,
    });
    room.keys.push({ apiKeyId: expectKind(created, 'created').apiKeyId, minted });
  }
  return room;
}

/** What may be tried with a key and a customer, each of any project. */
const ATTEMPTS = {
  async move({ projectId }: Room, apiKeyId: string, customerId: string) {
    await updateApiKey(bench.ctx, { projectId, apiKeyId, customerId });
  },
  async create({ projectId, keys }: Room, _: string, customerId: string) {
    const minted = mintApiKey(randomBytes);
    const input = { projectId, displayName: 'Job', mint: () => minted, customerId };
    const created = await createApiKey(bench.ctx, input);
    if (created.kind === 'created') keys.push({ apiKeyId: created.apiKeyId, minted });
  },
  async change({ projectId }: Room, _: string, customerId: string) {
    const plan = NAMES[0]!;
    await updateCustomer(bench.ctx, { projectId, customerId, plan });
  },
  async 'move by SQL'(_: Room, apiKeyId: string, customerId: string) {
    await bench.db.sql`update api_keys set customer_id = ${customerId} where id = ${apiKeyId}`;
  },
  async 'adopt by SQL'({ projectId }: Room, _: string, customerId: string) {
    await bench.db.sql`update customers set project_id = ${projectId} where id = ${customerId}`;
  },
  async 'give a plan by SQL'({ plans }: Room, _: string, customerId: string) {
    await bench.db.sql`
      update customers set plan_id = ${plans[0]!}, subscription_status = 'active'
      where id = ${customerId}`;
  },
};
const FOREIGN_KEY_OR_UNIQUE = /^2350[35]$/;

/** No key, list, plan or usage of one project has anything of another. */
async function expectApart(rooms: readonly Room[]): Promise<void> {
  const ownerOf = new Map(
    (
      await bench.db.sql<{ id: string; projectId: string }[]>`
        select id, project_id as "projectId" from customers
        union all select id, project_id from customer_plans`
    ).map(({ id, projectId }) => [id, projectId]),
  );
  for (const { projectId, keys } of rooms) {
    const rows = await lookupMany(
      bench.db,
      keys.map(({ minted }) => ({ projectId, apiKeyDigest: minted.digest })),
    );
    for (const row of rows) {
      if (!row?.customer) continue;
      expect(ownerOf.get(row.customer.customerId)).toBe(projectId);
      if (row.customer.plan) expect(ownerOf.get(row.customer.plan.planId)).toBe(projectId);
    }
    for (const { apiKeyId } of keys) {
      const customer = (await getApiKey(bench.db, { projectId, apiKeyId }))?.customer;
      if (customer) expect(ownerOf.get(customer.customerId)).toBe(projectId);
    }
    const { items } = await listCustomers(bench.db, { projectId, limit: 100 });
    for (const { customerId } of items) expect(ownerOf.get(customerId)).toBe(projectId);
  }
}

test('whatever is tried, by verbs and by SQL, no project has a customer, a plan or a key of another', async () => {
  const rooms = [await makeRoom(), await makeRoom(), await makeRoom()];
  const { pick } = createRandom('customers of projects');
  const attempts = Object.values(ATTEMPTS);
  let refused = 0;
  for (let round = 0; round < 60; round += 1) {
    for (let tried = 0; tried < 5; tried += 1) {
      const { apiKeyId } = pick(pick(rooms).keys);
      const customerId = pick(pick(rooms).customers);
      await pick(attempts)(pick(rooms), apiKeyId, customerId).catch((error: unknown) => {
        expect(postgresError(error)?.code).toMatch(FOREIGN_KEY_OR_UNIQUE);
        refused += 1;
      });
    }
    await expectApart(rooms);
  }
  expect(refused).toBeGreaterThan(20);
  const step = 'day';
  for (const [index, { projectId }] of rooms.entries()) {
    const [customerId] = rooms[(index + 1) % 3]!.customers;
    expect(await getCustomer(bench.db, { projectId, customerId: customerId! })).toBeNull();
    expect(await readUsageOf(bench.db, { projectId, customerId, step })).toBeNull();
  }
});
