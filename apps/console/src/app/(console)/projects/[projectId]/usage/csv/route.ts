import { daysIn } from '@ceiba/domain';
import { exportUsage, type UsageRow } from '@ceiba/schema';
import { csvRefusal, parseUsageQuery } from '#components/usage/usage-query.ts';
import { type CsvColumns, csvResponse } from '#server/csv.ts';
import { projectRoute } from '#server/data-route.ts';
import { withSlowDatabase } from '#server/database.ts';

const COLUMNS: CsvColumns<UsageRow> = {
  from_utc: ({ from }) => from.toISOString(),
  outcome: (row) => row.outcome,
  api_key_id: (row) => row.apiKeyId,
  api_key_name: (row) => row.displayName,
  api_key_prefix: (row) => row.keyPrefix,
  policy_id: (row) => row.policyId,
  method: (row) => row.method,
  path_pattern: (row) => row.pathPattern,
  count: (row) => row.count,
};

/** The counts of a range as CSV: by hour for up to two days, else by day. */
export const GET = projectRoute(async ({ projectId }, query) => {
  const usage = parseUsageQuery(query, new Date());
  const refusal = csvRefusal(usage);
  if (refusal !== undefined) return new Response(`${refusal}\n`, { status: 400 });
  const { from, to, firstDay, lastDay } = usage;
  const step = daysIn(usage) <= 2 ? 'hour' : 'day';
  const pages = exportUsage(withSlowDatabase, { projectId, step, from, to });
  return csvResponse(`ceiba-usage-${firstDay}-to-${lastDay}`, COLUMNS, pages);
});
