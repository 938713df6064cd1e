import { createHash } from 'node:crypto';
import type { CeibaRuntimeClient } from '@ceiba/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startRealRuntime } from './support/real-runtime.ts';
import { clientOf, loadSdk } from './support/sdk.ts';

/* The keys of a project, through the built package and a real Runtime. */

const sdk = await loadSdk();
const runtime = await startRealRuntime();
let client: CeibaRuntimeClient;

beforeAll(async () => {
  client = clientOf(sdk, runtime.url, await runtime.world.createProject());
});
afterAll(async () => {
  client.close();
  await runtime.close();
});

const reasonOf = async (apiKey: string) => {
  const decision = await client.authorize({ apiKey, method: 'GET', path: '/v1/reports' });
  return decision.allowed ? 'allowed' : decision.denialReason;
};

/** What a call fails with. */
const failureOf = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    ({ status, body }: { status: number; body: Record<string, unknown> }) => ({ status, ...body }),
  );

describe('a key', () => {
  it('is rotated with and without an overlap, and a repeat after a lost answer changes nothing', async () => {
    const { apiKeyId, keyPrefix, plaintextKey } = await client.createApiKey('Rotated');
    const rotated = await client.rotateApiKey(apiKeyId, { keyPrefix, overlapSeconds: 600 });
    expect(rotated).toMatchObject({ apiKeyId, previous: { keyPrefix } });
    expect(await reasonOf(plaintextKey)).toBe('allowed');
    expect(await reasonOf(rotated.plaintextKey)).toBe('allowed');

    const repeated = client.rotateApiKey(apiKeyId, { keyPrefix, overlapSeconds: 600 });
    expect(await failureOf(repeated)).toMatchObject({ status: 409, error: 'conflict' });
    const unconfirmed = { keyPrefix: rotated.keyPrefix, overlapSeconds: 0 };
    expect(await failureOf(client.rotateApiKey(apiKeyId, unconfirmed))).toMatchObject({
      status: 409,
    });

    const unreplaced = { keyPrefix: rotated.keyPrefix };
    expect(await failureOf(client.endPreviousSecret(apiKeyId, unreplaced))).toMatchObject({
      status: 409,
      error: 'conflict',
    });
    expect((await client.endPreviousSecret(apiKeyId, { keyPrefix })).previous).toBeUndefined();
    expect((await client.endPreviousSecret(apiKeyId)).previous).toBeUndefined();
    expect(await reasonOf(plaintextKey)).toBe('invalid_api_key');
    const last = await client.rotateApiKey(apiKeyId, unconfirmed);
    expect(last.previous).toBeNull();
    expect(await reasonOf(rotated.plaintextKey)).toBe('invalid_api_key');
    expect(await reasonOf(last.plaintextKey)).toBe('allowed');
  });

  it('is created once for an idempotency key', async () => {
    const input = { displayName: 'Once', metadata: { order: '42' } };
    const options = { idempotencyKey: 'order 42' };
    const { apiKeyId } = await client.createApiKey(input, options);
    const repeat = await failureOf(client.createApiKey(input, options));
    expect(repeat).toMatchObject({ status: 409, error: 'conflict', apiKeyId });
    const other = await failureOf(client.createApiKey('Another body', options));
    expect(other).toMatchObject({ status: 409 });
    expect(other).not.toHaveProperty('apiKeyId');
  });

  it('is created with others, of which one that is refused leaves the rest', async () => {
    const { results } = await client.createApiKeys([{ displayName: 'Good' }, { displayName: '' }]);
    expect(results).toMatchObject([
      { status: 200, apiKey: { displayName: 'Good' } },
      { status: 400, error: 'invalid_request' },
    ]);
  });

  it('of another issuer is imported by its digest, and its secret is allowed', async () => {
    const secret = 'sk_another-issuers-secret-1';
    const digest = createHash('sha256').update(secret).digest('base64');
    const key = { digest, encoding: 'base64', displayName: 'Foreign', keyPrefix: 'sk_' } as const;
    const { results } = await client.importApiKeys([key, { ...key, digest: 'short' }]);
    expect(results).toMatchObject([{ status: 200 }, { status: 400, error: 'invalid_request' }]);
    expect(await reasonOf(secret)).toBe('allowed');
    expect((await client.importApiKeys([key])).results[0]).toEqual(results[0]);
  });
});

describe('the keys of a project', () => {
  it('are found by page and by what is asked for, and each once over all pages', async () => {
    const many = Array.from({ length: 7 }, (_, n) => ({
      displayName: `Listed ${n}`,
      metadata: { team: n % 2 === 0 ? 'even' : 'odd' },
    }));
    await client.createApiKeys(many);
    const page = await client.findApiKeys({ search: 'listed', limit: 3 });
    expect(page.apiKeys).toHaveLength(3);
    const { nextCursor: cursor } = page;
    expect(cursor).not.toBeNull();
    const next = await client.findApiKeys({ search: 'listed', limit: 3, cursor: cursor ?? '' });
    const names = [...page.apiKeys, ...next.apiKeys].map(({ displayName }) => displayName);
    expect(new Set(names).size).toBe(6);

    const namesOf = async (query: Parameters<typeof client.eachApiKey>[0]) => {
      const names: string[] = [];
      for await (const { displayName } of client.eachApiKey(query)) names.push(displayName);
      return names;
    };
    const all = await namesOf({ search: 'listed', limit: 2 });
    expect(all.sort()).toEqual(many.map(({ displayName }) => displayName));
    const odd = await namesOf({ metadata: { team: 'odd' }, limit: 2 });
    expect(odd.sort()).toEqual(['Listed 1', 'Listed 3', 'Listed 5']);
    const { apiKeys } = await client.listApiKeys();
    expect(await namesOf({})).toEqual(apiKeys.map(({ displayName }) => displayName));
  });
});
