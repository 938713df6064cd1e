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
 * The answers of the key routes, read field by field. Each function returns null for a body that
 * has another shape; the client turns that into a transport error.
 */

function statusOf(value: unknown): ApiKeyStatus | null {
  return API_KEY_STATUSES.find((status) => status === value) ?? null;
}

/** A string, or null where the wire says null; undefined when it is neither. */
function nullableText(value: unknown): string | null | undefined {
  return value === null || typeof value === 'string' ? value : undefined;
}

/** Reads one key in read shape. */
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

/** Reads the list of all keys; one entry of another shape spoils the list. */
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

/** Reads the create result, the only answer with a plaintext key. */
export function parseApiKeyCreateResult(body: unknown): ApiKeyCreateResult | null {
  const fields = fieldsOf(body);
  const apiKeyId = textOf(fields?.apiKeyId);
  const displayName = textOf(fields?.displayName);
  const keyPrefix = textOf(fields?.keyPrefix);
  const plaintextKey = textOf(fields?.plaintextKey);
  if (!apiKeyId || !displayName || !keyPrefix || !plaintextKey) return null;
  return { apiKeyId, displayName, keyPrefix, plaintextKey };
}

/** Reads the result of revoke or archive. */
export function parseApiKeyLifecycleResult(body: unknown): ApiKeyLifecycleResult | null {
  const fields = fieldsOf(body);
  const apiKeyId = textOf(fields?.apiKeyId);
  const status = statusOf(fields?.status);
  if (apiKeyId === null || status === null || status === 'active') return null;
  return { apiKeyId, status };
}
