import { type ApiKeyRow, exportApiKeys } from '@ceiba/schema';
import { csvResponse, csvRoute } from '#server/csv.ts';
import { withDatabase } from '#server/database.ts';
import { requireProject } from '#server/project.ts';
import { searchOf } from '../filter.ts';
import { stateOf } from '../key-state.ts';

const HEAD = [
  'api_key_id',
  'name',
  'key_prefix',
  'state',
  'note',
  'created_at_utc',
  'expires_at_utc',
  'disabled_at_utc',
  'revoked_at_utc',
  'archived_at_utc',
  'last_used_at_utc',
  'rate_limit_per_minute',
  'monthly_quota',
  'allowed_this_month',
];

/** The keys that match the filter of the URL as CSV, in the order of the list. */
export const GET = csvRoute<{ params: Promise<{ projectId: string }> }>(
  async (request, { params }) => {
    const { projectId } = (await requireProject((await params).projectId)).project;
    const query = Object.fromEntries(request.nextUrl.searchParams);
    const pages = exportApiKeys(withDatabase, { projectId, ...searchOf(query) });
    const day = new Date().toISOString().slice(0, 10);
    return csvResponse(`ceiba-keys-${day}`, HEAD, linesOf(pages));
  },
);

async function* linesOf(pages: AsyncGenerator<ApiKeyRow[]>) {
  for await (const rows of pages) {
    yield rows.map((row) => [
      row.apiKeyId,
      row.displayName,
      row.keyPrefix,
      stateOf(row),
      row.note,
      row.createdAt,
      row.expiresAt,
      row.disabledAt,
      row.revokedAt,
      row.archivedAt,
      row.lastUsedAt,
      row.rateLimitPerMinute,
      row.monthlyQuota,
      row.usedThisMonth,
    ]);
  }
}
