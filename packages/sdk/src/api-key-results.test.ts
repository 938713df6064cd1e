import { API_KEY_STATUSES } from '@ceiba/contract/sets';
import { describe, expect, it } from 'vitest';
import {
  parseApiKeyCreateResult,
  parseApiKeyLifecycleResult,
  parseApiKeyListResult,
  parseApiKeySummary,
} from './generated/wire.ts';

const SUMMARY = {
  apiKeyId: 'id',
  displayName: 'name',
  keyPrefix: 'ceiba_12345678',
  status: 'active',
  createdAt: '2026-11-22T00:00:00.000Z',
  expiresAt: null,
  revokedAt: null,
  archivedAt: null,
  lastUsedAt: null,
};
const CREATED = {
  apiKeyId: 'id',
  displayName: 'name',
  keyPrefix: 'ceiba_12345678',
  plaintextKey: 'ceiba_plaintext',
};
const NULLABLE = ['expiresAt', 'revokedAt', 'archivedAt', 'lastUsedAt'];
const NOT_OBJECTS = [null, undefined, 'text', 7, true];

/** Copies of a body: one without the field, and one for each invalid value of the field. */
function invalidBodies(body: Record<string, unknown>, field: string, values: readonly unknown[]) {
  const { [field]: _, ...without } = body;
  return [without, ...values.map((value) => ({ ...body, [field]: value }))];
}

describe('a key', () => {
  it('is parsed field by field, and unknown fields are dropped', () => {
    expect(parseApiKeySummary({ ...SUMMARY, secret: 'x' })).toEqual(SUMMARY);
    for (const status of API_KEY_STATUSES) {
      expect(parseApiKeySummary({ ...SUMMARY, status })?.status).toBe(status);
    }
  });

  it.each(NULLABLE)('accepts only a string or null for %s', (field) => {
    const at = '2026-11-23T00:00:00.000Z';
    expect(parseApiKeySummary({ ...SUMMARY, [field]: at })).toEqual({ ...SUMMARY, [field]: at });
    for (const body of invalidBodies(SUMMARY, field, [7, false, {}])) {
      expect(parseApiKeySummary(body)).toBeUndefined();
    }
  });

  it.each(Object.keys(SUMMARY).filter((field) => !NULLABLE.includes(field)))(
    'is refused unless %s is a non-empty string',
    (field) => {
      for (const body of invalidBodies(SUMMARY, field, [null, 7, '', ['active']])) {
        expect(parseApiKeySummary(body)).toBeUndefined();
      }
    },
  );

  it('is refused with an unknown status', () => {
    expect(parseApiKeySummary({ ...SUMMARY, status: 'paused' })).toBeUndefined();
  });

  it.each(NOT_OBJECTS)('is refused if it is %j', (body) => {
    expect(parseApiKeySummary(body)).toBeUndefined();
  });
});

describe('a list of keys', () => {
  it('keeps its order, and is refused if one key is invalid', () => {
    const other = { ...SUMMARY, apiKeyId: 'other' };
    expect(parseApiKeyListResult({ apiKeys: [] })).toEqual({ apiKeys: [] });
    expect(parseApiKeyListResult({ apiKeys: [SUMMARY, other] })).toEqual({
      apiKeys: [SUMMARY, other],
    });
    expect(
      parseApiKeyListResult({ apiKeys: [SUMMARY, { ...other, status: 'paused' }] }),
    ).toBeUndefined();
  });

  it.each([...NOT_OBJECTS, {}, { apiKeys: {} }, { apiKeys: 'text' }])(
    'is refused if it is %j',
    (body) => {
      expect(parseApiKeyListResult(body)).toBeUndefined();
    },
  );
});

describe('the answer to a create', () => {
  it('contains the plaintext key, and unknown fields are dropped', () => {
    expect(parseApiKeyCreateResult({ ...CREATED, more: 1 })).toEqual(CREATED);
  });

  it.each(Object.keys(CREATED))('is refused unless %s is a non-empty string', (field) => {
    for (const body of invalidBodies(CREATED, field, [null, 7, ''])) {
      expect(parseApiKeyCreateResult(body)).toBeUndefined();
    }
  });

  it.each(NOT_OBJECTS)('is refused if it is %j', (body) => {
    expect(parseApiKeyCreateResult(body)).toBeUndefined();
  });
});

describe('the answer to a revoke or an archive', () => {
  it.each(['revoked', 'archived'])('reports that the key is %s', (status) => {
    expect(parseApiKeyLifecycleResult({ apiKeyId: 'id', status, more: 1 })).toEqual({
      apiKeyId: 'id',
      status,
    });
  });

  it.each([
    ...NOT_OBJECTS,
    { status: 'revoked' },
    { apiKeyId: 7, status: 'revoked' },
    { apiKeyId: 'id' },
    { apiKeyId: 'id', status: 'active' },
    { apiKeyId: 'id', status: 'paused' },
  ])('is refused if it is %j', (body) => {
    expect(parseApiKeyLifecycleResult(body)).toBeUndefined();
  });
});
