import { randomBytes, randomUUID } from 'node:crypto';
import { mintApiKey } from '@ceiba/domain';
import {
  type CreateApiKeyInput,
  createApiKey,
  findApiKeys,
  getApiKey,
  getApiKeyRow,
  InvalidInputError,
  listCustomers,
  revokeApiKey,
  searchApiKeys,
  type UpdateApiKeyInput,
  updateApiKey,
} from '@ceiba/schema';
import { describe, expect, test } from 'vitest';
import { auditOf, makeCustomer, makeCustomerPlan } from '../customer/support.ts';
import {
  countAuditRows,
  expectKind,
  givePlan,
  holding,
  makeKey,
  makeProject,
  untilWaiting,
  useBench,
} from '../support.ts';

const bench = useBench();
const EXPIRY = new Date('9999-12-31T23:59:59.999Z');

async function makeRoom(activeKeyCap = 1_000) {
  const { projectId } = await makeProject(bench.ctx);
  await givePlan(bench.ctx, projectId, { activeKeyCap });
  return projectId;
}

const create = (projectId: string, fields: Partial<CreateApiKeyInput> = {}) =>
  createApiKey(bench.ctx, {
    projectId,
    displayName: 'Job',
    mint: () => mintApiKey(randomBytes),
    ...fields,
  });

const made = async (projectId: string, fields: Partial<CreateApiKeyInput> = {}) => {
  const { apiKeyId } = expectKind(await create(projectId, fields), 'created');
  return { projectId, apiKeyId };
};

const read = async (ref: { projectId: string; apiKeyId: string }) =>
  (await getApiKey(bench.db, ref))!;

/** A customer whose plan allows so many active keys. */
async function makeCapped(projectId: string, activeKeyCap: number) {
  const plan = await makeCustomerPlan(bench.db, projectId, { activeKeyCap });
  return makeCustomer(bench.ctx, projectId, { plan: plan.name });
}

describe('a new key', () => {
  test('has every field that is given, and its read shape each that is set', async () => {
    const projectId = await makeRoom();
    const { customerId, externalId } = await makeCustomer(bench.ctx, projectId);
    const limits = { rateLimitPerMinute: 0, dailyQuota: 1_000_000_000_000, monthlyQuota: 7 };
    const scopes = ['write', 'read', 'write'];
    const ref = await made(projectId, { customerId, scopes, expiresAt: EXPIRY, ...limits });
    const customer = { customerId, externalId };
    const shown = { customer, scopes: ['read', 'write'], ...limits };
    expect(await read(ref)).toMatchObject({ ...shown, expiresAt: EXPIRY.toISOString() });
    expect(await getApiKeyRow(bench.db, ref)).toMatchObject(shown);
    const page = await findApiKeys(bench.db, { projectId, limit: 5 });
    expect(page.items).toEqual([await read(ref)]);
    const [row] = await auditOf(bench.db, ref.apiKeyId);
    expect(row).toMatchObject({
      action: 'api_key.create',
      after: { ...limits, scopes: ['read', 'write'], customer: externalId },
    });
  });

  test('without any of them reads as the nine fields of the contract', async () => {
    const ref = await made(await makeRoom());
    expect(Object.keys(await read(ref))).toEqual([
      'apiKeyId',
      'displayName',
      'keyPrefix',
      'status',
      'createdAt',
      'expiresAt',
      'revokedAt',
      'archivedAt',
      'lastUsedAt',
    ]);
  });

  test('with an empty list of scopes has it', async () => {
    const ref = await made(await makeRoom(), { scopes: [] });
    expect(await read(ref)).toMatchObject({ scopes: [] });
  });

  test('by an external id creates its customer once, also when many are created at once', async () => {
    const projectId = await makeRoom();
    const keys = await Promise.all(
      Array.from({ length: 8 }, () => made(projectId, { externalCustomerId: 'acme' })),
    );
    const { items } = await listCustomers(bench.db, { projectId, limit: 10 });
    expect(items).toMatchObject([{ externalId: 'acme', plan: null }]);
    const { customerId } = items[0]!;
    const shown = await Promise.all(keys.map(read));
    expect(shown.map(({ customer }) => customer?.customerId)).toEqual(keys.map(() => customerId));
    expect(await auditOf(bench.db, customerId)).toMatchObject([{ action: 'customer.create' }]);
  });

  test('that the plan has no room for creates no customer', async () => {
    const projectId = await makeRoom(0);
    expect(await create(projectId, { externalCustomerId: 'acme' })).toEqual({
      kind: 'plan_limit_reached',
      activeKeyCap: 0,
      of: 'plan',
    });
    expect((await listCustomers(bench.db, { projectId, limit: 1 })).items).toEqual([]);
  });

  test("counts against its customer's plan too, whose cap is refused with its number", async () => {
    const projectId = await makeRoom();
    const { customerId, externalId } = await makeCapped(projectId, 2);
    const { apiKeyId } = await made(projectId, { customerId });
    await made(projectId, { externalCustomerId: externalId });
    const full = { kind: 'plan_limit_reached', activeKeyCap: 2, of: 'customer_plan' };
    expect(await create(projectId, { customerId })).toEqual(full);
    expect(await create(projectId, { externalCustomerId: externalId })).toEqual(full);
    await made(projectId);
    await revokeApiKey(bench.ctx, { projectId, apiKeyId });
    await made(projectId, { customerId });
  });

  test("of another project's customer, or of none at all, is refused", async () => {
    const projectId = await makeRoom();
    const { customerId } = await makeCustomer(bench.ctx, await makeRoom());
    for (const id of [customerId, randomUUID()]) {
      expect(await create(projectId, { customerId: id })).toEqual({ kind: 'unknown_customer' });
    }
  });

  test.each([
    ['customerId', { customerId: randomUUID(), externalCustomerId: 'acme' }],
    ['customerId', { customerId: null, externalCustomerId: 'acme' }],
    ['externalCustomerId', { externalCustomerId: '' }],
    ['scopes', { scopes: ['Read'] }],
    ['scopes', { scopes: Array.from({ length: 65 }, (_, index) => `label-${index}`) }],
    ['dailyQuota', { dailyQuota: -1 }],
    ['monthlyQuota', { monthlyQuota: 1e12 + 1 }],
  ] as [string, Partial<CreateApiKeyInput>][])(
    'is refused for a wrong %s, which is named',
    async (field, fields) => {
      const projectId = await makeRoom();
      const refused = create(projectId, fields);
      await expect(refused).rejects.toThrow(InvalidInputError);
      await expect(refused).rejects.toMatchObject({ problems: [{ field }] });
    },
  );
});

describe('a change of a key', () => {
  test('sets what is given, keeps the rest, and audits each part by itself', async () => {
    const projectId = await makeRoom();
    const first = await makeCustomer(bench.ctx, projectId);
    const second = await makeCustomer(bench.ctx, projectId);
    const ref = await made(projectId);
    const steps: [Partial<UpdateApiKeyInput>, object, string[]][] = [
      [{ displayName: ' Other ' }, { displayName: 'Other' }, ['api_key.update']],
      [{ expiresAt: EXPIRY }, { expiresAt: EXPIRY.toISOString() }, ['api_key.set_expiry']],
      [
        { customerId: first.customerId },
        { customer: { customerId: first.customerId, externalId: first.externalId } },
        ['api_key.move'],
      ],
      [
        { externalCustomerId: second.externalId, scopes: ['b', 'a'] },
        {
          customer: { customerId: second.customerId, externalId: second.externalId },
          scopes: ['a', 'b'],
        },
        ['api_key.move', 'api_key.set_scopes'],
      ],
      [
        { monthlyQuota: 3, rateLimitPerMinute: 0, scopes: [] },
        { monthlyQuota: 3, rateLimitPerMinute: 0, scopes: [] },
        ['api_key.set_scopes', 'api_key.set_limits'],
      ],
      [{ expiresAt: null }, { expiresAt: null }, ['api_key.set_expiry']],
      [{ monthlyQuota: null }, { monthlyQuota: undefined }, ['api_key.set_limits']],
      [{ scopes: null }, { scopes: undefined }, ['api_key.set_scopes']],
      [{ customerId: null }, { customer: undefined }, ['api_key.move']],
    ];
    let expected = await read(ref);
    const actions = ['api_key.create'];
    for (const [given, changed, audited] of steps) {
      expected = JSON.parse(JSON.stringify({ ...expected, ...changed }));
      const result = await updateApiKey(bench.ctx, { ...ref, ...given });
      expect(result, JSON.stringify(given)).toEqual({ kind: 'updated', apiKey: expected });
      expect(await read(ref)).toEqual(expected);
      actions.push(...audited);
    }
    const rows = await auditOf(bench.db, ref.apiKeyId);
    expect(rows.map(({ action }) => action)).toEqual(actions);
    expect(rows.find(({ action }) => action === 'api_key.move')).toMatchObject({
      before: { customerId: null, customer: null },
      after: { customerId: first.customerId, customer: first.externalId },
    });
  });

  test('to what it is already writes nothing', async () => {
    const projectId = await makeRoom();
    const { customerId } = await makeCustomer(bench.ctx, projectId);
    const fields = { customerId, scopes: ['a', 'b'], expiresAt: EXPIRY, dailyQuota: 5 };
    const zeros = { metadata: { a: [0] }, monthlyQuota: 0 };
    const ref = await made(projectId, { ...fields, ...zeros });
    const before = await countAuditRows(bench.db);
    const negative = { metadata: { a: [-0] }, monthlyQuota: -0 };
    const same = { ...fields, ...negative, scopes: ['b', 'a'] };
    const again = await updateApiKey(bench.ctx, { ...ref, ...same });
    expect(again).toEqual({ kind: 'unchanged', apiKey: await read(ref) });
    expect(await countAuditRows(bench.db)).toBe(before);
  });

  test.each([
    { displayName: 'Other' },
    { customerId: null },
    { externalCustomerId: 'acme' },
    { scopes: [] },
    { expiresAt: null },
    { dailyQuota: 1 },
  ])('is a conflict if the key is not active: %j', async (fields) => {
    const projectId = await makeRoom();
    const ref = await made(projectId);
    await revokeApiKey(bench.ctx, ref);
    const before = await read(ref);
    const refused = await updateApiKey(bench.ctx, { ...ref, ...fields });
    expect(refused).toEqual({ kind: 'conflict', status: 'revoked' });
    expect(await read(ref)).toEqual(before);
    expect((await listCustomers(bench.db, { projectId, limit: 1 })).items).toEqual([]);
  });

  test("of another project's key, or into another project's customer, is refused", async () => {
    const projectId = await makeRoom();
    const theirs = await made(await makeRoom());
    const customer = await makeCustomer(bench.ctx, theirs.projectId);
    const foreign = { projectId, apiKeyId: theirs.apiKeyId, displayName: 'Mine' };
    expect(await updateApiKey(bench.ctx, foreign)).toEqual({ kind: 'not_found' });
    const mine = await made(projectId);
    const move = { ...mine, customerId: customer.customerId, displayName: 'Other' };
    expect(await updateApiKey(bench.ctx, move)).toEqual({ kind: 'unknown_customer' });
    expect(await read(mine)).toMatchObject({ displayName: 'Job' });
  });
});

describe('a move of a key', () => {
  test('into a customer that is full is refused, and within it is not a move', async () => {
    const projectId = await makeRoom();
    const { customerId } = await makeCapped(projectId, 1);
    const inside = await made(projectId, { customerId });
    const outside = await made(projectId);
    const refused = await updateApiKey(bench.ctx, { ...outside, customerId, scopes: [] });
    expect(refused).toEqual({ kind: 'plan_limit_reached', activeKeyCap: 1, of: 'customer_plan' });
    expect(await read(outside)).not.toHaveProperty('scopes');
    const same = { ...inside, customerId, displayName: 'Other' };
    expect(await updateApiKey(bench.ctx, same)).toMatchObject({ kind: 'updated' });
  });

  test('into the last place of a customer succeeds once, however many try at once', async () => {
    const projectId = await makeRoom();
    const { customerId } = await makeCapped(projectId, 3);
    await made(projectId, { customerId });
    await made(projectId, { customerId });
    const keys = await Promise.all(Array.from({ length: 6 }, () => made(projectId)));
    const release = await holding(
      bench.url,
      `select from projects where id = '${projectId}' for update`,
    );
    const moves = keys.map((ref) => updateApiKey(bench.ctx, { ...ref, customerId }));
    const creates = [create(projectId, { customerId }), create(projectId, { customerId })];
    await untilWaiting(bench.db, 8);
    await release();
    const kinds = (await Promise.all([...moves, ...creates])).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind !== 'plan_limit_reached')).toHaveLength(1);
    const { total } = await searchApiKeys(bench.db, { projectId, customerId, limit: 10 });
    expect(total).toBe(3);
  });
});

test("a search for a customer's keys finds those and no other", async () => {
  const projectId = await makeRoom();
  const { customerId } = await makeCustomer(bench.ctx, projectId);
  const mine = await made(projectId, { customerId });
  await makeKey(bench.ctx, projectId);
  const { items } = await searchApiKeys(bench.db, { projectId, customerId, limit: 10 });
  expect(items.map(({ apiKeyId }) => apiKeyId)).toEqual([mine.apiKeyId]);
});
