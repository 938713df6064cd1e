import type { ApiKeySummary } from '@ceiba/contract';
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
};

type SummaryRow = Pick<
  typeof apiKeys.$inferSelect,
  Exclude<keyof typeof summaryColumns, 'apiKeyId'>
> & { apiKeyId: string };

/** The read shape of the contract: timestamps as ISO 8601 in UTC, with milliseconds. */
export function toSummary(row: SummaryRow): ApiKeySummary {
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
  };
}
