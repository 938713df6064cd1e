/** The routes of customers and of usage, and what keys have of both. */
import { randomUUID } from 'node:crypto';
import {
  apiKeyCreateResultSchema,
  apiKeySummarySchema,
  customerListResultSchema,
  customerSchema,
  customerUsageResultSchema,
  usageResultSchema,
} from '@ceiba/contract';
import { afterAll, describe, expect, it } from 'vitest';
import { type Reply, runtimeClient, type TestProject } from '../../support/scenario.ts';
import { expectError, expectOk, FIELDS } from './assertions.ts';
import { startWorld } from './setup.ts';

const { world, runtime } = await startWorld();

afterAll(() => {
  // Nothing that this file sent was an error of the Runtime.
  expect(runtime.stdout()).not.toMatch(/"level":"(?:error|fatal)"/);
});

const PERIOD_END = '2031-01-01T00:00:00.000Z';

/** Calls below the address of one project. */
function callerOf(project: TestProject) {
  const client = runtimeClient(runtime.url, project);
  const at = (path: string) => `/rt/projects/${project.projectId}${path}`;
  return {
    ...client,
    get: (path: string) => client.call('GET', at(path)),
    post: (path: string, body?: unknown) =>
      client.call('POST', at(path), body === undefined ? {} : { body }),
    patch: (path: string, body: unknown) => client.call('PATCH', at(path), { body }),
  };
}

async function makeProject(plans: readonly { name: string; activeKeyCap?: number }[] = []) {
  const project = await world.createProject();
  for (const { name, activeKeyCap = null } of plans) {
    await world.db.sql`
      insert into customer_plans (project_id, name, active_key_cap)
      values (${project.projectId}, ${name}, ${activeKeyCap})`;
  }
  return { project, ...callerOf(project) };
}

const nested = (levels: number): object => (levels === 0 ? {} : { a: nested(levels - 1) });

const customerOf = (reply: Reply) => expectOk(reply, customerSchema, FIELDS.customer);
const keyOf = (reply: Reply, more: readonly string[] = []) =>
  expectOk(reply, apiKeySummarySchema, [...FIELDS.apiKey, ...more]);
const createdKeyOf = (reply: Reply) => expectOk(reply, apiKeyCreateResultSchema, FIELDS.created);

const mine = await makeProject([{ name: 'Gold' }]);
const theirs = await makeProject([{ name: 'Theirs' }]);

describe('POST …/customers', () => {
  it('answers the customer with every field, null where it is not set', async () => {
    const { post } = await makeProject();
    const customer = customerOf(await post('/customers', { externalId: 'acme' }));
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
      createdAt: expect.any(String),
    });
  });

  it('takes every field, and compares those that are given when it is repeated', async () => {
    const { get, post, patch } = await makeProject([{ name: 'Gold' }]);
    const body = {
      externalId: 'acme',
      name: 'Acme',
      metadata: { tier: 'gold', seats: [1, 2] },
      plan: 'Gold',
      subscriptionStatus: 'trialing',
      currentPeriodEnd: '2031-01-01T01:00:00+01:00',
      billingDay: 15,
      rateLimitPerMinute: 10,
      dailyQuota: 1_000_000_000_000,
      monthlyQuota: 0,
    };
    const customer = customerOf(await post('/customers', body));
    const plan = { planId: expect.any(String), name: 'Gold' };
    expect(customer).toMatchObject({ ...body, plan, currentPeriodEnd: PERIOD_END });
    expect(customerOf(await post('/customers', body))).toEqual(customer);
    await patch(`/customers/${customer.customerId}`, { name: 'Acme Ltd' });
    const another = await post('/customers', body);
    expectError(another, 'conflict', 'The customer of this "externalId" has another "name".');
    const again = customerOf(await post('/customers', { externalId: 'acme', billingDay: 15 }));
    expect(again).toEqual({ ...customer, name: 'Acme Ltd' });
    expect(customerOf(await get(`/customers/${customer.customerId}`))).toEqual(again);
  });

  it('creates one customer, however many calls do so at once', async () => {
    const { post } = await makeProject();
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => post('/customers', { externalId: 'acme' })),
    );
    expect(new Set(replies.map((reply) => customerOf(reply).customerId)).size).toBe(1);
  });
});

describe('a field of a customer', () => {
  it.each([
    ['externalId', null],
    ['externalId', ''],
    ['externalId', 7],
    ['externalId', 'x'.repeat(256)],
    ['name', null],
    ['name', 'x'.repeat(101)],
    ['metadata', null],
    ['metadata', []],
    ['metadata', { a: 'x'.repeat(4_096) }],
    ['metadata', { a: 1e300 }],
    ['metadata', JSON.parse('{"__proto__": 1}')],
    ['plan', 7],
    ['plan', 'Silver'],
    ['plan', '\0'],
    ['metadata', nested(33)],
    ['plan', 'Theirs'],
    ['subscriptionStatus', null],
    ['subscriptionStatus', 'paid'],
    ['currentPeriodEnd', 'soon'],
    ['billingDay', null],
    ['billingDay', 0],
    ['billingDay', 29],
    ['billingDay', '15'],
    ['rateLimitPerMinute', 2_147_483_648],
    ['rateLimitPerMinute', -1],
    ['dailyQuota', 1_000_000_000_001],
    ['dailyQuota', 1.5],
    ['monthlyQuota', '5'],
    ['suspendedAt', null],
    ['customerId', randomUUID()],
    ['nonsense', 1],
  ])('that is wrong is a 400 that names it, on POST and PATCH: %s', async (field, value) => {
    const { customerId } = customerOf(await mine.post('/customers', { externalId: randomUUID() }));
    const plan = field === 'plan' ? {} : { plan: 'Gold' };
    const replies = [
      await mine.post('/customers', { externalId: randomUUID(), ...plan, [field]: value }),
      await mine.patch(`/customers/${customerId}`, { ...plan, [field]: value }),
    ];
    for (const reply of replies) expectError(reply, 'invalid_request', `"${field}" `);
  });

  it.each([
    ['subscriptionStatus', 'active'],
    ['currentPeriodEnd', PERIOD_END],
  ])('that needs a plan is a 400 without one: %s', async (field, value) => {
    const body = { externalId: randomUUID(), [field]: value };
    expectError(await mine.post('/customers', body), 'invalid_request', `"${field}" needs a plan.`);
    const { customerId } = customerOf(await mine.post('/customers', { externalId: randomUUID() }));
    const address = `/customers/${customerId}`;
    for (const change of [{ [field]: value }, { [field]: value, plan: null }]) {
      const reply = await mine.patch(address, change);
      expectError(reply, 'invalid_request', `"${field}" needs a plan.`);
    }
    expect(customerOf(await mine.get(address))).toMatchObject({ plan: null, [field]: null });
  });

  it('is required if it is the external id', async () => {
    expectError(await mine.post('/customers', {}), 'invalid_request', '"externalId" is required.');
  });
});

describe('PATCH …/customers/{customerId}', () => {
  it('changes what is given; null clears a number, the period end, and with the plan its state', async () => {
    const { get, post, patch } = await makeProject([{ name: 'Gold' }]);
    const made = customerOf(
      await post('/customers', { externalId: 'acme', plan: 'Gold', monthlyQuota: 5 }),
    );
    const address = `/customers/${made.customerId}`;
    const steps = [
      [{ currentPeriodEnd: PERIOD_END }, { currentPeriodEnd: PERIOD_END }],
      [{ currentPeriodEnd: null }, { currentPeriodEnd: null }],
      [
        { externalId: 'other', metadata: { a: 1 } },
        { externalId: 'other', metadata: { a: 1 } },
      ],
      [
        { metadata: {}, name: 'Acme' },
        { metadata: {}, name: 'Acme' },
      ],
      [
        { subscriptionStatus: 'canceled', monthlyQuota: null },
        { subscriptionStatus: 'canceled', monthlyQuota: null },
      ],
      [{ plan: null }, { plan: null, subscriptionStatus: null }],
    ] as const;
    let expected: object = made;
    for (const [change, changed] of steps) {
      expected = { ...expected, ...changed };
      expect(customerOf(await patch(address, change))).toEqual(expected);
      expect(customerOf(await get(address))).toEqual(expected);
    }
  });

  it('needs at least one field', async () => {
    const { customerId } = customerOf(await mine.post('/customers', { externalId: randomUUID() }));
    const reply = await mine.patch(`/customers/${customerId}`, {});
    expectError(reply, 'invalid_request', 'must have at least one field');
  });

  it('to an external id that is taken is a conflict that names it', async () => {
    const { post, patch } = await makeProject();
    await post('/customers', { externalId: 'acme' });
    const { customerId } = customerOf(await post('/customers', { externalId: 'other' }));
    const reply = await patch(`/customers/${customerId}`, { externalId: 'acme' });
    expectError(reply, 'conflict', 'Another customer of the project has this "externalId".');
  });
});

describe('POST …/suspend and …/resume', () => {
  it('answer the customer, may be repeated, and decide the next call of each of its keys', async () => {
    const { post, authorize } = await makeProject();
    const key = createdKeyOf(
      await post('/api-keys', { displayName: 'Job', externalCustomerId: 'acme' }),
    );
    const ask = async () => (await authorize({ apiKey: key.plaintextKey })).json;
    const customer = customerOf(await post('/customers', { externalId: 'acme' }));
    const address = `/customers/${customer.customerId}`;
    expect(await ask()).toMatchObject({ allowed: true });
    const suspended = customerOf(await post(`${address}/suspend`, {}));
    expect(suspended).toEqual({ ...customer, suspendedAt: expect.any(String) });
    expect(await ask()).toMatchObject({ allowed: false, denialReason: 'inactive_subscription' });
    expect(customerOf(await post(`${address}/suspend`))).toEqual(suspended);
    expect(customerOf(await post(`${address}/resume`))).toEqual(customer);
    expect(await ask()).toMatchObject({ allowed: true });
    expect(customerOf(await post(`${address}/resume`, {}))).toEqual(customer);
    const unknown = await post(`${address}/resume`, { why: 'paid' });
    expectError(unknown, 'invalid_request', '"why" is not a known field.');
  });
});

describe('GET …/customers', () => {
  it('lists pages, newest first, of those that every filter selects', async () => {
    const { get, post } = await makeProject();
    const names = ['Acme', 'Ünder Acme', 'Bolt', 'Bolt_2'];
    const made = [];
    for (const [index, name] of names.entries()) {
      made.push(customerOf(await post('/customers', { externalId: `customer-${index}`, name })));
    }
    const [acme, under, bolt, second] = made;
    await post(`/customers/${bolt!.customerId}/suspend`);
    const list = async (query: string) => {
      const reply = await get(`/customers${query}`);
      const page = expectOk(reply, customerListResultSchema, FIELDS.customerList);
      return { ids: page.customers.map(({ customerId }) => customerId), next: page.nextCursor };
    };
    const idsOf = (...of: (typeof acme)[]) => of.map((customer) => customer?.customerId);
    expect(await list('')).toEqual({ ids: idsOf(second, bolt, under, acme), next: null });
    const first = await list('?limit=3');
    expect(first.ids).toEqual(idsOf(second, bolt, under));
    const rest = await list(`?limit=3&cursor=${first.next}`);
    expect(rest).toEqual({ ids: idsOf(acme), next: null });
    expect(await list('?externalId=customer-1')).toMatchObject({ ids: idsOf(under) });
    expect(await list('?status=suspended')).toMatchObject({ ids: idsOf(bolt) });
    expect(await list('?status=active&search=bolt')).toMatchObject({ ids: idsOf(second) });
    expect(await list('?search=ACME')).toMatchObject({ ids: idsOf(under, acme) });
    expect(await list('?search=%C3%BCnder')).toMatchObject({ ids: idsOf(under) });
    expect(await list('?search=_2')).toMatchObject({ ids: idsOf(second) });
    expect(await list('?search=omer-1')).toMatchObject({ ids: idsOf(under) });
    expect(await list('?search=&status=')).toMatchObject({ ids: idsOf(second, bolt, under, acme) });
  });

  it('after a cursor whose matches are gone has no customers, and no next cursor', async () => {
    const { get, post } = await makeProject();
    const [last, first] = [
      customerOf(await post('/customers', { externalId: 'last' })),
      customerOf(await post('/customers', { externalId: 'first' })),
    ].map(({ customerId }) => customerId);
    for (const id of [last, first]) await post(`/customers/${id}/suspend`);
    const { nextCursor } = (await get('/customers?status=suspended&limit=1')).json as {
      nextCursor: string;
    };
    await post(`/customers/${last}/resume`);
    for (const cursor of [nextCursor, `after.${last}`]) {
      const reply = await get(`/customers?status=suspended&cursor=${cursor}`);
      const page = expectOk(reply, customerListResultSchema, FIELDS.customerList);
      expect(page).toEqual({ customers: [], nextCursor: null });
    }
  });

  it('refuses a cursor that is not a customer of the project with a 400 that names it', async () => {
    const { get, post } = await makeProject();
    await post('/customers', { externalId: 'acme' });
    const stranger = customerOf(await theirs.post('/customers', { externalId: 'stranger' }));
    for (const id of [randomUUID(), stranger.customerId]) {
      expectError(
        await get(`/customers?cursor=after.${id}`),
        'invalid_request',
        '"cursor" must be a "nextCursor" of this list.',
      );
    }
  });

  it.each([
    ['limit', 'limit=0'],
    ['limit', 'limit=501'],
    ['cursor', 'cursor=before.1'],
    ['status', 'status=paid'],
    ['nonsense', 'nonsense=1'],
    ['search', 'search=a&search=b'],
  ])('refuses a wrong %s by its name', async (parameter, query) => {
    const reply = await mine.get(`/customers?${query}`);
    expectError(reply, 'invalid_request', `"${parameter}" `);
  });
});

describe('a key', () => {
  const fieldsOf = (...fields: string[]) => fields;

  it('is created with its customer, scopes and limits, which its read shape has', async () => {
    const { get, post, listKeys } = await makeProject();
    const { customerId } = customerOf(await post('/customers', { externalId: 'acme' }));
    const limits = { rateLimitPerMinute: 5, dailyQuota: 6, monthlyQuota: 7 };
    const body = { displayName: 'Job', scopes: ['b', 'a', 'b'], expiresAt: PERIOD_END, ...limits };
    const { apiKeyId } = createdKeyOf(await post('/api-keys', { ...body, customerId }));
    const fields = fieldsOf('customer', 'scopes', ...Object.keys(limits));
    const key = keyOf(await get(`/api-keys/${apiKeyId}`), fields);
    const customer = { customerId, externalId: 'acme' };
    expect(key).toMatchObject({ customer, scopes: ['a', 'b'], expiresAt: PERIOD_END, ...limits });
    expect((await listKeys()).json).toEqual({ apiKeys: [key] });
  });

  it('by an external id makes its customer', async () => {
    const { get, post } = await makeProject();
    const body = { displayName: 'Job', externalCustomerId: 'new one' };
    const { apiKeyId } = createdKeyOf(await post('/api-keys', body));
    const key = keyOf(await get(`/api-keys/${apiKeyId}`), ['customer']);
    const found = customerOf(await get(`/customers/${key.customer?.customerId}`));
    expect(found).toMatchObject({ externalId: 'new one', name: '' });
  });

  it('is changed by any subset, and null clears', async () => {
    const { post, patch } = await makeProject();
    const { apiKeyId } = createdKeyOf(await post('/api-keys', { displayName: 'Job' }));
    const address = `/api-keys/${apiKeyId}`;
    const change = { displayName: 'Other', scopes: [], externalCustomerId: 'acme', dailyQuota: 3 };
    const fields = fieldsOf('customer', 'scopes', 'dailyQuota');
    expect(keyOf(await patch(address, change), fields)).toMatchObject({
      displayName: 'Other',
      scopes: [],
      customer: { externalId: 'acme' },
      dailyQuota: 3,
    });
    expect(keyOf(await patch(address, { scopes: null, dailyQuota: null }), ['customer'])).toEqual(
      expect.objectContaining({ displayName: 'Other' }),
    );
    keyOf(await patch(address, { customerId: null }));
    const expired = keyOf(await patch(address, { expiresAt: PERIOD_END }));
    expect(expired).toMatchObject({ expiresAt: PERIOD_END });
    expectError(await patch(address, {}), 'invalid_request', 'must have at least one field');
  });

  it.each([
    ['customerId', { customerId: randomUUID(), externalCustomerId: 'acme' }],
    ['customerId', { customerId: null, externalCustomerId: null }],
    ['customerId', { customerId: 'acme' }],
    ['externalCustomerId', { externalCustomerId: '' }],
    ['scopes', { scopes: 'read' }],
    ['scopes', { scopes: ['Not a label'] }],
    ['scopes.0', { scopes: [null] }],
    ['expiresAt', { expiresAt: 'soon' }],
    ['monthlyQuota', { monthlyQuota: 1e12 + 1 }],
    ['dailyQuota', { dailyQuota: 0.5 }],
    ['displayName', { displayName: null }],
    ['status', { status: 'revoked' }],
  ])('is refused for a wrong %s by its name, on POST and PATCH', async (field, fields) => {
    const { apiKeyId } = createdKeyOf(await mine.post('/api-keys', { displayName: 'Job' }));
    const replies = [
      await mine.post('/api-keys', { displayName: 'Job', ...fields }),
      await mine.patch(`/api-keys/${apiKeyId}`, fields),
    ];
    for (const reply of replies) expectError(reply, 'invalid_request', `"${field}" `);
  });

  it.each([2 ** 53, '5', 0.5])(
    'is refused for %j as a limit in plain words',
    async (dailyQuota) => {
      const reply = await mine.post('/api-keys', { displayName: 'Job', dailyQuota });
      expectError(reply, 'invalid_request', '"dailyQuota" must be a whole number, 0 or more.');
    },
  );

  it.each([
    { displayName: 'Other' },
    { customerId: null },
    { externalCustomerId: 'acme' },
    { scopes: [] },
    { expiresAt: null },
    { rateLimitPerMinute: 1 },
  ])('that is not active is a conflict for every field: %j', async (change) => {
    const { post, patch } = mine;
    const { apiKeyId } = createdKeyOf(await post('/api-keys', { displayName: 'Job' }));
    await post(`/api-keys/${apiKeyId}/archive`);
    const reply = await patch(`/api-keys/${apiKeyId}`, change);
    expectError(reply, 'conflict', 'Only an active key can be changed; this one is archived.');
  });

  it('is neither created in nor moved into a customer that is full', async () => {
    const { post, patch } = await makeProject([{ name: 'One', activeKeyCap: 1 }]);
    const { customerId } = customerOf(
      await post('/customers', { externalId: 'acme', plan: 'One' }),
    );
    const { apiKeyId } = createdKeyOf(await post('/api-keys', { displayName: 'Outside' }));
    createdKeyOf(await post('/api-keys', { displayName: 'Inside', customerId }));
    const message = 'The plan of the customer allows 1 active key.';
    const refused = [
      await post('/api-keys', { displayName: 'Job', customerId }),
      await post('/api-keys', { displayName: 'Job', externalCustomerId: 'acme' }),
      await patch(`/api-keys/${apiKeyId}`, { customerId }),
      await patch(`/api-keys/${apiKeyId}`, { externalCustomerId: 'acme' }),
    ];
    for (const reply of refused) expectError(reply, 'plan_limit_reached', message);
  });
});

it('a key charges the customer that it has at the time, and no other', async () => {
  const { post, patch, get, authorize } = await makeProject();
  const make = async (externalId: string) =>
    customerOf(await post('/customers', { externalId, dailyQuota: 2 })).customerId;
  const [first, second] = [await make('first'), await make('second')];
  const body = { displayName: 'Job', customerId: first };
  const { apiKeyId, plaintextKey } = createdKeyOf(await post('/api-keys', body));
  const ask = async () => (await authorize({ apiKey: plaintextKey })).json;
  const move = (customerId: string | null) => patch(`/api-keys/${apiKeyId}`, { customerId });
  const refused = {
    allowed: false,
    denialReason: 'quota_exceeded',
    exceededLimit: { owner: 'customer', window: 'day', value: 2 },
  };
  const allowedOf = (customerId: string) => ({
    allowed: true,
    access: { customer: { customerId } },
  });
  for (const customerId of [first, second]) {
    await move(customerId);
    expect(await ask()).toMatchObject(allowedOf(customerId));
    expect(await ask()).toMatchObject(allowedOf(customerId));
    expect(await ask()).toMatchObject(refused);
  }
  await move(first);
  expect(await ask()).toMatchObject(refused);
  await move(null);
  const free = await ask();
  expect(free).toMatchObject({ allowed: true });
  expect(free).not.toHaveProperty('access.customer');
  for (const customerId of [first, second]) {
    const period = async () => {
      const { json } = await get(`/customers/${customerId}/usage`);
      return (json as { period: unknown }).period;
    };
    await expect.poll(period, { timeout: 20_000 }).toMatchObject({ cost: 2, dailyCost: 2 });
  }
});

describe('usage', () => {
  it('of a customer, of a key and of the project is that of their calls, with the cost', async () => {
    const { get, post, authorize } = await makeProject();
    const make = async (fields: object) =>
      createdKeyOf(await post('/api-keys', { displayName: 'Job', ...fields }));
    const own = await make({ externalCustomerId: 'acme' });
    const other = await make({});
    const { customerId } = customerOf(await post('/customers', { externalId: 'acme' }));
    const ask = (apiKey: string, more: object) => authorize({ apiKey, ...more });
    await ask(own.plaintextKey, { cost: 75 });
    await ask(own.plaintextKey, { cost: 0 });
    await ask(own.plaintextKey, { path: '/unknown' });
    await ask(other.plaintextKey, {});
    const read = async (path: string) => {
      const schema = path.startsWith('/customers') ? customerUsageResultSchema : usageResultSchema;
      const fields = path.startsWith('/customers') ? FIELDS.customerUsage : FIELDS.usage;
      const usage = expectOk(await get(path), schema, fields);
      return { ...usage, last: usage.usage.at(-1) };
    };
    await expect
      .poll(async () => (await read(`/customers/${customerId}/usage`)).last, { timeout: 20_000 })
      .toMatchObject({ allowed: 2, denied: 1, cost: 75 });
    expect(await read(`/customers/${customerId}/usage`)).toMatchObject({
      step: 'day',
      usage: { length: 30 },
      period: { cost: 75, dailyCost: 75 },
    });
    expect((await read(`/api-keys/${other.apiKeyId}/usage`)).last).toMatchObject({
      allowed: 1,
      denied: 0,
      cost: 1,
    });
    expect((await read('/usage?step=month')).last).toMatchObject({
      allowed: 3,
      denied: 1,
      cost: 76,
    });
  });

  it('takes a range, which is widened to whole steps', async () => {
    const reply = await mine.get('/usage?from=2026-06-10T05:00:00Z&to=2026-06-11T00:00:01Z');
    expect(expectOk(reply, usageResultSchema, FIELDS.usage)).toEqual({
      from: '2026-06-10T00:00:00.000Z',
      to: '2026-06-12T00:00:00.000Z',
      step: 'day',
      usage: [
        { from: '2026-06-10T00:00:00.000Z', allowed: 0, denied: 0, cost: 0 },
        { from: '2026-06-11T00:00:00.000Z', allowed: 0, denied: 0, cost: 0 },
      ],
    });
  });

  it.each([
    ['from', 'from=yesterday'],
    ['step', 'step=hour'],
    ['from', 'from=2020-01-01T00:00:00Z'],
    ['to', 'from=2026-06-11T00:00:00Z&to=2026-06-11T00:00:00Z'],
    ['to', 'from=9999-12-31T00:00:00Z&to=9999-12-31T23:59:59Z'],
    ['from', 'to=0100-01-10T00:00:00Z&step=month'],
    ['nonsense', 'nonsense=1'],
  ])('refuses a wrong %s by its name', async (parameter, query) => {
    expectError(await mine.get(`/usage?${query}`), 'invalid_request', `"${parameter}" `);
  });
});

describe('usage of more keys than can be read in time', () => {
  it('is refused by the name of the parameter that helps', async () => {
    const { project, post, get } = await makeProject();
    const { customerId } = customerOf(await post('/customers', { externalId: 'crowd' }));
    await world.db.sql`
      insert into api_keys (project_id, customer_id, display_name, key_prefix, key_digest)
      select ${project.projectId}, ${customerId}, 'key', 'ceiba_x', sha256(n::text::bytea)
      from generate_series(1, 9000) n`;
    const since = (from: string) =>
      get(`/customers/${customerId}/usage?from=${from}T00:00:00Z&to=2026-06-01T00:00:00Z`);
    expectError(await since('2025-05-01'), 'invalid_request', '"from" must be later');
    expectOk(await since('2026-05-01'), customerUsageResultSchema, FIELDS.customerUsage);
  });
});

describe("another project's customer or key", () => {
  it('is answered like one that does not exist, also where a body names it', async () => {
    const theirCustomer = customerOf(await theirs.post('/customers', { externalId: 'acme' }));
    const theirKey = createdKeyOf(await theirs.post('/api-keys', { displayName: 'Theirs' }));
    const myKey = createdKeyOf(await mine.post('/api-keys', { displayName: 'Mine' }));
    const ask: Record<string, (customerId: string) => Promise<Reply>> = {
      get: (id) => mine.get(`/customers/${id}`),
      patch: (id) => mine.patch(`/customers/${id}`, { name: 'Mine' }),
      suspend: (id) => mine.post(`/customers/${id}/suspend`),
      resume: (id) => mine.post(`/customers/${id}/resume`),
      usage: (id) => mine.get(`/customers/${id}/usage`),
      create: (customerId) => mine.post('/api-keys', { displayName: 'Job', customerId }),
      move: (customerId) => mine.patch(`/api-keys/${myKey.apiKeyId}`, { customerId }),
    };
    for (const [name, call] of Object.entries(ask)) {
      const message = 'The project has no such customer.';
      const [foreign, unknown] = [await call(theirCustomer.customerId), await call(randomUUID())];
      expectError(foreign, 'not_found', message);
      expectError(unknown, 'not_found', message);
      expect(foreign.status, name).toBe(unknown.status);
    }
    expectError(await mine.get(`/api-keys/${theirKey.apiKeyId}/usage`), 'not_found');
    expectError(await mine.patch(`/api-keys/${theirKey.apiKeyId}`, { scopes: [] }), 'not_found');
    const unchanged = customerOf(await theirs.get(`/customers/${theirCustomer.customerId}`));
    expect(unchanged).toEqual(theirCustomer);
    expect((await mine.get('/customers?externalId=acme')).json).toMatchObject({ customers: [] });
  });

  it('has the same external id without being the same', async () => {
    const externalId = randomUUID();
    const [one, other] = [
      customerOf(await mine.post('/customers', { externalId })),
      customerOf(await theirs.post('/customers', { externalId })),
    ];
    expect(one.customerId).not.toBe(other.customerId);
    const body = { displayName: 'Job', externalCustomerId: externalId };
    const { apiKeyId } = createdKeyOf(await mine.post('/api-keys', body));
    const key = keyOf(await mine.get(`/api-keys/${apiKeyId}`), ['customer']);
    expect(key.customer?.customerId).toBe(one.customerId);
  });
});

it('the decision log is filtered by the customer that a key had at the time', async () => {
  const { get, post, patch, authorize } = await makeProject();
  const body = { displayName: 'Job', externalCustomerId: 'acme' };
  const key = createdKeyOf(await post('/api-keys', body));
  const { customerId } = customerOf(await post('/customers', { externalId: 'acme' }));
  const denied = (await authorize({ apiKey: key.plaintextKey, path: '/unknown' })).json;
  await patch(`/api-keys/${key.apiKeyId}`, { customerId: null });
  await authorize({ apiKey: key.plaintextKey, path: '/unknown' });
  const count = async (query: string) => {
    const { json } = await get(`/decisions${query}`);
    return (json as { decisions: unknown[] }).decisions;
  };
  await expect.poll(async () => (await count('')).length, { timeout: 20_000 }).toBe(2);
  const { decisionId } = denied as { decisionId: string };
  expect(await count(`?customerId=${customerId}`)).toMatchObject([{ decisionId, customerId }]);
  expect(await count(`?customerId=${randomUUID()}`)).toEqual([]);
  expectError(await get('/decisions?customerId=acme'), 'invalid_request', '"customerId" must');
});
