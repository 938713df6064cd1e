/** The contract's "A single decision combines", "Policy path matching", "Access decision result" and "Limits". */
import { createHash } from 'node:crypto';
import {
  type AllowDecision,
  allowDecisionSchema,
  apiKeySummarySchema,
  type DenyDecision,
  denyDecisionSchema,
} from '@ceiba/contract';
import { beforeAll, describe, expect, it } from 'vitest';
import { withinOneMinute } from '../../support/minute.ts';
import {
  type PlanLimits,
  type ProjectOptions,
  type RuntimeClient,
  runtimeClient,
  type TestApiKey,
  type TestProject,
} from '../../support/scenario.ts';
import { expectFields, expectOk, FIELDS } from './assertions.ts';
import { startWorld } from './setup.ts';

const { world, runtime } = await startWorld();
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

interface Setting {
  project: TestProject;
  client: RuntimeClient;
  apiKey: TestApiKey;
}

async function setUp(options: ProjectOptions = {}): Promise<Setting> {
  const project = await world.createProject(options);
  const apiKey = await project.createKey({ displayName: 'Mobile app' });
  return { project, client: runtimeClient(runtime.url, project), apiKey };
}

type Question = Parameters<RuntimeClient['authorize']>[0];

const ask = ({ client, apiKey }: Setting, question: Question = {}) =>
  client.authorize({ apiKey: apiKey.plaintext, ...question });

async function expectAllow(setting: Setting, question?: Question): Promise<AllowDecision> {
  const decision = expectOk(await ask(setting, question), allowDecisionSchema, FIELDS.allow);
  expectFields(decision.limits, FIELDS.limits);
  return decision;
}

async function expectDeny(
  setting: Setting,
  reason: DenyDecision['denialReason'],
  question?: Question,
): Promise<DenyDecision> {
  const isLimit = reason === 'quota_exceeded' || reason === 'rate_limited';
  const fields = isLimit
    ? [...FIELDS.deny, 'exceededLimit', 'limits', 'retryAfterSeconds']
    : FIELDS.deny;
  const decision = expectOk(await ask(setting, question), denyDecisionSchema, fields);
  expect(decision.denialReason).toBe(reason);
  return decision;
}

/** `allowed`, or the reason for the denial. */
async function outcomeOf(setting: Setting, question?: Question): Promise<string> {
  const { json } = await ask(setting, question);
  const decision = json as AllowDecision | DenyDecision;
  return decision.allowed ? 'allowed' : decision.denialReason;
}

describe('"1. The caller\'s key is verified against a stored hash."', () => {
  it('allows the key whose SHA-256 is stored, and no other', async () => {
    const setting = await setUp();
    await expectAllow(setting);
    const { apiKeyId, plaintext } = setting.apiKey;
    await world.db.sql`update api_keys set key_digest = sha256('another') where id = ${apiKeyId}`;
    await expectDeny(setting, 'invalid_api_key');
    const digest = createHash('sha256').update(plaintext).digest();
    await world.db.sql`update api_keys set key_digest = ${digest} where id = ${apiKeyId}`;
    await expectAllow(setting);
  });
});

describe('"5. Revoked and archived keys are unusable." and expiry', () => {
  it('"4. Expiry is enforced at authorization time": an expiry that passes denies from then on', async () => {
    const setting = await setUp();
    const expiresAt = new Date(Date.now() + 1_500);
    await setting.client.setExpiry(setting.apiKey.apiKeyId, expiresAt.toISOString());
    await expectAllow(setting);
    await expect.poll(() => outcomeOf(setting), { timeout: 10_000 }).toBe('expired_api_key');
    const key = await setting.client.getKey(setting.apiKey.apiKeyId);
    expect(expectOk(key, apiKeySummarySchema, FIELDS.apiKey).status).toBe('active');
  });
});

describe('"2. The request method and path are matched against the project\'s access policies."', () => {
  it('uses a changed list of policies on the very next decision', async () => {
    const setting = await setUp();
    await expectAllow(setting);
    await setting.project.setPolicies([]);
    await expectDeny(setting, 'policy_no_match');
    await setting.project.setPolicies([{ method: 'GET', pathPattern: '/v1/billing' }]);
    await expectDeny(setting, 'policy_no_match');
    await expectAllow(setting, { path: '/v1/billing' });
  });
});

describe('"Limits"', () => {
  const limited = (plan: PlanLimits, options: ProjectOptions = {}) => setUp({ plan, ...options });

  it('are "reported as `rateLimitPerMinute`, `monthlyQuota`, `remainingThisMinute`, `remainingThisMonth`"', async () => {
    await withinOneMinute(async () => {
      const setting = await limited({ rateLimitPerMinute: 5, monthlyQuota: 7 });
      for (const used of [1, 2, 3]) {
        expect((await expectAllow(setting)).limits).toEqual({
          rateLimitPerMinute: 5,
          monthlyQuota: 7,
          remainingThisMinute: 5 - used,
          remainingThisMonth: 7 - used,
        });
      }
    });
  });

  it('come with the seconds until each window ends', async () => {
    const { resetAfterSeconds } = await expectAllow(await setUp());
    expectFields(resetAfterSeconds, ['minute', 'month']);
    const now = new Date();
    const monthEnd = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1);
    expect(resetAfterSeconds.minute).toBeGreaterThanOrEqual(0);
    expect(resetAfterSeconds.minute).toBeLessThanOrEqual(60);
    expect(Math.abs(resetAfterSeconds.month - (monthEnd - now.getTime()) / 1_000)).toBeLessThan(5);
  });

  it('deny with `rate_limited` when the minute is used up, with the wait in seconds', async () => {
    await withinOneMinute(async () => {
      const setting = await limited({ rateLimitPerMinute: 2 });
      await expectAllow(setting);
      await expectAllow(setting);
      const { retryAfterSeconds } = await expectDeny(setting, 'rate_limited');
      expect(retryAfterSeconds).toBeGreaterThanOrEqual(1);
      expect(retryAfterSeconds).toBeLessThanOrEqual(60);
    });
  });

  it('charge nothing for a denied request, for any reason of the denial', async () => {
    await withinOneMinute(async () => {
      const setting = await limited({ rateLimitPerMinute: 3, monthlyQuota: 100 });
      await expectAllow(setting);
      await expectDeny(setting, 'missing_api_key', { apiKey: null });
      await expectDeny(setting, 'invalid_api_key', { apiKey: 'nope' });
      await expectDeny(setting, 'policy_no_match', { path: '/v1/billing' });
      expect((await expectAllow(setting)).limits.remainingThisMonth).toBe(98);
      await expectAllow(setting);
      for (let n = 0; n < 5; n += 1) await expectDeny(setting, 'rate_limited');
      await setting.project.setPlanLimits({ rateLimitPerMinute: 4 });
      expect((await expectAllow(setting)).limits).toMatchObject({
        remainingThisMinute: 0,
        remainingThisMonth: 96,
      });
    });
  });

  it('of a changed plan apply on the very next decision', async () => {
    const setting = await limited({ monthlyQuota: 1 });
    await expectAllow(setting);
    await expectDeny(setting, 'quota_exceeded');
    await setting.project.setPlanLimits({ monthlyQuota: 3 });
    expect((await expectAllow(setting)).limits).toMatchObject({
      monthlyQuota: 3,
      remainingThisMonth: 1,
    });
  });
});

describe('"Access decision result"', () => {
  it('"The access context attached on allow identifies which key, which policy and which plan matched."', async () => {
    const setting = await setUp();
    const { access } = await expectAllow(setting, { path: '/v1/reports/42' });
    const [policy] = await world.db.sql<{ id: string }[]>`
      select id from policies where project_id = ${setting.project.projectId}`;
    expect(access).toEqual({
      projectId: setting.project.projectId,
      apiKey: {
        apiKeyId: setting.apiKey.apiKeyId,
        displayName: 'Mobile app',
        keyPrefix: setting.apiKey.keyPrefix,
      },
      policy: { policyId: policy?.id, method: 'GET', pathPattern: '/v1/reports*' },
      plan: { planId: setting.project.plan.planId, name: setting.project.plan.name },
    });
  });

  it('has an id of its own, a UUID of version 7', async () => {
    const setting = await setUp();
    const ids = [
      ...(await Promise.all(Array.from({ length: 20 }, () => expectAllow(setting)))),
      await expectDeny(setting, 'missing_api_key', { apiKey: null }),
    ].map(({ decisionId }) => decisionId);
    for (const id of ids) expect(id).toMatch(UUID_V7);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('`lastUsedAt`: "null until the key authorizes its first request"', () => {
  let setting: Setting;
  beforeAll(async () => {
    setting = await setUp();
  });
  const lastUsedAt = async (apiKeyId: string): Promise<string | null> =>
    expectOk(await setting.client.getKey(apiKeyId), apiKeySummarySchema, FIELDS.apiKey).lastUsedAt;

  it('stays null through denials', async () => {
    const { apiKeyId, plaintext } = await setting.project.createKey();
    await expectDeny(setting, 'policy_no_match', { apiKey: plaintext, path: '/v1/billing' });
    expect(await lastUsedAt(apiKeyId)).toBeNull();
  });

  it("is never null on a read after the first allow's reply", async () => {
    const keys = await Promise.all(Array.from({ length: 30 }, () => setting.project.createKey()));
    await Promise.all(
      keys.map(async ({ apiKeyId, plaintext }) => {
        expect(await lastUsedAt(apiKeyId)).toBeNull();
        await expectAllow(setting, { apiKey: plaintext });
        const used = await lastUsedAt(apiKeyId);
        expect(used).not.toBeNull();
        expect(Math.abs(Date.parse(used ?? '') - Date.now())).toBeLessThan(60_000);
      }),
    );
  });
});

describe('"usage recording"', () => {
  it('counts every decision by key, policy and outcome, in Postgres within seconds', async () => {
    const setting = await setUp({ plan: { monthlyQuota: 3 } });
    const { projectId } = setting.project;
    const { apiKeyId } = setting.apiKey;
    const policyId = (await expectAllow(setting)).access.policy.policyId;
    await expectAllow(setting);
    await expectAllow(setting);
    await expectDeny(setting, 'quota_exceeded');
    await expectDeny(setting, 'missing_api_key', { apiKey: null });
    await expectDeny(setting, 'invalid_api_key', { apiKey: 'nope' });
    await expectDeny(setting, 'policy_no_match', { path: '/v1/billing' });
    await setting.client.revoke(apiKeyId);
    await expectDeny(setting, 'revoked_api_key');
    const noId = '00000000-0000-0000-0000-000000000000';
    const counted = async () => {
      const rows = await world.db.sql<
        { key: string; policy: string; outcome: string; count: number }[]
      >`
        select api_key_id as key, policy_id as policy, outcome, sum(count)::int as count
        from usage_hours where project_id = ${projectId} group by 1, 2, 3 order by 3`;
      return rows.map(({ key, policy, outcome, count }) => [key, policy, outcome, count]);
    };
    await expect.poll(counted, { timeout: 10_000 }).toEqual([
      [apiKeyId, policyId, 'allowed', 3],
      [noId, noId, 'invalid_api_key', 1],
      [noId, noId, 'missing_api_key', 1],
      [apiKeyId, noId, 'policy_no_match', 1],
      [apiKeyId, policyId, 'quota_exceeded', 1],
      [apiKeyId, policyId, 'revoked_api_key', 1],
    ]);
  });
});
