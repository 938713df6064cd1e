import { type DecisionRecord, exportDecisions } from '@ceiba/schema';
import { csvResponse, csvRoute } from '#server/csv.ts';
import { withDatabase, withSlowDatabase } from '#server/database.ts';
import { requireProject } from '#server/project.ts';
import { parseRequestQuery } from '../_components/request-query.ts';
import { filterWith, readKey } from '../read-requests.ts';

const HEAD = [
  'at_utc',
  'outcome',
  'denial_detail',
  'method',
  'path',
  'api_key_id',
  'key_prefix',
  'policy_id',
  'limit_owner',
  'latency_ms',
  'decision_id',
  'request_id',
];

/** The requests that match the filter of the URL as CSV, newest first. */
export const GET = csvRoute<{ params: Promise<{ projectId: string }> }>(
  async (request, { params }) => {
    const { projectId } = (await requireProject((await params).projectId)).project;
    const asked = parseRequestQuery(Object.fromEntries(request.nextUrl.searchParams));
    const [error] = Object.values(asked.errors);
    if (error !== undefined) return new Response(`${error}\n`, { status: 400 });
    const key = await withDatabase((db) => readKey(db, projectId, asked.fields.key));
    const pages = exportDecisions(withSlowDatabase, {
      projectId,
      filter: filterWith(asked.filter, key),
    });
    const day = new Date().toISOString().slice(0, 10);
    return csvResponse(`ceiba-requests-${day}`, HEAD, linesOf(pages));
  },
);

async function* linesOf(pages: AsyncGenerator<DecisionRecord[]>) {
  for await (const rows of pages) {
    yield rows.map((row) => [
      row.at.toISOString(),
      row.outcome,
      row.denialDetail,
      row.method,
      row.path,
      row.apiKeyId,
      row.keyPrefix,
      row.policyId,
      row.limitOwner,
      row.latencyMs,
      row.decisionId,
      row.requestId,
    ]);
  }
}
