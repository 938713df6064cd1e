/** The contract's "A single decision combines", "Policy path matching", "Access decision result" and "Limits". */
import { createHash } from 'node:crypto';
import {
  type AllowDecision,
  allowDecisionSchema,
  apiKeySummarySchema,
  type DenyDecision,
  denyDecisionSchema,
} from '@ceiba/contract';
import { DENIAL_REASONS, SUBSCRIPTION_STATUSES } from '@ceiba/contract/sets';
import { parsePathPattern } from '@ceiba/domain';
import { type Database, lookupMany } from '@ceiba/schema';
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
  const fields = isLimit ? [...FIELDS.deny, 'limits', 'retryAfterSeconds'] : FIELDS.deny;
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

  it.each<[string, (plaintext: string) => unknown]>([
    ['null', () => null],
    ['an absent field', () => undefined],
    ['an empty string', () => ''],
    ['blanks', () => '  \t\r\n '],
    ['a no-break space', () => '\u00a0'],
  ])('`missing_api_key`: %s', async (_what, apiKey) => {
    const setting = await setUp();
    await expectDeny(setting, 'missing_api_key', { apiKey: apiKey(setting.apiKey.plaintext) });
  });

  it.each<[string, (plaintext: string) => unknown]>([
    ['text that is no key', () => 'letmein'],
    ['a key with another character', (key) => `${key.slice(0, -1)}${key.endsWith('0') ? 1 : 0}`],
    ['a key with a blank before it', (key) => ` ${key}`],
    ['a key with a line feed after it', (key) => `${key}\n`],
    ['a key in lower case', (key) => key.toLowerCase()],
    ['a key twice', (key) => `${key}${key}`],
    ['the prefix of a key', (key) => key.slice(0, 14)],
    ['the hash of a key', (key) => createHash('sha256').update(key).digest('hex')],
    ['a NUL', () => '\u0000'],
    ['a lone surrogate', () => 'ceiba_\ud800'],
    ['sixty thousand characters', () => 'k'.repeat(60_000)],
    ['SQL', () => "' or true --"],
  ])('`invalid_api_key`: %s', async (_what, apiKey) => {
    const setting = await setUp();
    await expectDeny(setting, 'invalid_api_key', { apiKey: apiKey(setting.apiKey.plaintext) });
  });

  it("`invalid_api_key`: another project's key, also one that is revoked there", async () => {
    const [mine, theirs] = [await setUp(), await setUp()];
    await expectDeny(mine, 'invalid_api_key', { apiKey: theirs.apiKey.plaintext });
    await theirs.client.revoke(theirs.apiKey.apiKeyId);
    await expectDeny(mine, 'invalid_api_key', { apiKey: theirs.apiKey.plaintext });
  });

  it('`invalid_api_key`: the project secret', async () => {
    const setting = await setUp();
    await expectDeny(setting, 'invalid_api_key', { apiKey: setting.project.secret });
  });
});

describe('"5. Revoked and archived keys are unusable." and expiry', () => {
  it('denies a revoked key on the very next decision', async () => {
    const setting = await setUp();
    await expectAllow(setting);
    await setting.client.revoke(setting.apiKey.apiKeyId);
    await expectDeny(setting, 'revoked_api_key');
  });

  it('denies an archived key on the very next decision', async () => {
    const setting = await setUp();
    await expectAllow(setting);
    await setting.client.archive(setting.apiKey.apiKeyId);
    await expectDeny(setting, 'archived_api_key');
  });

  it('denies every decision after the revocation was acknowledged, under load', async () => {
    const setting = await setUp();
    let revoked = false;
    const late: string[] = [];
    const askOften = async () => {
      for (let n = 0; n < 40; n += 1) {
        const askedAfter = revoked;
        const outcome = await outcomeOf(setting);
        if (askedAfter) late.push(outcome);
      }
    };
    const load = Promise.all(Array.from({ length: 8 }, askOften));
    expect((await setting.client.revoke(setting.apiKey.apiKeyId)).status).toBe(200);
    revoked = true;
    await load;
    expect(new Set(late)).toEqual(new Set(['revoked_api_key']));
  });

  it('"4. Expiry is enforced at authorization time": an expiry that passes denies from then on', async () => {
    const setting = await setUp();
    const expiresAt = new Date(Date.now() + 1_500);
    await setting.client.setExpiry(setting.apiKey.apiKeyId, expiresAt.toISOString());
    await expectAllow(setting);
    await expect.poll(() => outcomeOf(setting), { timeout: 10_000 }).toBe('expired_api_key');
    const key = await setting.client.getKey(setting.apiKey.apiKeyId);
    expect(expectOk(key, apiKeySummarySchema, FIELDS.apiKey).status).toBe('active');
  });

  it('`now == expiresAt` is expired, by the clock of the database', async () => {
    const { project, apiKey } = await setUp();
    const item = {
      projectId: project.projectId,
      apiKeyDigest: createHash('sha256').update(apiKey.plaintext).digest(),
    };
    // Within a transaction `now()` is constant.
    const judged = await world.db.sql.begin(async (tx) => {
      const within = { ...world.db, sql: tx } as unknown as Database;
      const at = async (offset: string) => {
        await tx`update api_keys set expires_at = now() + ${offset}::interval
          where id = ${apiKey.apiKeyId}`;
        const [row] = await lookupMany(within, [item]);
        return row?.apiKey?.expired;
      };
      return [await at('-1 microsecond'), await at('0'), await at('1 microsecond')];
    });
    expect(judged).toEqual([true, true, false]);
  });
});

describe('"2. The request method and path are matched against the project\'s access policies."', () => {
  const TABLE = [
    // Pattern, then whether it matches /v1/reports, /v1/reports/<id> and /v1/billing.
    ['/v1/reports', 'yes', 'no', 'no'],
    ['/v1/reports*', 'yes', 'yes', 'no'],
    ['*', 'yes', 'yes', 'yes'],
  ] as const;

  it.each(TABLE)('| `%s` | %s | %s | %s |', async (pathPattern, ...expected) => {
    const setting = await setUp({ policies: [{ method: 'GET', pathPattern }] });
    const paths = ['/v1/reports', '/v1/reports/42', '/v1/billing'];
    const outcomes = await Promise.all(paths.map((path) => outcomeOf(setting, { path })));
    expect(outcomes).toEqual(
      expected.map((matches) => (matches === 'yes' ? 'allowed' : 'policy_no_match')),
    );
  });

  it('"A pattern ending in `*` matches that prefix and anything below it."', async () => {
    const setting = await setUp({ policies: [{ method: 'GET', pathPattern: '/v1/reports*' }] });
    await expectAllow(setting, { path: '/v1/reports/2026/11/20' });
    await expectDeny(setting, 'policy_no_match', { path: '/v1/reportsX' });
    await expectDeny(setting, 'policy_no_match', { path: '/v1' });
    await expectDeny(setting, 'policy_no_match', { path: '/' });
  });

  it('"A pattern that is only `*` matches every path.", ambiguous ones among them', async () => {
    const setting = await setUp({ policies: [{ method: 'GET', pathPattern: '*' }] });
    for (const path of ['/', '/a', '', 'a', '//', '/../etc', '/%2e%2e/x', '/a;b', '*', '/\u0000']) {
      await expectAllow(setting, { path });
    }
  });

  it('"A pattern without a trailing `*` matches only that exact path."', async () => {
    const setting = await setUp({ policies: [{ method: 'GET', pathPattern: '/v1/reports' }] });
    await expectAllow(setting);
    for (const path of ['/v1/reports/42', '/v1/report', '/V1/reports', '/v1/reports.json', '/v1']) {
      await expectDeny(setting, 'policy_no_match', { path });
    }
  });

  it.each(['/v1/reports', '/v1/reports/', '/v1/reports*', '/v1/reports/*'])(
    '"Trailing slashes are normalized on both the pattern and the request path": %s',
    async (text) => {
      const parsed = parsePathPattern(text);
      if (!parsed.ok) throw new Error(parsed.reason);
      const policies = [{ method: 'GET', pathPattern: parsed.pattern }];
      const saved = await setUp({ policies });
      // And a pattern that was written by plain SQL, not by a verb.
      const raw = await setUp({ policies: [{ method: 'GET', pathPattern: text }] });
      for (const path of ['/v1/reports', '/v1/reports/']) {
        await expectAllow(saved, { path });
        await expectAllow(raw, { path });
      }
    },
  );

  it('"A request that matches no policy is denied (default deny)."', async () => {
    const without = await setUp({ policies: [] });
    await expectDeny(without, 'policy_no_match');
    await expectDeny(without, 'policy_no_match', { path: '/' });
    await expectDeny(await setUp(), 'policy_no_match', { path: '/v1/billing' });
  });

  it('"A policy is defined per method and path pattern.": GET implies no other, `*` is every one', async () => {
    const named = await setUp({ policies: [{ method: 'GET', pathPattern: '*' }] });
    await expectAllow(named, { method: 'GET' });
    for (const method of ['HEAD', 'POST', 'get', 'GETX', 'OPTIONS', '*']) {
      await expectDeny(named, 'policy_no_match', { method });
    }
    const every = await setUp({ policies: [{ method: '*', pathPattern: '/v1/reports*' }] });
    for (const method of ['GET', 'POST', 'PROPFIND', 'x-custom']) {
      await expectAllow(every, { method });
    }
  });

  it.each([
    ['//v1/reports', 'an empty segment'],
    ['/v1//reports', 'an empty segment'],
    ['/v1/reports/../reports', 'a dot segment'],
    ['/v1/reports/%2e%2e', 'an encoded dot segment'],
    ['/v1/reports%2f42', 'an encoded slash'],
    ['/v1/reports\\42', 'a backslash'],
    ['/v1/reports;v=1', 'a semicolon'],
    ['/v1/reports#top', 'a fragment'],
    ['/v1/reports%00', 'an encoded NUL'],
    ['/v1/reports\u0000', 'a NUL'],
    ['/v1/réports', 'a character outside ASCII'],
    ['/v1/reports/\ud800', 'a lone surrogate'],
    ['/v1/reports%zz', 'an invalid escape'],
    ['http://host/v1/reports', 'an absolute form'],
    [`/v1/reports/${'x'.repeat(2_048)}`, 'more than 2,048 characters'],
    ['', 'nothing'],
  ])('denies an ambiguous path instead of normalising it: %j (%s)', async (path) => {
    const policies = ['/v1/reports*', '/*', '/v1/reports'].map((pathPattern) => ({
      method: 'GET',
      pathPattern,
    }));
    await expectDeny(await setUp({ policies }), 'policy_no_match', { path });
  });

  it('ignores the query', async () => {
    const setting = await setUp({ policies: [{ method: 'GET', pathPattern: '/v1/reports' }] });
    for (const path of ['/v1/reports?a=1', '/v1/reports/?', '/v1/reports?x=/../']) {
      await expectAllow(setting, { path });
    }
  });

  it('decodes nothing: an escape matches below a prefix, never the text of a pattern', async () => {
    const policies = ['/v1/reports/preview', '/v1/wild*'].map((pathPattern) => ({
      method: 'GET',
      pathPattern,
    }));
    const setting = await setUp({ policies });
    for (const path of ['/v1/reports/%70review', '/v1/r%65ports/preview', '/v1/%77ild/a']) {
      await expectDeny(setting, 'policy_no_match', { path });
    }
    for (const path of ['/v1/reports/preview', '/v1/wild/%70review', '/v1/wild/caf%c3%a9']) {
      await expectAllow(setting, { path });
    }
  });

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

describe('"4. Subscription state is consulted, so a lapsed plan denies immediately."', () => {
  it.each(SUBSCRIPTION_STATUSES)('decides by the status %s', async (status) => {
    const setting = await setUp();
    await expectAllow(setting);
    await setting.project.setSubscription({ status });
    if (status === 'active' || status === 'trialing') await expectAllow(setting);
    else await expectDeny(setting, 'inactive_subscription');
  });

  it('denies after the end of the period, with any status', async () => {
    const setting = await setUp();
    await setting.project.setSubscription({ currentPeriodEnd: new Date(Date.now() + 3_600_000) });
    await expectAllow(setting);
    await setting.project.setSubscription({ currentPeriodEnd: new Date(Date.now() - 1_000) });
    await expectDeny(setting, 'inactive_subscription');
    await setting.project.setSubscription({ currentPeriodEnd: null });
    await expectAllow(setting);
  });

  it('denies without a subscription', async () => {
    const setting = await setUp();
    const { projectId } = setting.project;
    await world.db.sql`delete from subscriptions where project_id = ${projectId}`;
    await expectDeny(setting, 'inactive_subscription');
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

  it('deny with `quota_exceeded` when the month is used up, with the wait in seconds', async () => {
    const setting = await limited({ monthlyQuota: 2 });
    await expectAllow(setting);
    await expectAllow(setting);
    const { retryAfterSeconds = 0 } = await expectDeny(setting, 'quota_exceeded');
    const now = new Date();
    const monthEnd = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1);
    expect(Math.abs(retryAfterSeconds - (monthEnd - now.getTime()) / 1_000)).toBeLessThan(5);
  });

  it('are "checked and decremented in one atomic operation": exactly the limit is allowed', async () => {
    await withinOneMinute(async () => {
      const setting = await limited({ rateLimitPerMinute: 12, monthlyQuota: 20 });
      const outcomes = await Promise.all(Array.from({ length: 40 }, () => outcomeOf(setting)));
      expect(outcomes.filter((outcome) => outcome === 'allowed')).toHaveLength(12);
      expect(outcomes.filter((outcome) => outcome === 'rate_limited')).toHaveLength(28);
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

  it.each([
    ['rateLimitPerMinute', 'rate_limited'],
    ['monthlyQuota', 'quota_exceeded'],
  ] as const)('a %s of 0 admits nothing', async (limit, reason) => {
    await expectDeny(await limited({ [limit]: 0 }), reason);
  });

  it('accept the largest value that a plan can have', async () => {
    const most = 2_147_483_647;
    const setting = await limited({ rateLimitPerMinute: most, monthlyQuota: most });
    expect((await expectAllow(setting)).limits).toMatchObject({
      rateLimitPerMinute: most,
      remainingThisMonth: most - 1,
    });
  });

  it('"count for the project": its keys share them', async () => {
    const setting = await limited({ monthlyQuota: 2 });
    const other = await setting.project.createKey();
    await expectAllow(setting);
    await expectAllow(setting, { apiKey: other.plaintext });
    await expectDeny(setting, 'quota_exceeded');
    await expectDeny(setting, 'quota_exceeded', { apiKey: other.plaintext });
  });

  it('of a key apply to that key, and `limits` reports the counter with the least left', async () => {
    await withinOneMinute(async () => {
      const setting = await limited({ rateLimitPerMinute: 100, monthlyQuota: 3 });
      const small = await setting.project.createKey({ rateLimitPerMinute: 2, monthlyQuota: 50 });
      const question = { apiKey: small.plaintext };
      expect((await expectAllow(setting, question)).limits).toEqual({
        rateLimitPerMinute: 2,
        monthlyQuota: 3,
        remainingThisMinute: 1,
        remainingThisMonth: 2,
      });
      await expectAllow(setting, question);
      await expectDeny(setting, 'rate_limited', question);
      expect((await expectAllow(setting)).limits).toEqual({
        rateLimitPerMinute: 100,
        monthlyQuota: 3,
        remainingThisMinute: 97,
        remainingThisMonth: 0,
      });
    });
  });

  it('of a key that are cleared and set again still count what was used', async () => {
    const setting = await limited({});
    const { apiKeyId } = setting.apiKey;
    await setting.project.setKeyLimits(apiKeyId, { rateLimitPerMinute: null, monthlyQuota: 2 });
    await expectAllow(setting);
    await setting.project.setKeyLimits(apiKeyId, { rateLimitPerMinute: null, monthlyQuota: null });
    await expectAllow(setting);
    await setting.project.setKeyLimits(apiKeyId, { rateLimitPerMinute: null, monthlyQuota: 2 });
    await expectDeny(setting, 'quota_exceeded');
  });

  it("include a project's default rate for every key without its own", async () => {
    await withinOneMinute(async () => {
      const setting = await limited({}, { defaultKeyRateLimitPerMinute: 1 });
      const other = await setting.project.createKey();
      const own = await setting.project.createKey({ rateLimitPerMinute: 2 });
      await expectAllow(setting);
      await expectDeny(setting, 'rate_limited');
      await expectAllow(setting, { apiKey: other.plaintext });
      await expectAllow(setting, { apiKey: own.plaintext });
      await expectAllow(setting, { apiKey: own.plaintext });
      await expectDeny(setting, 'rate_limited', { apiKey: own.plaintext });
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

  it('names the most specific of several policies that match', async () => {
    const policies = [
      { method: '*', pathPattern: '*' },
      { method: 'GET', pathPattern: '/v1*' },
      { method: '*', pathPattern: '/v1/reports*' },
      { method: 'GET', pathPattern: '/v1/reports*' },
      { method: '*', pathPattern: '/v1/reports/42' },
    ];
    const setting = await setUp({ policies });
    const winner = async (question: Question) => {
      const { method, pathPattern } = (await expectAllow(setting, question)).access.policy;
      return `${method} ${pathPattern}`;
    };
    expect(await winner({ path: '/v1/reports/42' })).toBe('* /v1/reports/42');
    expect(await winner({ path: '/v1/reports/43' })).toBe('GET /v1/reports*');
    expect(await winner({ path: '/v1/reports', method: 'PUT' })).toBe('* /v1/reports*');
    expect(await winner({ path: '/v1/other' })).toBe('GET /v1*');
    expect(await winner({ path: '/v2' })).toBe('* *');
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

  it('a decision, allow or deny, is 200; `denialReason` is "one of the nine values"', async () => {
    const setting = await setUp({ plan: { monthlyQuota: 0 } });
    const denial = await expectDeny(setting, 'quota_exceeded');
    expect(DENIAL_REASONS).toHaveLength(9);
    expect(DENIAL_REASONS).toContain(denial.denialReason);
  });

  it('does not depend on unknown fields of the question', async () => {
    await expectAllow(await setUp(), { traceId: 'abc' } as Question);
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

  it('advances with later uses', async () => {
    const { apiKeyId, plaintext } = await setting.project.createKey();
    await expectAllow(setting, { apiKey: plaintext });
    await world.db.sql`update api_keys set last_used_at = '2020-01-01' where id = ${apiKeyId}`;
    await expectAllow(setting, { apiKey: plaintext });
    const year = async () => (await lastUsedAt(apiKeyId))?.slice(0, 4);
    await expect.poll(year, { timeout: 10_000 }).toBe(String(new Date().getUTCFullYear()));
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
