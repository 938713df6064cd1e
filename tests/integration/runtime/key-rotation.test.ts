/** The routes that replace the secret of a key, and what decisions answer to both secrets. */
import { randomUUID } from 'node:crypto';
import {
  apiKeyCreateResultSchema,
  apiKeyRotateResultSchema,
  apiKeySummarySchema,
} from '@ceiba/contract';
import { isWellFormedApiKey } from '@ceiba/domain';
import { afterAll, describe, expect, it } from 'vitest';
import { type Reply, runtimeClient } from '../../support/scenario.ts';
import { expectError, expectOk, FIELDS } from './assertions.ts';
import { startWorld } from './setup.ts';

const { world, runtime } = await startWorld();
const project = await world.createProject();
const client = runtimeClient(runtime.url, project);

afterAll(() => {
  // Nothing that this file sent was an error of the Runtime.
  expect(runtime.stdout()).not.toMatch(/"level":"(?:error|fatal)"/);
});

const ROTATED = ['apiKeyId', 'keyPrefix', 'plaintextKey', 'previous'];
const DAY = 86_400;

const created = async () =>
  expectOk(await client.createKey('Mobile app'), apiKeyCreateResultSchema, FIELDS.created);
const rotate = (apiKeyId: string, body: unknown) =>
  client.callBelow('POST', `/api-keys/${apiKeyId}/rotate`, { body });
const endPrevious = (apiKeyId: string, body?: object) =>
  client.callBelow('POST', `/api-keys/${apiKeyId}/end-previous-secret`, { body });
const rotatedOf = (reply: Reply) => expectOk(reply, apiKeyRotateResultSchema, ROTATED);
const keyOf = (reply: Reply, more: readonly string[] = []) =>
  expectOk(reply, apiKeySummarySchema, [...FIELDS.apiKey, ...more]);

const verdict = async (apiKey: string) => {
  const { json } = await client.authorize({ apiKey });
  const { allowed, denialReason } = json as { allowed: boolean; denialReason?: string };
  return allowed ? 'allowed' : denialReason;
};

describe('POST …/api-keys/{apiKeyId}/rotate', () => {
  it('answers the new secret once, and the old one is valid for the overlap', async () => {
    const { apiKeyId, keyPrefix, plaintextKey } = await created();
    const before = Date.now();
    const answer = rotatedOf(await rotate(apiKeyId, { keyPrefix, overlapSeconds: DAY }));
    expect(answer.apiKeyId).toBe(apiKeyId);
    expect(isWellFormedApiKey(answer.plaintextKey)).toBe(true);
    expect(answer.plaintextKey).not.toBe(plaintextKey);
    expect(answer.keyPrefix).toBe(answer.plaintextKey.slice(0, keyPrefix.length));
    const { validUntil } = answer.previous!;
    expect(answer.previous).toEqual({ keyPrefix, validUntil });
    expect(Math.abs(Date.parse(validUntil) - before - DAY * 1_000)).toBeLessThan(60_000);

    expect(await verdict(answer.plaintextKey)).toBe('allowed');
    const read = () => client.getKey(apiKeyId);
    const previous = { keyPrefix, validUntil, lastUsedAt: null };
    const key = keyOf(await read(), ['previous']);
    expect(key).toMatchObject({ keyPrefix: answer.keyPrefix, previous });
    expect(await verdict(plaintextKey)).toBe('allowed');
    await expect
      .poll(async () => keyOf(await read(), ['previous']).previous?.lastUsedAt, { timeout: 15_000 })
      .not.toBeNull();
  });

  it('with an overlap of 0 ends the old secret with the next decision', async () => {
    const { apiKeyId, keyPrefix, plaintextKey } = await created();
    const answer = rotatedOf(await rotate(apiKeyId, { keyPrefix, overlapSeconds: 0 }));
    expect(answer.previous).toBeNull();
    expect(await verdict(plaintextKey)).toBe('invalid_api_key');
    expect(await verdict(answer.plaintextKey)).toBe('allowed');
    keyOf(await client.getKey(apiKeyId));
  });

  it('never lets the old secret outlive the key', async () => {
    const { apiKeyId, keyPrefix } = await created();
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    await client.setExpiry(apiKeyId, expiresAt);
    const { previous } = rotatedOf(await rotate(apiKeyId, { keyPrefix, overlapSeconds: DAY }));
    expect(previous).toEqual({ keyPrefix, validUntil: expiresAt });
  });

  it('repeated after a lost answer is a conflict that names the prefix, and costs nothing', async () => {
    const { apiKeyId, keyPrefix, plaintextKey } = await created();
    const body = { keyPrefix, overlapSeconds: DAY, confirm: true };
    const [one, other] = await Promise.all([rotate(apiKeyId, body), rotate(apiKeyId, body)]);
    const [made, refused] = one.status === 200 ? [one, other] : [other, one];
    const answer = rotatedOf(made);
    expectError(refused, 'conflict', `it begins with "${answer.keyPrefix}"`);
    expectError(await rotate(apiKeyId, body), 'conflict', answer.keyPrefix);
    expect(await verdict(plaintextKey)).toBe('allowed');
    expect(await verdict(answer.plaintextKey)).toBe('allowed');
  });

  it('within a running overlap needs `confirm`, which ends the oldest secret', async () => {
    const { apiKeyId, keyPrefix, plaintextKey } = await created();
    const first = rotatedOf(await rotate(apiKeyId, { keyPrefix, overlapSeconds: DAY }));
    const body = { keyPrefix: first.keyPrefix, overlapSeconds: DAY };
    const { validUntil } = first.previous!;
    for (const confirm of [undefined, false]) {
      const reply = await rotate(apiKeyId, { ...body, confirm });
      expectError(reply, 'conflict', `"${keyPrefix}", is valid until ${validUntil}`);
    }
    const second = rotatedOf(await rotate(apiKeyId, { ...body, confirm: true }));
    const secrets = [plaintextKey, first.plaintextKey, second.plaintextKey];
    expect(await Promise.all(secrets.map(verdict))).toEqual([
      'invalid_api_key',
      'allowed',
      'allowed',
    ]);
  });

  it.each([
    ['revoked', 'Only an active key can be rotated; this one is revoked.'],
    ['archived', 'Only an active key can be rotated; this one is archived.'],
    ['expired', 'Only an active key can be rotated; this one has expired.'],
  ])('of a key that is %s is a conflict that names its state', async (state, message) => {
    const { apiKeyId, keyPrefix } = await created();
    if (state === 'revoked') await client.revoke(apiKeyId);
    if (state === 'archived') await client.archive(apiKeyId);
    if (state === 'expired') await client.setExpiry(apiKeyId, '2001-01-01T00:00:00Z');
    expectError(await rotate(apiKeyId, { keyPrefix, overlapSeconds: 0 }), 'conflict', message);
  });

  it.each([
    ['keyPrefix', undefined, '"keyPrefix" is required.'],
    ['keyPrefix', null, '"keyPrefix" must be a string.'],
    ['keyPrefix', '', '"keyPrefix" must not be empty.'],
    ['keyPrefix', 7, '"keyPrefix" must be a string.'],
    ['overlapSeconds', undefined, '"overlapSeconds" is required.'],
    ['overlapSeconds', null, '"overlapSeconds" must be a whole number from 0 to 2592000.'],
    ['overlapSeconds', '60', '"overlapSeconds" must be a whole number from 0 to 2592000.'],
    ['overlapSeconds', -1, '"overlapSeconds" must be a whole number from 0 to 2592000.'],
    ['overlapSeconds', 1.5, '"overlapSeconds" must be a whole number from 0 to 2592000.'],
    ['overlapSeconds', 2_592_001, '"overlapSeconds" must be a whole number from 0 to 2592000.'],
    ['confirm', 'true', '"confirm" must be a boolean.'],
    ['confirm', null, '"confirm" must be a boolean.'],
    ['expiresAt', null, '"expiresAt" is not a known field.'],
  ])(
    'with a wrong %s (%j) is a 400 before any state is looked at',
    async (field, value, message) => {
      const revoked = await created();
      await client.revoke(revoked.apiKeyId);
      for (const apiKeyId of [revoked.apiKeyId, randomUUID()]) {
        const body = { keyPrefix: 'ceiba_other123', overlapSeconds: 0, [field]: value };
        expectError(await rotate(apiKeyId, body), 'invalid_request', message);
      }
    },
  );

  it('without a body is a 400, and of a key of another project a 404', async () => {
    const { apiKeyId } = await created();
    expectError(await rotate(apiKeyId, undefined), 'invalid_request');
    const stranger = await (await world.createProject()).createKey();
    const body = { keyPrefix: stranger.keyPrefix, overlapSeconds: 0 };
    expectError(await rotate(stranger.apiKeyId, body), 'not_found');
    expectError(await endPrevious(stranger.apiKeyId), 'not_found');
  });

  it('leaves what the key has used: both secrets are charged to the same counters', async () => {
    const key = await project.createKey({ monthlyQuota: 3 });
    await client.authorize({ apiKey: key.plaintext });
    const body = { keyPrefix: key.keyPrefix, overlapSeconds: DAY };
    const { plaintextKey } = rotatedOf(await rotate(key.apiKeyId, body));
    const left = async (apiKey: string) => {
      const { json } = await client.authorize({ apiKey });
      return (json as { limits: { remainingThisMonth: number } }).limits.remainingThisMonth;
    };
    expect([await left(key.plaintext), await left(plaintextKey)]).toEqual([1, 0]);
    expect(await verdict(key.plaintext)).toBe('quota_exceeded');
  });
});

describe('POST …/api-keys/{apiKeyId}/end-previous-secret', () => {
  it('ends the old secret with the next decision, and may be repeated', async () => {
    const { apiKeyId, keyPrefix, plaintextKey } = await created();
    const answer = rotatedOf(await rotate(apiKeyId, { keyPrefix, overlapSeconds: DAY }));
    for (let time = 0; time < 2; time += 1) {
      expect(keyOf(await endPrevious(apiKeyId)).keyPrefix).toBe(answer.keyPrefix);
      expect(await verdict(plaintextKey)).toBe('invalid_api_key');
      expect(await verdict(answer.plaintextKey)).toBe('allowed');
    }
  });

  it('that names another secret than the old one is a conflict, and both stay valid', async () => {
    const { apiKeyId, keyPrefix, plaintextKey } = await created();
    const answer = rotatedOf(await rotate(apiKeyId, { keyPrefix, overlapSeconds: DAY }));
    for (const other of [answer.keyPrefix, 'ceiba_other123']) {
      expectError(
        await endPrevious(apiKeyId, { keyPrefix: other }),
        'conflict',
        `The old secret of the key is another one than "${other}"`,
      );
    }
    expect(await verdict(plaintextKey)).toBe('allowed');
    expect(await verdict(answer.plaintextKey)).toBe('allowed');
    for (let time = 0; time < 2; time += 1) {
      expect(keyOf(await endPrevious(apiKeyId, { keyPrefix })).keyPrefix).toBe(answer.keyPrefix);
      expect(await verdict(plaintextKey)).toBe('invalid_api_key');
    }
  });

  it.each([
    [{ keyPrefix: '' }, '"keyPrefix" must not be empty.'],
    [{ keyPrefix: null }, '"keyPrefix" must be a string.'],
    [{ confirm: true }, '"confirm" is not a known field.'],
  ])('with the wrong body %j is a 400', async (body, message) => {
    const { apiKeyId } = await created();
    expectError(await endPrevious(apiKeyId, body), 'invalid_request', message);
  });

  it('of a revoked key is a conflict', async () => {
    const { apiKeyId } = await created();
    await client.revoke(apiKeyId);
    expectError(await endPrevious(apiKeyId), 'conflict', 'this one is revoked');
  });
});
