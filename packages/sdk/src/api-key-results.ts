import { API_KEY_STATUSES } from '@ceiba/contract/sets';
import { fieldsOf, textOf } from './decision.ts';
import type {
  ApiKeyCreateResult,
  ApiKeyLifecycleResult,
  ApiKeyListResult,
  ApiKeyStatus,
  ApiKeySummary,
} from './types.ts';

/*
 * Parsers for the answers of the key routes. Each reads field by field and returns null for a body
 * of another shape, which the client turns into a transport error.
 */

function statusOf(value: unknown): ApiKeyStatus | null {
  return API_KEY_STATUSES.find((status) => status === value) ?? null;
}

/** A string or null as it is; undefined for any other value. */
function nullableText(value: unknown): string | null | undefined {
  return value === null || typeof value === 'string' ? value : undefined;
}

/** Parses one key. */
export function parseApiKeySummary(body: unknown): ApiKeySummary | null {
  const fields = fieldsOf(body);
  if (fields === null) return null;
  const apiKeyId = textOf(fields.apiKeyId);
  const displayName = textOf(fields.displayName);
  const keyPrefix = textOf(fields.keyPrefix);
  const status = statusOf(fields.status);
  const createdAt = textOf(fields.createdAt);
  if (!apiKeyId || !displayName || !keyPrefix || !status || !createdAt) return null;
  const expiresAt = nullableText(fields.expiresAt);
  const revokedAt = nullableText(fields.revokedAt);
  const archivedAt = nullableText(fields.archivedAt);
  const lastUsedAt = nullableText(fields.lastUsedAt);
  if (
    expiresAt === undefined ||
    revokedAt === undefined ||
    archivedAt === undefined ||
    lastUsedAt === undefined
  ) {
    return null;
  }
  const identity = { apiKeyId, displayName, keyPrefix, status };
  return { ...identity, createdAt, expiresAt, revokedAt, archivedAt, lastUsedAt };
}

/** Parses the list of all keys; one invalid entry invalidates the list. */
export function parseApiKeyList(body: unknown): ApiKeyListResult | null {
  const entries = fieldsOf(body)?.apiKeys;
  if (!Array.isArray(entries)) return null;
  const apiKeys: ApiKeySummary[] = [];
  for (const entry of entries) {
    const summary = parseApiKeySummary(entry);
    if (summary === null) return null;
    apiKeys.push(summary);
  }
  return { apiKeys };
}

/** Parses the answer to a create, the only answer with a plaintext key. */
export function parseApiKeyCreateResult(body: unknown): ApiKeyCreateResult | null {
  const fields = fieldsOf(body);
  const apiKeyId = textOf(fields?.apiKeyId);
  const displayName = textOf(fields?.displayName);
  const keyPrefix = textOf(fields?.keyPrefix);
  const plaintextKey = textOf(fields?.plaintextKey);
  if (!apiKeyId || !displayName || !keyPrefix || !plaintextKey) return null;
  return { apiKeyId, displayName, keyPrefix, plaintextKey };
}

/** Parses the answer to a revoke or an archive. */
export function parseApiKeyLifecycleResult(body: unknown): ApiKeyLifecycleResult | null {
  const fields = fieldsOf(body);
  const apiKeyId = textOf(fields?.apiKeyId);
  const status = statusOf(fields?.status);
  if (apiKeyId === null || status === null || status === 'active') return null;
  return { apiKeyId, status };
}
