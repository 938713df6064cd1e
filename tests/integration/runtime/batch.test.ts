/** `POST …/authorize/batch`: several questions of one project, each answered by itself. */
import {
  type AuthorizeBatchResult,
  allowDecisionSchema,
  authorizeBatchResultSchema,
  BATCH_SIZE_MAX,
  decisionSchema,
} from '@ceiba/contract';
import { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { withinOneMinute } from '../../support/minute.ts';
import {
  type ProjectOptions,
  QUESTION,
  type Reply,
  runtimeClient,
} from '../../support/scenario.ts';
import { expectError, expectOk } from './assertions.ts';
import { startWorld } from './setup.ts';

const { world, runtime, redisUrl } = await startWorld();

async function setUp(options: ProjectOptions = {}) {
  const project = await world.createProject(options);
  const apiKey = await project.createKey();
  const client = runtimeClient(runtime.url, project);
  const question = { ...QUESTION, apiKey: apiKey.plaintext };
  return { project, apiKey, client, question };
}

const resultsOf = (reply: Reply): AuthorizeBatchResult['results'] =>
  expectOk(reply, authorizeBatchResultSchema, ['results']).results;

/** `allowed`, the denial reason, or the status of a request that got no decision. */
const outcomesOf = (reply: Reply) =>
  resultsOf(reply).map((result) => {
    if (result.status !== 200) return result.status;
    return result.decision.allowed ? 'allowed' : result.decision.denialReason;
  });

describe('a batch', () => {
  it('answers each request as `authorize` would, in the order of the requests', async () => {
    const { project, client, question } = await setUp();
    const revoked = await project.createKey();
    await client.revoke(revoked.apiKeyId);
    const stranger = await (await world.createProject()).createKey();
    const requests = [
      question,
      { ...question, apiKey: null },
      { ...question, apiKey: revoked.plaintext },
      { ...question, path: '/elsewhere' },
      { ...question, apiKey: stranger.plaintext },
      { ...question, method: 'POST' },
      question,
    ];
    const together = await client.authorizeBatch(requests);
    const one = async (request: (typeof requests)[number]) => {
      const decision = decisionSchema.parse((await client.authorize(request)).json);
      return decision.allowed ? 'allowed' : decision.denialReason;
    };
    const alone = [];
    for (const request of requests) alone.push(await one(request));
    expect(outcomesOf(together)).toEqual(alone);
    expect(new Set(alone).size).toBe(5);
  });

  it('gives each decision an id of its own', async () => {
    const { client, question } = await setUp();
    const results = resultsOf(await client.authorizeBatch(Array(20).fill(question)));
    const ids = results.map((result) => result.status === 200 && result.decision.decisionId);
    expect(new Set(ids).size).toBe(20);
  });

  it('charges each request its own cost, in place of its policy’s, as `authorize` does', async () => {
    const { project, client, question } = await setUp({ plan: { monthlyQuota: 100 } });
    const costs = [30, 0, undefined, 70, 69, 1, 0];
    const answer = await client.authorizeBatch(costs.map((cost) => ({ ...question, cost })));
    const [full, room] = ['quota_exceeded', 'allowed'];
    expect(outcomesOf(answer)).toEqual([room, room, room, full, room, full, room]);
    const decision = decisionSchema.parse((await client.authorize({ ...question, cost: 1 })).json);
    expect(decision).toMatchObject({
      denialReason: 'quota_exceeded',
      exceededLimit: { owner: 'plan', window: 'month', value: 100 },
    });
    expect((await client.authorize({ ...question, cost: 0 })).json).toMatchObject({
      allowed: true,
      limits: { remainingThisMonth: 0 },
    });
    await project.setPlanLimits({ monthlyQuota: 1_000_100 });
    expect((await client.authorize({ ...question, cost: 1_000_000 })).json).toMatchObject({
      allowed: true,
      limits: { remainingThisMonth: 0 },
    });
  });

  it('charges in the order of the requests, and exactly up to the limit', async () => {
    const { client, question } = await setUp({ plan: { monthlyQuota: 10 } });
    const first = await client.authorizeBatch(Array(8).fill(question));
    const left = resultsOf(first).map((result) => {
      const decision = allowDecisionSchema.parse(result.status === 200 && result.decision);
      return decision.limits.remainingThisMonth;
    });
    expect(left).toEqual([9, 8, 7, 6, 5, 4, 3, 2]);
    const second = await client.authorizeBatch(Array(4).fill(question));
    expect(outcomesOf(second)).toEqual(['allowed', 'allowed', 'quota_exceeded', 'quota_exceeded']);
  });

  it('charges a minute exactly when several batches of two keys arrive at once', async () => {
    await withinOneMinute(async () => {
      const { project, client, question } = await setUp({ plan: { rateLimitPerMinute: 70 } });
      const other = { ...question, apiKey: (await project.createKey()).plaintext };
      const batch = Array.from({ length: 25 }, (_, index) => (index % 2 ? question : other));
      const replies = await Promise.all(
        Array.from({ length: 4 }, () => client.authorizeBatch(batch)),
      );
      const outcomes = replies.flatMap(outcomesOf);
      expect(outcomes.filter((outcome) => outcome === 'allowed')).toHaveLength(70);
      expect(outcomes.filter((outcome) => outcome === 'rate_limited')).toHaveLength(30);
    });
  });

  it('refuses a malformed request alone, and names its field by its place', async () => {
    const { client, question } = await setUp();
    const { method: _, ...withoutMethod } = question;
    const requests = [question, withoutMethod, 7, null, { ...question, path: 1 }, question];
    const reply = await client.authorizeBatch(requests);
    expect(outcomesOf(reply)).toEqual(['allowed', 400, 400, 400, 400, 'allowed']);
    expect(resultsOf(reply).slice(1, 5)).toEqual(
      [
        '"requests.1.method" is required.',
        '"requests.2" must be an object.',
        '"requests.3" must be an object.',
        '"requests.4.path" must be a string.',
      ].map((message) => ({ status: 400, error: 'invalid_request', message })),
    );
  });

  it('of malformed requests alone judges the secret first', async () => {
    const { client } = await setUp();
    expect(outcomesOf(await client.authorizeBatch([7, {}]))).toEqual([400, 400]);
    expectError(await client.authorizeBatch([7, {}], { secret: 'x' }), 'unauthorized');
    expectError(await client.authorizeBatch([], { secret: 'x' }), 'unauthorized');
  });

  it('with a wrong secret is 401 as a whole and charges nothing', async () => {
    const { client, question } = await setUp({ plan: { monthlyQuota: 3 } });
    expectError(
      await client.authorizeBatch(Array(3).fill(question), { secret: 'x' }),
      'unauthorized',
    );
    expect(outcomesOf(await client.authorizeBatch(Array(3).fill(question)))).toEqual(
      Array(3).fill('allowed'),
    );
  });

  it.each([
    ['no field', {}, '"requests" is required.'],
    ['no array', { requests: {} }, '"requests" must be an array.'],
    ['no request', { requests: [] }, '"requests" must hold at least one request.'],
    [
      '257 requests',
      { requests: Array(257).fill(7) },
      '"requests" must hold at most 256 requests.',
    ],
  ])('with %s is 400 as a whole', async (_what, body, message) => {
    const { client } = await setUp();
    expectError(await client.authorizeBatch([], { body }), 'invalid_request', message);
  });

  it(`of ${BATCH_SIZE_MAX} requests with 32 keys is answered`, async () => {
    const { project, client, question } = await setUp();
    const keys = await Promise.all(Array.from({ length: 32 }, () => project.createKey()));
    const requests = Array.from({ length: BATCH_SIZE_MAX }, (_, index) => ({
      ...question,
      apiKey: keys[index % keys.length]?.plaintext,
    }));
    expect(outcomesOf(await client.authorizeBatch(requests))).toEqual(
      Array(BATCH_SIZE_MAX).fill('allowed'),
    );
  });

  it('sees a change that was acknowledged before it was sent', async () => {
    const { client, apiKey, question } = await setUp();
    expect(outcomesOf(await client.authorizeBatch([question]))).toEqual(['allowed']);
    await client.revoke(apiKey.apiKeyId);
    expect(outcomesOf(await client.authorizeBatch([question, question]))).toEqual(
      Array(2).fill('revoked_api_key'),
    );
  });

  it('has 503 for what cannot be charged, beside decisions that need no charge', async () => {
    const { project, client, question } = await setUp();
    const redis = new Redis(redisUrl);
    try {
      // A key of another type: every charge of this project fails, and of no other.
      await redis.set(`ceiba:{${project.projectId}}:usage`, 'not a hash');
      const denied = { ...question, path: '/elsewhere' };
      const reply = await client.authorizeBatch([question, denied, question]);
      expect(outcomesOf(reply)).toEqual([503, 'policy_no_match', 503]);
      expect(resultsOf(reply)[0]).toEqual({
        status: 503,
        error: 'unavailable',
        message: 'The service cannot answer now. Try again shortly.',
      });
    } finally {
      redis.disconnect();
    }
  });
});
