import { randomBytes, randomUUID } from 'node:crypto';
import { DENIAL_REASONS } from '@ceiba/contract/sets';
import { mintApiKey } from '@ceiba/domain';
import {
  archiveApiKey,
  createPolicy,
  type Database,
  disableApiKey,
  findApiKeysInProjects,
  readSimulation,
  revokeApiKey,
  type SimulationInput,
  setSubscription,
  updateApiKey,
  updateProject,
} from '@ceiba/schema';
import { drizzle } from 'drizzle-orm/postgres-js';
import { describe, expect, test } from 'vitest';
import { makeCustomer, makeCustomerPlan } from '../customer/support.ts';
import { flush, givePlan, type MadeKey, makeKey, makeProject, useBench } from '../support.ts';

const bench = useBench();

/** A project on its own plan, with a key that may read reports. */
async function makeScene(monthlyQuota = 100): Promise<MadeKey> {
  const { projectId } = await makeProject(bench.ctx);
  await givePlan(bench.ctx, projectId, { activeKeyCap: 5, dailyQuota: null, monthlyQuota });
  await createPolicy(bench.ctx, { projectId, method: 'GET', pathPattern: '/v1/reports*' });
  return makeKey(bench.ctx, projectId, { displayName: 'Mobile app' });
}

const ask = ({ projectId, apiKeyId }: MadeKey, rest: Partial<SimulationInput> = {}) =>
  readSimulation(bench.db, {
    projectId,
    credential: { apiKeyId },
    method: 'GET',
    path: '/v1/reports/42',
    ...rest,
  });
const reasonOf = async (...args: Parameters<typeof ask>) => (await ask(...args))!.denialReason;

const used = (key: MadeKey, count: number) =>
  flush(bench.db, key.projectId, [{ at: new Date().toISOString(), count, apiKeyId: key.apiKeyId }]);

describe('a simulation', () => {
  test('of an allowed request has the result of each check', async () => {
    const key = await makeScene();
    await updateProject(bench.ctx, { projectId: key.projectId, defaultKeyRateLimitPerMinute: 7 });
    await used(key, 12);
    const simulation = await ask(key);
    expect(simulation).toMatchObject({
      denialReason: null,
      credential: 'presented',
      apiKey: { apiKeyId: key.apiKeyId, status: 'active', expiresAt: null, isExpired: false },
      match: { winner: { method: 'GET', pathPattern: '/v1/reports*' }, path: '/v1/reports/42' },
      subscription: { status: 'active', admits: true, plan: { monthlyQuota: 100 } },
      scopes: [
        {
          kind: 'project',
          rate: { owner: 'plan', value: 1_000 },
          quota: { owner: 'plan', window: 'month', value: 100 },
          used: 12,
        },
        {
          kind: 'api_key',
          rate: { owner: 'project_default', value: 7 },
          quota: null,
          used: 12,
        },
      ],
    });
    for (const { countedAt } of simulation!.scopes) {
      expect(Math.abs(countedAt!.getTime() - simulation!.at.getTime())).toBeLessThan(60_000);
    }
  });

  test('has the policies that other readings of the path match, and the highest cost', async () => {
    const key = await makeScene();
    const { projectId, apiKeyId } = key;
    const narrow = { pathPattern: '/v1/reports/internal', scopes: ['internal'], cost: 9 };
    await createPolicy(bench.ctx, { projectId, method: 'GET', ...narrow });
    const path = '/v1/reports/INTERNAL';
    expect(await ask(key, { path })).toMatchObject({
      denialReason: null,
      match: { winner: { pathPattern: '/v1/reports*' } },
      otherPolicies: [narrow],
      cost: 9,
    });
    await updateApiKey(bench.ctx, { projectId, apiKeyId, scopes: ['reports'] });
    expect(await ask(key, { path })).toMatchObject({ denialDetail: 'scope' });
    expect(await ask(key)).toMatchObject({ otherPolicies: [], cost: 1 });
  });

  test('contains no digest and no secret', async () => {
    const key = await makeScene();
    const text = JSON.stringify([
      await ask(key),
      await ask(key, { credential: { presented: key.minted.plaintext } }),
    ]);
    for (const secret of [
      key.minted.plaintext,
      key.minted.digest.toString('hex'),
      key.minted.digest.toString('base64'),
      '"type":"Buffer"',
    ]) {
      expect(text).not.toContain(secret);
    }
  });

  test('of a pasted key equals that of the same chosen key', async () => {
    const key = await makeScene();
    const { at: _, ...chosen } = (await ask(key))!;
    const presented = { presented: key.minted.plaintext };
    const { at: __, ...pasted } = (await ask(key, { credential: presented }))!;
    expect(pasted).toEqual(chosen);
  });

  test('changes nothing, whatever its result', async () => {
    const key = await makeScene();
    const contents = async () =>
      JSON.stringify([
        await bench.db.sql`select * from api_keys where id = ${key.apiKeyId}`,
        await bench.db.sql`select count(*) from usage_hours`,
        await bench.db.sql`select count(*) from usage_months`,
        await bench.db.sql`select count(*) from audit_log`,
      ]);
    const before = await contents();
    await ask(key);
    await ask(key, { credential: { presented: null } });
    expect(await contents()).toBe(before);
  });

  test('of a missing project is null', async () => {
    const key = await makeScene();
    expect(await ask({ ...key, projectId: randomUUID() })).toBeNull();
  });

  test('sends only the digest of a pasted key to Postgres', async () => {
    const key = await makeScene();
    const sent: string[] = [];
    const sql = new Proxy(bench.db.sql, {
      get: (target, name) =>
        name === 'unsafe'
          ? (text: string, parameters: never[], options: object) => {
              sent.push(text, ...parameters.map(String));
              return target.unsafe(text, parameters, options);
            }
          : Reflect.get(target, name),
    });
    const db: Database = { ...bench.db, sql, orm: drizzle(sql) };
    const { plaintext } = key.minted;
    const input = { projectId: key.projectId, method: 'GET', path: '/v1/reports' };
    await readSimulation(db, { ...input, credential: { presented: plaintext } });
    await readSimulation(db, { ...input, credential: { presented: `${plaintext}x` } });
    expect(sent.length).toBeGreaterThan(4);
    expect(sent.filter((text) => text.includes(plaintext.slice(0, 20)))).toEqual([]);
  });
});

/** A request that is denied for each reason except the rate, which only Redis knows. */
const DENIED: Record<
  Exclude<(typeof DENIAL_REASONS)[number], 'rate_limited'>,
  () => Promise<Parameters<typeof ask>>
> = {
  missing_api_key: async () => [await makeScene(), { credential: { presented: ' \t ' } }],
  invalid_api_key: async () => [
    await makeScene(),
    { credential: { presented: mintApiKey(randomBytes).plaintext } },
  ],
  revoked_api_key: async () => {
    const key = await makeScene();
    await revokeApiKey(bench.ctx, key);
    return [key];
  },
  archived_api_key: async () => {
    const key = await makeScene();
    await archiveApiKey(bench.ctx, key);
    return [key];
  },
  expired_api_key: async () => {
    const key = await makeScene();
    await bench.db.sql`update api_keys set expires_at = now() where id = ${key.apiKeyId}`;
    return [key];
  },
  policy_no_match: async () => [await makeScene(), { path: '/v1/billing' }],
  inactive_subscription: async () => {
    const key = await makeScene();
    const currentPeriodEnd = new Date(Date.now() - 1_000);
    await setSubscription(bench.ctx, { projectId: key.projectId, currentPeriodEnd });
    return [key];
  },
  quota_exceeded: async () => {
    const key = await makeScene(12);
    await used(key, 12);
    return [key];
  },
};

describe('the denial reason', () => {
  test('of a disabled key is that of an expired one, and the key says since when', async () => {
    const key = await makeScene();
    await disableApiKey(bench.ctx, key);
    expect(await ask(key)).toMatchObject({
      denialReason: 'expired_api_key',
      apiKey: { status: 'active', isExpired: false, disabledAt: expect.any(String) },
    });
  });

  test('is simulated for every reason except the rate', () => {
    expect(Object.keys(DENIED)).toEqual(DENIAL_REASONS.filter((name) => name !== 'rate_limited'));
  });

  test.each(Object.entries(DENIED))('is %s', async (reason, make) => {
    const simulation = await ask(...(await make()));
    expect(simulation!.denialReason).toBe(reason);
    expect(simulation!.scopes).toHaveLength(reason === 'quota_exceeded' ? 2 : 0);
  });

  test.each([
    ['customer_suspended', 'trialing', true, false],
    ['customer_suspended', 'past_due', true, false],
    ['customer_past_due', 'past_due', false, false],
    ['customer_canceled', 'canceled', false, true],
    ['customer_period_ended', 'trialing', false, true],
    [null, 'active', false, false],
    [null, null, false, false],
  ] as const)(
    'is that of the customer, which the key in a list and in a search has too: %s',
    async (denial, subscriptionStatus, isSuspended, isOver) => {
      const key = await makeScene();
      const { projectId } = key;
      const plan = subscriptionStatus && (await makeCustomerPlan(bench.db, projectId)).name;
      const fields = plan ? { plan, subscriptionStatus } : {};
      const { customerId } = await makeCustomer(bench.ctx, projectId, fields);
      await bench.db.sql`update customers set
        suspended_at = case when ${isSuspended} then now() end,
        current_period_end = case when ${isOver} then now() end where id = ${customerId}`;
      await updateApiKey(bench.ctx, { ...key, customerId });
      expect(await ask(key)).toMatchObject({
        denialDetail: denial,
        apiKey: { customerDenial: denial },
      });
      const search = { projectIds: [projectId], text: 'mobile', limit: 1 };
      const found = [{ status: 'active', isExpired: false, customerDenial: denial }];
      expect(await findApiKeysInProjects(bench.db, search)).toMatchObject(found);
    },
  );

  test('is the quota if the key’s own is used up first', async () => {
    const key = await makeScene();
    await updateApiKey(bench.ctx, { ...key, monthlyQuota: 5 });
    await used(key, 4);
    expect(await reasonOf(key)).toBeNull();
    await used(key, 5);
    expect(await reasonOf(key)).toBe('quota_exceeded');
  });

  test('is an invalid key for another project’s key, pasted or chosen', async () => {
    const [key, other] = [await makeScene(), await makeScene()];
    const { projectId } = key;
    expect(await reasonOf({ ...other, projectId })).toBe('invalid_api_key');
    const credential = { presented: other.minted.plaintext };
    expect(await reasonOf(key, { credential })).toBe('invalid_api_key');
  });

  test('is a missing policy for an ambiguous path, with an explanation', async () => {
    const key = await makeScene();
    const simulation = await ask(key, { path: '/v1/reports/../billing' });
    expect(simulation).toMatchObject({
      denialReason: 'policy_no_match',
      match: { winner: null, path: null, ambiguous: expect.stringContaining('dot segment') },
    });
  });
});
