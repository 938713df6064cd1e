import { transportErrorSchema } from '@ceiba/contract';
import type { RuntimeErrorCode } from '@ceiba/contract/sets';
import { HTTP_STATUS_FOR_ERROR } from '@ceiba/contract/sets';
import { expect } from 'vitest';
import type { z } from 'zod';
import type { Reply } from '../../support/scenario.ts';

/** The exact fields of each body, by hand, so that a widened schema cannot let one slip out. */
export const FIELDS = {
  apiKey: [
    'apiKeyId',
    'displayName',
    'keyPrefix',
    'status',
    'createdAt',
    'expiresAt',
    'revokedAt',
    'archivedAt',
    'lastUsedAt',
  ],
  list: ['apiKeys'],
  customer: [
    'customerId',
    'externalId',
    'name',
    'metadata',
    'suspendedAt',
    'plan',
    'subscriptionStatus',
    'currentPeriodEnd',
    'billingDay',
    'rateLimitPerMinute',
    'dailyQuota',
    'monthlyQuota',
    'createdAt',
  ],
  customerList: ['customers', 'nextCursor'],
  usage: ['from', 'to', 'step', 'usage'],
  customerUsage: ['from', 'to', 'step', 'usage', 'period'],
  created: ['apiKeyId', 'displayName', 'keyPrefix', 'plaintextKey'],
  lifecycle: ['apiKeyId', 'status'],
  allow: ['allowed', 'decisionId', 'access', 'limits', 'resetAfterSeconds'],
  deny: ['allowed', 'decisionId', 'denialReason'],
  limits: ['rateLimitPerMinute', 'monthlyQuota', 'remainingThisMinute', 'remainingThisMonth'],
  decisionList: ['decisions', 'nextCursor'],
  error: ['error', 'message', 'requestId'],
} as const;

/** Asserts that an object has these fields, all of them and no other. */
export function expectFields(value: unknown, fields: readonly string[]): void {
  expect(value).toBeTypeOf('object');
  expect(Object.keys(value ?? {}).sort()).toEqual([...fields].sort());
}

/** Asserts a 200 of exactly this shape and returns its body. */
export function expectOk<Schema extends z.ZodType>(
  reply: Reply,
  schema: Schema,
  fields: readonly string[],
): z.output<Schema> {
  expect({ status: reply.status, body: reply.text }).toMatchObject({ status: 200 });
  expect(reply.headers.get('content-type')).toBe('application/json');
  expect(reply.headers.get('cache-control')).toBe('no-store');
  expectFields(reply.json, fields);
  return schema.parse(reply.json);
}

/** Asserts a transport error: its status, code and shape, and what its message says. */
export function expectError(reply: Reply, code: RuntimeErrorCode, message?: string | RegExp): void {
  expect({ status: reply.status, body: reply.text }).toMatchObject({
    status: HTTP_STATUS_FOR_ERROR[code],
  });
  expect(reply.headers.get('content-type')).toBe('application/json');
  expectFields(reply.json, FIELDS.error);
  const body = transportErrorSchema.parse(reply.json);
  expect(body.error).toBe(code);
  expect(body.requestId).toBe(reply.headers.get('x-request-id'));
  if (typeof message === 'string') expect(body.message).toContain(message);
  else if (message !== undefined) expect(body.message).toMatch(message);
}
