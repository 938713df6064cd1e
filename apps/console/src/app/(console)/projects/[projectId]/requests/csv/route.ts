import { type DecisionRecord, exportDecisions } from '@ceiba/schema';
import { type CsvColumns, csvDay, csvResponse } from '#server/csv.ts';
import { projectRoute } from '#server/data-route.ts';
import { withDatabase, withSlowDatabase } from '#server/database.ts';
import { parseRequestQuery } from '../_components/request-query.ts';
import { readFilter } from '../read-requests.ts';

const COLUMNS: CsvColumns<DecisionRecord> = {
  at_utc: ({ at }) => at.toISOString(),
  outcome: (row) => row.outcome,
  denial_detail: (row) => row.denialDetail,
  method: (row) => row.method,
  path: (row) => row.path,
  api_key_id: (row) => row.apiKeyId,
  key_prefix: (row) => row.keyPrefix,
  by_previous_secret: (row) => String(row.byPreviousSecret ?? false),
  customer_id: (row) => row.customerId,
  policy_id: (row) => row.policyId,
  limit_owner: (row) => row.limitOwner,
  limit_window: (row) => row.limitWindow,
  limit_value: (row) => row.limitValue,
  latency_ms: (row) => row.latencyMs,
  decision_id: (row) => row.decisionId,
  request_id: (row) => row.requestId,
};

/** The requests that match the filter of the URL as CSV, newest first. */
export const GET = projectRoute(async ({ projectId, keyPrefix }, query) => {
  const { asked, filter } = await withDatabase((db) =>
    readFilter(db, projectId, parseRequestQuery(query, keyPrefix)),
  );
  const [error] = Object.values(asked.errors);
  if (error !== undefined) return new Response(`${error}\n`, { status: 400 });
  const pages = exportDecisions(withSlowDatabase, { projectId, filter });
  return csvResponse(`ceiba-requests-${csvDay()}`, COLUMNS, pages);
});
