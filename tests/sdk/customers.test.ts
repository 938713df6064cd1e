import type { CeibaRuntimeClient } from '@ceiba/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestProject } from '../support/scenario.ts';
import { startRealRuntime } from './support/real-runtime.ts';
import { clientOf, loadSdk } from './support/sdk.ts';

/* The customers of a project, through the built package and a real Runtime. */

const sdk = await loadSdk();
const runtime = await startRealRuntime();
let project: TestProject;
let client: CeibaRuntimeClient;

beforeAll(async () => {
  project = await runtime.world.createProject({
    policies: [
      { method: 'GET', pathPattern: '/v1/reports*', scopes: ['read'] },
      { method: 'POST', pathPattern: '/v1/reports*', scopes: ['write'], cost: 10 },
    ],
  });
  client = clientOf(sdk, runtime.url, project);
});
afterAll(async () => {
  client.close();
  await runtime.close();
});

const ask = (apiKey: string, method = 'GET', cost?: number) =>
  client.authorize({ apiKey, method, path: '/v1/reports', cost });

/** The status and the code of the error that a call fails with. */
async function failureOf(call: Promise<unknown>): Promise<unknown[]> {
  const error = await call.then(
    () => undefined,
    (failure: { status: number; body: { error: string } }) => failure,
  );
  return [error?.status, error?.body.error];
}

describe('a customer', () => {
  it('is created once, found by its external id, and changed', async () => {
    const acme = await client.customers.create({ externalId: 'acme', metadata: { crm: 7 } });
    expect(await client.customers.create({ externalId: 'acme' })).toEqual(acme);
    const other = { externalId: 'acme', metadata: { crm: 8 } };
    expect(await failureOf(client.customers.create(other))).toEqual([409, 'conflict']);
    expect(await client.customers.get(acme.customerId)).toEqual(acme);
    expect(await client.customers.getByExternalId('acme')).toEqual(acme);
    expect(await client.customers.getByExternalId('Acme')).toBeNull();
    const changed = await client.customers.update(acme.customerId, {
      name: 'Acme Ltd',
      billingDay: 15,
      monthlyQuota: 100,
    });
    expect(changed).toEqual({ ...acme, name: 'Acme Ltd', billingDay: 15, monthlyQuota: 100 });
    const page = await client.customers.list({ search: 'ltd', limit: 1 });
    expect(page).toEqual({ customers: [changed], nextCursor: null });
    const stranger = clientOf(sdk, runtime.url, await runtime.world.createProject());
    expect(await failureOf(stranger.customers.get(acme.customerId))).toEqual([404, 'not_found']);
    stranger.close();
  });

  it('shares its quota among its keys, by what their calls cost', async () => {
    const { customerId } = await client.customers.create({ externalId: 'b', monthlyQuota: 100 });
    const keys = await Promise.all(
      ['one', 'two'].map((displayName) => client.createApiKey({ displayName, customerId })),
    );
    const [one = '', two = ''] = keys.map(({ plaintextKey }) => plaintextKey);
    const first = await ask(one, 'POST');
    expect(first.access?.customer).toEqual({ customerId, externalId: 'b', plan: null });
    expect(first.limits?.remainingThisMonth).toBe(90);
    expect((await ask(two, 'GET', 90)).limits?.remainingThisMonth).toBe(0);
    expect(await ask(one)).toMatchObject({
      allowed: false,
      denialReason: 'quota_exceeded',
      exceededLimit: { owner: 'customer', window: 'month', value: 100 },
    });
    expect((await ask(two, 'GET', 0)).allowed).toBe(true);
    await expect
      .poll(async () => (await client.customers.usage(customerId)).period.cost, { timeout: 10_000 })
      .toBe(100);
    const { usage } = await client.getApiKeyUsage(keys[1]?.apiKeyId ?? '', { step: 'month' });
    expect(usage.at(-1)).toMatchObject({ cost: 90 });
    expect((await client.getUsage()).usage.length).toBeGreaterThan(27);
  });

  it('is suspended with all of its keys, from the next decision on', async () => {
    const { plaintextKey } = await client.createApiKey({
      displayName: 'New',
      externalCustomerId: 'c',
    });
    const created = await client.customers.getByExternalId('c');
    if (created === null) throw new Error('the key has created no customer');
    expect((await ask(plaintextKey)).allowed).toBe(true);
    const suspended = await client.customers.suspend(created.customerId);
    expect(suspended.suspendedAt).not.toBeNull();
    expect((await ask(plaintextKey)).denialReason).toBe('inactive_subscription');
    const { customers } = await client.customers.list({ status: 'suspended' });
    expect(customers.map(({ externalId }) => externalId)).toEqual(['c']);
    await client.customers.resume(created.customerId);
    expect((await ask(plaintextKey)).allowed).toBe(true);
  });
});

describe('a key', () => {
  it('with scopes calls what its policy is labelled with, and is changed and moved', async () => {
    const { customerId } = await client.customers.create({ externalId: 'd' });
    const { apiKeyId, plaintextKey } = await client.createApiKey({
      displayName: 'Reader',
      scopes: ['read'],
    });
    expect((await ask(plaintextKey)).access?.apiKey.scopes).toEqual(['read']);
    expect((await ask(plaintextKey, 'POST')).denialReason).toBe('policy_no_match');
    const moved = await client.updateApiKey(apiKeyId, { customerId, scopes: null, dailyQuota: 3 });
    expect(moved).toMatchObject({ customer: { customerId, externalId: 'd' }, dailyQuota: 3 });
    expect(moved).not.toHaveProperty('scopes');
    expect(await client.getApiKey(apiKeyId)).toEqual(moved);
    expect((await ask(plaintextKey, 'GET', 2)).limits).toMatchObject({
      dailyQuota: 3,
      remainingToday: 1,
    });
    expect(await ask(plaintextKey, 'POST')).toMatchObject({
      denialReason: 'quota_exceeded',
      exceededLimit: { owner: 'api_key', window: 'day', value: 3 },
    });
  });
});
