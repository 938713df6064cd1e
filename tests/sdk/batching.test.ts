import type { AuthorizeInput, CeibaRuntimeClient, Decision, FetchLike } from '@ceiba/sdk';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { TestProject } from '../support/scenario.ts';
import { type RealRuntime, startRealRuntime } from './support/real-runtime.ts';
import { loadSdk, type Sdk } from './support/sdk.ts';

/*
 * Questions that share requests, against a real Runtime: the verdicts, their order and the charges
 * are those of questions that are asked one by one.
 */

let sdk: Sdk;
let runtime: RealRuntime;
beforeAll(async () => {
  sdk = await loadSdk();
  runtime = await startRealRuntime();
});
afterAll(() => runtime.close());

const open: CeibaRuntimeClient[] = [];
afterEach(() => {
  for (const client of open.splice(0)) client.close();
});

function clientOf({ projectId, secret }: TestProject, fetch?: FetchLike): CeibaRuntimeClient {
  const config = sdk.root.parseCeibaConfig({
    runtimeBaseUrl: runtime.url,
    projectId,
    projectSecret: secret,
    timeoutMs: 10_000,
  });
  const client = new sdk.root.CeibaRuntimeClient(config, { fetch });
  open.push(client);
  return client;
}

/** A fetch that records how many questions each request carried. */
function recordingFetch(sizes: number[]): FetchLike {
  return (url, init) => {
    sizes.push(JSON.parse(String(init.body)).requests?.length ?? 1);
    return fetch(url, init);
  };
}

const repeat = (count: number, question: AuthorizeInput) =>
  Array.from({ length: count }, () => question);
const reports = (apiKey: string) => ({ apiKey, method: 'GET', path: '/v1/reports' });
const verdictOf = (decision: Decision) => (decision.allowed ? 'allowed' : decision.denialReason);

describe.each([
  ['node:http', false],
  ['a custom fetch', true],
])('200 questions at once over %s', (_name, viaFetch) => {
  it('allow exactly what the quota leaves', async () => {
    const project = await runtime.world.createProject({ plan: { monthlyQuota: 77 } });
    const { plaintext } = await project.createKey();
    const sizes: number[] = [];
    const client = clientOf(project, viaFetch ? recordingFetch(sizes) : undefined);
    const asked = repeat(200, reports(plaintext)).map((question) => client.authorize(question));
    const verdicts = (await Promise.all(asked)).map(verdictOf);
    expect(verdicts.filter((verdict) => verdict === 'allowed')).toHaveLength(77);
    expect(verdicts.filter((verdict) => verdict === 'quota_exceeded')).toHaveLength(123);
    // Four leave alone, and the others share: each question is sent once.
    if (viaFetch) {
      expect(sizes.reduce((sum, size) => sum + size)).toBe(200);
      expect(Math.max(...sizes)).toBe(64);
    }
  });
});

describe('the questions of one batch', () => {
  it('are charged in the order in which they were asked', async () => {
    const project = await runtime.world.createProject({ plan: { monthlyQuota: 30 } });
    const { plaintext } = await project.createKey();
    const client = clientOf(project);
    const asked = repeat(4 + 64, reports(plaintext)).map((question) => client.authorize(question));
    const inBatch = (await Promise.all(asked)).slice(4);
    const left = inBatch.map((decision) => decision.limits?.remainingThisMonth);
    expect(left).toEqual([...left].sort((a, b) => Number(b) - Number(a)));
    const verdicts = inBatch.map(verdictOf);
    expect(verdicts.lastIndexOf('allowed')).toBeLessThan(verdicts.indexOf('quota_exceeded'));
  });

  it('each get the verdict on their own key and path', async () => {
    const project = await runtime.world.createProject();
    const keys = await Promise.all(
      Array.from({ length: 8 }, (_, index) => project.createKey({ displayName: `Key ${index}` })),
    );
    const client = clientOf(project);
    await client.revokeApiKey(keys[3]!.apiKeyId);
    const questions = Array.from({ length: 96 }, (_, index) => ({
      ...reports(keys[index % 8]!.plaintext),
      path: index % 5 === 0 ? '/v1/billing' : '/v1/reports',
    }));
    const expected = questions.map(({ path }, index) => {
      if (index % 8 === 3) return 'revoked_api_key';
      return path === '/v1/billing' ? 'policy_no_match' : `Key ${index % 8}`;
    });
    const decisions = await Promise.all(questions.map((question) => client.authorize(question)));
    const shown = decisions.map((decision) =>
      decision.allowed ? decision.access.apiKey.displayName : decision.denialReason,
    );
    expect(shown).toEqual(expected);
  });

  it('fail alone where they are malformed', async () => {
    const project = await runtime.world.createProject();
    const { plaintext } = await project.createKey();
    const client = clientOf(project);
    const outcomes = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        const method = index % 2 === 0 ? 'GET' : 'not a method';
        try {
          return verdictOf(await client.authorize({ ...reports(plaintext), method }));
        } catch (error) {
          return (error as { status: number }).status;
        }
      }),
    );
    expect(outcomes).toEqual(outcomes.map((_, index) => (index % 2 === 0 ? 'allowed' : 400)));
  });

  it('are denied from the first question after the revocation was acknowledged', async () => {
    const project = await runtime.world.createProject();
    const { apiKeyId, plaintext } = await project.createKey();
    const client = clientOf(project);
    const before = repeat(60, reports(plaintext)).map((question) => client.authorize(question));
    await client.revokeApiKey(apiKeyId);
    const after = repeat(60, reports(plaintext)).map((question) => client.authorize(question));
    await Promise.all(before);
    expect(new Set((await Promise.all(after)).map(verdictOf))).toEqual(
      new Set(['revoked_api_key']),
    );
  });

  it('all fail with 401 where the project secret is wrong, and charge nothing', async () => {
    const project = await runtime.world.createProject({ plan: { monthlyQuota: 5 } });
    const { plaintext } = await project.createKey();
    const wrong = clientOf({ ...project, secret: 'ceiba_secret_wrong' });
    const statuses = await Promise.all(
      repeat(40, reports(plaintext)).map((question) =>
        wrong.authorize(question).catch((error) => error.status),
      ),
    );
    expect(new Set(statuses)).toEqual(new Set([401]));
    const decision = await clientOf(project).authorize(reports(plaintext));
    expect(decision.limits?.remainingThisMonth).toBe(4);
  });
});

describe('a Runtime that does not know the route', () => {
  it('is asked one by one: each question is answered, and charged once', async () => {
    const project = await runtime.world.createProject({ plan: { monthlyQuota: 1_000 } });
    const { plaintext } = await project.createKey();
    const sizes: number[] = [];
    const record = recordingFetch(sizes);
    const older: FetchLike = (url, init) => record(url.replace(/batch$/, 'unknown'), init);
    const client = clientOf(project, older);
    const asked = repeat(50, reports(plaintext)).map((question) => client.authorize(question));
    const verdicts = (await Promise.all(asked)).map(verdictOf);
    expect(new Set(verdicts)).toEqual(new Set(['allowed']));
    expect(sizes.filter((size) => size > 1)).toEqual([46]);
    const decision = await client.authorize(reports(plaintext));
    expect(decision.limits?.remainingThisMonth).toBe(1_000 - 50 - 1);
  });
});
