import { randomUUID } from 'node:crypto';
import {
  type CreateCustomerInput,
  createCustomer,
  getCustomer,
  InvalidInputError,
  resumeCustomer,
  suspendCustomer,
  updateCustomer,
} from '@ceiba/schema';
import { describe, expect, test } from 'vitest';
import { countAuditRows, expectKind, makeKey, makeProject, useBench } from '../support.ts';
import { auditOf, makeCustomer, makeCustomerPlan } from './support.ts';

const bench = useBench();
const PERIOD_END = new Date('2027-01-01T00:00:00Z');

describe('a new customer', () => {
  test('has only its external id, and is read as it was created', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const customer = await makeCustomer(bench.ctx, projectId, { externalId: 'acme' });
    expect(customer).toEqual({
      customerId: expect.any(String),
      externalId: 'acme',
      name: '',
      metadata: {},
      suspendedAt: null,
      plan: null,
      subscriptionStatus: null,
      currentPeriodEnd: null,
      billingDay: 1,
      rateLimitPerMinute: null,
      dailyQuota: null,
      monthlyQuota: null,
      createdAt: expect.any(Date),
    });
    const ref = { projectId, customerId: customer.customerId };
    expect(await getCustomer(bench.db, ref)).toEqual(customer);
  });

  test('has every field that is given', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const plan = await makeCustomerPlan(bench.db, projectId, { name: 'Gold' });
    const fields = {
      externalId: 'ünïcode/ id',
      name: 'Acme',
      metadata: { tier: 3, tags: ['a', { deep: null }], 'a key': true },
      subscriptionStatus: 'trialing',
      currentPeriodEnd: PERIOD_END,
      billingDay: 28,
      rateLimitPerMinute: 0,
      dailyQuota: 1_000_000_000_000,
      monthlyQuota: 1_000_000_000_000,
    } as const;
    const customer = await makeCustomer(bench.ctx, projectId, { ...fields, plan: 'Gold' });
    expect(customer).toMatchObject({ ...fields, plan });
    expect(await getCustomer(bench.db, { projectId, customerId: customer.customerId })).toEqual(
      customer,
    );
  });

  test('on a plan without a status is active', async () => {
    const { projectId } = await makeProject(bench.ctx);
    await makeCustomerPlan(bench.db, projectId, { name: 'Gold' });
    const customer = await makeCustomer(bench.ctx, projectId, { plan: 'Gold' });
    expect(customer).toMatchObject({ subscriptionStatus: 'active', currentPeriodEnd: null });
  });

  test.each([
    ['externalId', 'of nothing', { externalId: '' }],
    ['externalId', 'of 256 bytes', { externalId: 'ü'.repeat(128) }],
    ['externalId', 'with a NUL', { externalId: 'a\u0000b' }],
    ['externalId', 'of two lines', { externalId: 'a\nb' }],
    ['externalId', 'of a lone surrogate', { externalId: '\ud800' }],
    ['name', 'of 101 characters', { name: 'x'.repeat(101) }],
    ['metadata', 'of over 4 KiB', { metadata: { a: 'x'.repeat(4_096) } }],
    ['metadata', 'with a NUL', { metadata: { a: 'NUL \u0000' } }],
    ['metadata', 'with a lone surrogate', { metadata: { 'lone \ud800': 1 } }],
    [
      'metadata',
      'with a number that Postgres writes at length',
      { metadata: { a: [{ b: 1e300 }] } },
    ],
    ['subscriptionStatus', 'without a plan', { subscriptionStatus: 'active' }],
    ['currentPeriodEnd', 'without a plan', { currentPeriodEnd: PERIOD_END }],
    ['billingDay', 'of 0', { billingDay: 0 }],
    ['billingDay', 'of 29', { billingDay: 29 }],
    ['billingDay', 'of a fraction', { billingDay: 1.5 }],
    ['dailyQuota', 'above the largest', { dailyQuota: 1_000_000_000_001 }],
    ['monthlyQuota', 'below 0', { monthlyQuota: -1 }],
    ['rateLimitPerMinute', 'above the largest', { rateLimitPerMinute: 2_147_483_648 }],
  ] as [string, string, Partial<CreateCustomerInput>][])(
    'is refused for a wrong %s, which is named: one %s',
    async (field, _, fields) => {
      const { projectId } = await makeProject(bench.ctx);
      const refused = createCustomer(bench.ctx, { projectId, externalId: 'acme', ...fields });
      await expect(refused).rejects.toThrow(InvalidInputError);
      await expect(refused).rejects.toMatchObject({ problems: [{ field }] });
    },
  );

  test('may have metadata of 4 KiB, whatever spaces Postgres writes in it', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const metadata = Object.fromEntries(
      Array.from({ length: 580 }, (_, index) => [index.toString(36).padStart(2, '0'), 1]),
    );
    expect(JSON.stringify(metadata).length).toBeGreaterThan(4_000);
    expect(await makeCustomer(bench.ctx, projectId, { metadata })).toMatchObject({ metadata });
  });

  test('of a project that does not exist, or on a plan that it does not have, is refused', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const stranger = await makeProject(bench.ctx);
    await makeCustomerPlan(bench.db, stranger.projectId, { name: 'Theirs' });
    const input = { externalId: 'acme', plan: 'Theirs' };
    expect(await createCustomer(bench.ctx, { ...input, projectId })).toEqual({
      kind: 'unknown_plan',
    });
    expect(await createCustomer(bench.ctx, { ...input, projectId: randomUUID() })).toEqual({
      kind: 'not_found',
    });
  });
});

describe('a customer that is created again', () => {
  const FIELDS = {
    externalId: 'acme',
    name: 'Acme',
    metadata: { a: 1, b: { c: [2], d: 3 } },
    plan: 'Gold',
    currentPeriodEnd: PERIOD_END,
    billingDay: 3,
    monthlyQuota: 7,
  } as const;

  async function makeAcme() {
    const { projectId } = await makeProject(bench.ctx);
    await makeCustomerPlan(bench.db, projectId, { name: 'Gold' });
    const customer = await makeCustomer(bench.ctx, projectId, FIELDS);
    return { projectId, customer };
  }

  test.each([
    ['the same fields', FIELDS],
    ['its id alone', { externalId: 'acme' }],
    ['metadata in another order', { externalId: 'acme', metadata: { b: { d: 3, c: [2] }, a: 1 } }],
    ['its default status', { ...FIELDS, subscriptionStatus: 'active' }],
  ] as const)('with %s is answered as it is, and nothing is written', async (_, fields) => {
    const { projectId, customer } = await makeAcme();
    const before = await countAuditRows(bench.db);
    const again = await createCustomer(bench.ctx, { projectId, ...fields });
    expect(again).toEqual({ kind: 'exists', customer });
    expect(await countAuditRows(bench.db)).toBe(before);
  });

  test('with a negative zero, which Postgres stores as 0, is answered as it is', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const fields = { externalId: 'acme', metadata: { a: -0, b: { c: [-0] } }, dailyQuota: -0 };
    const customer = await makeCustomer(bench.ctx, projectId, fields);
    expect(customer).toMatchObject({ metadata: { a: 0, b: { c: [0] } }, dailyQuota: 0 });
    const again = await createCustomer(bench.ctx, { projectId, ...fields });
    expect(again).toEqual({ kind: 'exists', customer });
  });

  test.each([
    ['name', { name: 'Other' }],
    ['metadata', { metadata: { a: 1 } }],
    ['plan', { plan: 'Silver' }],
    ['plan', { plan: null }],
    ['subscriptionStatus', { plan: 'Gold', subscriptionStatus: 'past_due' }],
    ['currentPeriodEnd', { plan: 'Gold', currentPeriodEnd: null }],
    ['billingDay', { billingDay: 1 }],
    ['monthlyQuota', { monthlyQuota: 8 }],
    ['dailyQuota', { dailyQuota: 0 }],
  ] as [string, Partial<CreateCustomerInput>][])(
    'with another %s is a conflict that names it',
    async (field, fields) => {
      const { projectId, customer } = await makeAcme();
      const again = { projectId, externalId: 'acme', ...fields };
      expect(await createCustomer(bench.ctx, again)).toEqual({ kind: 'conflict', field });
      const ref = { projectId, customerId: customer.customerId };
      expect(await getCustomer(bench.db, ref)).toEqual(customer);
    },
  );

  test('is one customer, however many calls create it at once', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const results = await Promise.all(
      Array.from({ length: 10 }, () =>
        createCustomer(bench.ctx, { projectId, externalId: 'acme', name: 'Acme' }),
      ),
    );
    expect(results.map(({ kind }) => kind).sort()).toEqual([
      'created',
      ...Array.from({ length: 9 }, () => 'exists'),
    ]);
    const ids = results.map((result) => ('customer' in result ? result.customer.customerId : ''));
    expect(new Set(ids).size).toBe(1);
  });
});

describe('a change of a customer', () => {
  test('sets what is given and keeps the rest', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const gold = await makeCustomerPlan(bench.db, projectId, { name: 'Gold' });
    const made = await makeCustomer(bench.ctx, projectId, { name: 'Acme', monthlyQuota: 5 });
    const ref = { projectId, customerId: made.customerId };
    const steps = [
      [{ plan: 'Gold' }, { plan: gold, subscriptionStatus: 'active' }],
      [{ subscriptionStatus: 'past_due' }, { subscriptionStatus: 'past_due' }],
      [{ currentPeriodEnd: PERIOD_END }, { currentPeriodEnd: PERIOD_END }],
      [{ currentPeriodEnd: null }, { currentPeriodEnd: null }],
      [{ externalId: 'other' }, { externalId: 'other' }],
      [{ metadata: { a: 1 } }, { metadata: { a: 1 } }],
      [{ metadata: { b: 2 } }, { metadata: { b: 2 } }],
      [
        { name: '', monthlyQuota: null },
        { name: '', monthlyQuota: null },
      ],
      [{ plan: null }, { plan: null, subscriptionStatus: null, currentPeriodEnd: null }],
    ] as const;
    let expected = made;
    for (const [given, changed] of steps) {
      expected = { ...expected, ...changed };
      const result = await updateCustomer(bench.ctx, { ...ref, ...given });
      expect(result, JSON.stringify(given)).toEqual({ kind: 'updated', customer: expected });
      expect(await getCustomer(bench.db, ref)).toEqual(expected);
    }
  });

  test('clears status and period end together with the plan', async () => {
    const { projectId } = await makeProject(bench.ctx);
    await makeCustomerPlan(bench.db, projectId, { name: 'Gold' });
    const fields = { plan: 'Gold', subscriptionStatus: 'canceled' } as const;
    const { customerId } = await makeCustomer(bench.ctx, projectId, {
      ...fields,
      currentPeriodEnd: PERIOD_END,
    });
    const cleared = await updateCustomer(bench.ctx, { projectId, customerId, plan: null });
    expect(cleared).toMatchObject({
      customer: { plan: null, subscriptionStatus: null, currentPeriodEnd: null },
    });
    const again = await updateCustomer(bench.ctx, { projectId, customerId, plan: 'Gold' });
    expect(again).toMatchObject({
      customer: { subscriptionStatus: 'active', currentPeriodEnd: null },
    });
  });

  test.each([
    { subscriptionStatus: 'active' },
    { currentPeriodEnd: PERIOD_END },
    { plan: null, subscriptionStatus: 'active' },
  ] as const)('is refused that needs a plan where there is none: %j', async (fields) => {
    const { projectId } = await makeProject(bench.ctx);
    const { customerId } = await makeCustomer(bench.ctx, projectId);
    const refused = updateCustomer(bench.ctx, { projectId, customerId, ...fields });
    await expect(refused).rejects.toThrow(/ needs a plan$/);
  });

  test('to what it is already writes nothing', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const fields = { metadata: { a: 1, b: 0 }, dailyQuota: 0 };
    const customer = await makeCustomer(bench.ctx, projectId, fields);
    const before = await countAuditRows(bench.db);
    const same = { metadata: { b: -0, a: 1 }, dailyQuota: -0, billingDay: 1, name: '' };
    const { customerId } = customer;
    expect(await updateCustomer(bench.ctx, { projectId, customerId, ...same })).toEqual({
      kind: 'unchanged',
      customer,
    });
    expect(await countAuditRows(bench.db)).toBe(before);
  });

  test('to the external id of another customer is a conflict', async () => {
    const { projectId } = await makeProject(bench.ctx);
    await makeCustomer(bench.ctx, projectId, { externalId: 'acme' });
    const { customerId } = await makeCustomer(bench.ctx, projectId);
    const taken = { projectId, customerId, externalId: 'acme' };
    expect(await updateCustomer(bench.ctx, taken)).toEqual({
      kind: 'conflict',
      field: 'externalId',
    });
  });

  test('to a plan that the project does not have is refused', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const { customerId } = await makeCustomer(bench.ctx, projectId);
    const unknown = await updateCustomer(bench.ctx, { projectId, customerId, plan: 'Gold' });
    expect(unknown).toEqual({ kind: 'unknown_plan' });
  });
});

describe('a suspended customer', () => {
  test('is suspended once, resumed once, and each is audited', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const customer = await makeCustomer(bench.ctx, projectId);
    const ref = { projectId, customerId: customer.customerId };
    const suspended = expectKind(await suspendCustomer(bench.ctx, ref), 'updated');
    expect(suspended.customer).toEqual({ ...customer, suspendedAt: expect.any(Date) });
    expect(await suspendCustomer(bench.ctx, ref)).toEqual({ ...suspended, kind: 'unchanged' });
    expect(await resumeCustomer(bench.ctx, ref)).toEqual({ kind: 'updated', customer });
    expect(await resumeCustomer(bench.ctx, ref)).toEqual({ kind: 'unchanged', customer });
    const actions = (await auditOf(bench.db, ref.customerId)).map(({ action }) => action);
    expect(actions).toEqual(['customer.create', 'customer.suspend', 'customer.resume']);
  });
});

test('the audit log has neither name nor metadata of a customer, only that they changed', async () => {
  const { projectId } = await makeProject(bench.ctx);
  const fields = { name: 'Ana Personal', metadata: { mail: 'ana@example.com' } };
  const { customerId, externalId } = await makeCustomer(bench.ctx, projectId, fields);
  await updateCustomer(bench.ctx, { projectId, customerId, name: '', metadata: {}, billingDay: 2 });
  const rows = await auditOf(bench.db, customerId);
  expect(JSON.stringify(rows)).not.toMatch(/Ana|example\.com/);
  expect(rows[1]).toMatchObject({
    label: externalId,
    before: { billingDay: 1 },
    after: { billingDay: 2, changedTexts: ['name', 'metadata'] },
  });
});

describe("another project's customer", () => {
  test('is not found by any verb', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const stranger = await makeProject(bench.ctx);
    const theirs = await makeCustomer(bench.ctx, stranger.projectId);
    const ref = { projectId, customerId: theirs.customerId };
    expect(await getCustomer(bench.db, ref)).toBeNull();
    const notFound = { kind: 'not_found' };
    expect(await updateCustomer(bench.ctx, { ...ref, name: 'Mine' })).toEqual(notFound);
    expect(await suspendCustomer(bench.ctx, ref)).toEqual(notFound);
    expect(await resumeCustomer(bench.ctx, ref)).toEqual(notFound);
    const again = { ...ref, projectId: stranger.projectId };
    expect(await getCustomer(bench.db, again)).toEqual(theirs);
  });

  test('may have the same external id', async () => {
    const mine = await makeProject(bench.ctx);
    const theirs = await makeProject(bench.ctx);
    const one = await makeCustomer(bench.ctx, mine.projectId, { externalId: 'acme' });
    const other = await makeCustomer(bench.ctx, theirs.projectId, { externalId: 'acme' });
    expect(one.customerId).not.toBe(other.customerId);
  });

  test('cannot be given a key or a plan across projects, not even by plain SQL', async () => {
    const mine = await makeProject(bench.ctx);
    const theirs = await makeProject(bench.ctx);
    const key = await makeKey(bench.ctx, mine.projectId);
    const { customerId } = await makeCustomer(bench.ctx, theirs.projectId);
    const plan = await makeCustomerPlan(bench.db, mine.projectId);
    const { sql } = bench.db;
    await expect(
      sql`update api_keys set customer_id = ${customerId} where id = ${key.apiKeyId}`,
    ).rejects.toThrow('api_keys_customer_fkey');
    await expect(
      sql`update customers set plan_id = ${plan.planId}, subscription_status = 'active'
        where id = ${customerId}`,
    ).rejects.toThrow('customers_plan_fkey');
  });
});
