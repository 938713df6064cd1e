import { listLimits } from '@ceiba/domain';
import { type ApiKeyRow, exportApiKeys } from '@ceiba/schema';
import { type CsvColumns, csvDay, csvResponse } from '#server/csv.ts';
import { projectRoute } from '#server/data-route.ts';
import { withDatabase } from '#server/database.ts';
import { searchOf } from '../filter.ts';
import { stateOf } from '../key-state.ts';

const COLUMNS: CsvColumns<ApiKeyRow> = {
  api_key_id: (row) => row.apiKeyId,
  name: (row) => row.displayName,
  key_prefix: (row) => row.keyPrefix,
  state: stateOf,
  note: (row) => row.note,
  is_imported: (row) => String(row.isImported ?? false),
  metadata: (row) => (row.metadata ? JSON.stringify(row.metadata) : null),
  customer_id: (row) => row.customer?.customerId ?? null,
  external_customer_id: (row) => row.customer?.externalId ?? null,
  scopes: (row) => row.scopes?.join(' ') ?? null,
  created_at_utc: (row) => row.createdAt,
  expires_at_utc: (row) => row.expiresAt,
  disabled_at_utc: (row) => row.disabledAt,
  revoked_at_utc: (row) => row.revokedAt,
  archived_at_utc: (row) => row.archivedAt,
  last_used_at_utc: (row) => row.lastUsedAt,
  previous_key_prefix: (row) => row.previous?.keyPrefix ?? null,
  previous_valid_until_utc: (row) => row.previous?.validUntil ?? null,
  previous_last_used_at_utc: (row) => row.previous?.lastUsedAt ?? null,
  ...Object.fromEntries(listLimits((name, { column }) => [column, (row: ApiKeyRow) => row[name]])),
  allowed_this_month: (row) => row.usedThisMonth,
};

/** The keys that match the filter of the URL as CSV, in the order of the list. */
export const GET = projectRoute(({ projectId }, query) => {
  const pages = exportApiKeys(withDatabase, { projectId, ...searchOf(query) });
  return csvResponse(`ceiba-keys-${csvDay()}`, COLUMNS, pages);
});
