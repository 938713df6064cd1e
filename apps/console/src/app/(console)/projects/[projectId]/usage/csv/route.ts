import { daysIn } from '@ceiba/domain';
import { exportUsage, type UsageRow } from '@ceiba/schema';
import { CSV_DAYS_MAX, parseUsageQuery } from '#components/usage/usage-query.ts';
import { csvResponse, csvRoute } from '#server/csv.ts';
import { withSlowDatabase } from '#server/database.ts';
import { requireProject } from '#server/project.ts';

const HEAD = [
  'from_utc',
  'outcome',
  'api_key_id',
  'api_key_name',
  'api_key_prefix',
  'policy_id',
  'method',
  'path_pattern',
  'count',
];

/** The counts of a range as CSV: by hour for up to two days, else by day. */
export const GET = csvRoute<{ params: Promise<{ projectId: string }> }>(
  async (request, { params }) => {
    const { project } = await requireProject((await params).projectId);
    const usage = parseUsageQuery(Object.fromEntries(request.nextUrl.searchParams), new Date());
    if (usage.refusal !== undefined || daysIn(usage) > CSV_DAYS_MAX) {
      const reason = usage.refusal ?? `A CSV file holds at most ${CSV_DAYS_MAX} days.`;
      return new Response(`${reason}\n`, { status: 400 });
    }
    const { from, to, firstDay, lastDay } = usage;
    const pages = exportUsage(withSlowDatabase, {
      projectId: project.projectId,
      step: daysIn(usage) <= 2 ? 'hour' : 'day',
      from,
      to,
    });
    return csvResponse(`ceiba-usage-${firstDay}-to-${lastDay}`, HEAD, linesOf(pages));
  },
);

async function* linesOf(pages: AsyncGenerator<UsageRow[]>) {
  for await (const rows of pages) {
    yield rows.map((row) => [
      row.from.toISOString(),
      row.outcome,
      row.apiKeyId,
      row.displayName,
      row.keyPrefix,
      row.policyId,
      row.method,
      row.pathPattern,
      row.count,
    ]);
  }
}
