import type { ApiKeySummary } from '@ceiba/contract';
import { type KeyLimits, limitsIn, listLimits } from '@ceiba/domain';
import { sql } from 'drizzle-orm';
import { apiKeys } from '../tables.ts';

/** The columns of the read shape; the digest is not among them. */
export const summaryColumns = {
  apiKeyId: apiKeys.id,
  displayName: apiKeys.displayName,
  keyPrefix: apiKeys.keyPrefix,
  status: apiKeys.status,
  createdAt: apiKeys.createdAt,
  expiresAt: apiKeys.expiresAt,
  revokedAt: apiKeys.revokedAt,
  archivedAt: apiKeys.archivedAt,
  lastUsedAt: apiKeys.lastUsedAt,
  customerId: apiKeys.customerId,
  /** A query within the list, because a statement that changes a key cannot join. */
  externalCustomerId: sql<string | null>`(
    select c.external_id from customers c
    where c.project_id = api_keys.project_id and c.id = api_keys.customer_id)`,
  scopes: apiKeys.scopes,
  metadata: apiKeys.metadata,
  isImported: apiKeys.isImported,
  previousPrefix: apiKeys.previousPrefix,
  previousLastUsedAt: apiKeys.previousLastUsedAt,
  /** Whether the key has the secret before the last rotation, which an expired key may have too. */
  hasPrevious: sql<boolean>`coalesce(${apiKeys.previousExpiresAt} > now(), false)`,
  /** Null where that secret is not valid any more. */
  previousValidUntil: sql<Date | null>`case when ${apiKeys.status} = 'active'
    and least(${apiKeys.previousExpiresAt}, ${apiKeys.expiresAt}) > now()
    then least(${apiKeys.previousExpiresAt}, ${apiKeys.expiresAt}) end`.mapWith(
    apiKeys.previousExpiresAt,
  ),
  ...limitsIn(apiKeys),
};

/** By the database's clock. */
export const isExpired = sql<boolean>`coalesce(${apiKeys.expiresAt} <= now(), false)`;

interface SummaryRow
  extends Omit<
      typeof apiKeys.$inferSelect,
      | 'id'
      | 'projectId'
      | 'keyDigest'
      | 'importedDigest'
      | 'previousDigest'
      | 'previousExpiresAt'
      | 'disabledAt'
      | 'note'
    >,
    KeyLimits {
  apiKeyId: string;
  externalCustomerId: string | null;
  previousValidUntil: Date | null;
}

/**
 * The read shape: the nine fields of the contract, and the others where they are set. Timestamps are ISO 8601 in UTC, with milliseconds.
 */
export function toSummary(row: SummaryRow): ApiKeySummary {
  const { customerId, externalCustomerId: externalId } = row;
  const limits = listLimits((limit) => [limit, row[limit]]).filter(([, value]) => value !== null);
  return {
    apiKeyId: row.apiKeyId,
    displayName: row.displayName,
    keyPrefix: row.keyPrefix,
    status: row.status,
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt?.toISOString() ?? null,
    revokedAt: row.revokedAt?.toISOString() ?? null,
    archivedAt: row.archivedAt?.toISOString() ?? null,
    lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
    ...(customerId !== null && externalId !== null && { customer: { customerId, externalId } }),
    ...(row.scopes !== null && { scopes: row.scopes }),
    ...(Object.keys(row.metadata).length > 0 && { metadata: row.metadata }),
    ...(row.isImported && { isImported: true }),
    ...previousOf(row),
    ...Object.fromEntries(limits),
  };
}

/** The secret before the last rotation, while it is valid. */
function previousOf({ previousPrefix, previousValidUntil, previousLastUsedAt }: SummaryRow) {
  if (previousPrefix === null || previousValidUntil === null) return {};
  const validUntil = previousValidUntil.toISOString();
  const lastUsedAt = previousLastUsedAt?.toISOString() ?? null;
  return { previous: { keyPrefix: previousPrefix, validUntil, lastUsedAt } };
}
