import type { AuthorizeInput, CeibaRuntimeClient, Decision, FetchLike } from '@ceiba/sdk';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { TestProject } from '../support/scenario.ts';
import { startRealRuntime } from './support/real-runtime.ts';
import { clientOf, loadSdk } from './support/sdk.ts';

/*
 * Questions that share requests, against a real Runtime: the verdicts, their order and the charges
 * are those of questions that are asked one by one.
 */

const sdk = await loadSdk();
const runtime = await startRealRuntime();
afterAll(() => runtime.close());

const open: CeibaRuntimeClient[] = [];
afterEach(() => {
  for (const client of open.splice(0)) client.close();
});

function openClient(project: TestProject, fetch?: FetchLike): CeibaRuntimeClient {
  const client = clientOf(sdk, runtime.url, project, { fetch });
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
    const client = openClient(project, viaFetch ? recordingFetch(sizes) : undefined);
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

describe('a Runtime that does not know the route', () => {
  it('is asked one by one: each question is answered, and charged once', async () => {
    const project = await runtime.world.createProject({ plan: { monthlyQuota: 1_000 } });
    const { plaintext } = await project.createKey();
    const sizes: number[] = [];
    const record = recordingFetch(sizes);
    const older: FetchLike = (url, init) => record(url.replace(/batch$/, 'unknown'), init);
    const client = openClient(project, older);
    const asked = repeat(50, reports(plaintext)).map((question) => client.authorize(question));
    const verdicts = (await Promise.all(asked)).map(verdictOf);
    expect(new Set(verdicts)).toEqual(new Set(['allowed']));
    expect(sizes.filter((size) => size > 1)).toEqual([46]);
    const decision = await client.authorize(reports(plaintext));
    expect(decision.limits?.remainingThisMonth).toBe(1_000 - 50 - 1);
  });
});
