import { dateOf } from '@ceiba/contract';
import {
  daysIn,
  USAGE_RANGE_DAYS_MAX,
  type UsageCut,
  type UsageRange,
  type UsageStep,
  usageStepFor,
} from '@ceiba/domain';
import { type QuotaUse, readQuotaUse, readUsageSeries, type UsageSeries } from '@ceiba/schema';
import { z } from 'zod';
import { instant, projectId } from '../fields.ts';
import { noProject, operation } from '../operation.ts';
import { badInput } from '../refusal.ts';

/** In the next one, an hour or a month can end at a time that RFC 3339 cannot write. */
export const LAST_YEAR_OF_USAGE = 9998;

const END_OF_USAGE = new Date(Date.UTC(LAST_YEAR_OF_USAGE + 1, 0));

export const USAGE_GROUPS = ['outcome', 'key', 'policy', 'hour', 'day'] as const;
type Group = (typeof USAGE_GROUPS)[number];

const count = z.number().min(0);
export const countOfName = z.strictObject({
  id: z.string(),
  name: z.string().nullable().optional(),
  count,
});
export const countOfStep = z.strictObject({
  from: z.iso.datetime(),
  total: count,
  outcomes: z.record(z.string(), count),
});
const counts = z.union([z.array(countOfName), z.array(countOfStep)]);

/** The counts of the console's usage page. */
export const readUsage = operation({
  name: 'getUsage',
  summary: "Count a project's decisions, of this month unless a range is given; in UTC",
  method: 'GET',
  path: '/projects/{projectId}/usage',
  access: 'read',
  isLong: true,
  input: z.strictObject({
    projectId,
    from: instant.optional().describe('From this time on.'),
    to: instant.optional().describe('Before this time; now without it.'),
    by: z
      .enum(USAGE_GROUPS)
      .default('outcome')
      .describe('Grouped by; `key` and `policy` count allowed requests.'),
  }),
  output: z.strictObject({
    projectId,
    from: z.iso.datetime(),
    to: z.iso.datetime(),
    by: z.enum(USAGE_GROUPS),
    total: count,
    counts,
    others: count.optional().describe('Of keys or policies that are not in the list.'),
    usedThisMonth: count.optional().describe('Of the month’s quota, where no range is given.'),
    monthlyQuota: count.nullable().optional(),
  }),
  run: async ({ ctx: { db } }, { projectId, by, from, to }) => {
    const quota = await readQuotaUse(db, projectId);
    if (quota === null) throw noProject(projectId);
    const range = rangeOf({ from: dateOf(from), to: dateOf(to) }, quota);
    const { cut, step } = seriesOf(by, range);
    // Of keys and policies, as many as a page of a terminal shows; the others are one count.
    const series = await readUsageSeries(db, { projectId, by: cut, step, ...range, top: 50 });
    return { projectId, ...countsOf(by, series), ...(from === undefined && quotaOf(quota)) };
  },
});

function rangeOf(
  { from, to }: { from: Date | undefined; to: Date | undefined },
  quota: QuotaUse,
): UsageRange {
  if (from === undefined) {
    if (to !== undefined) throw badInput('`to` needs `from`.', { field: 'from' });
    return { from: quota.monthStart, to: quota.monthEnd };
  }
  const range = { from, to: to ?? quota.now };
  if (range.to > END_OF_USAGE) {
    throw badInput(`\`to\` must not be after the year ${LAST_YEAR_OF_USAGE}.`, { field: 'to' });
  }
  if (range.from < range.to) return range;
  throw badInput('The range is empty: `from` has to be before `to`, and before now without it.', {
    field: 'from',
  });
}

/** @throws Refusal when the range is too long for this group */
function seriesOf(by: Group, range: UsageRange): { cut: UsageCut; step: UsageStep } {
  const cut = CUT[by];
  const step = by === 'hour' || by === 'day' ? by : usageStepFor(cut, range);
  const maxDays = USAGE_RANGE_DAYS_MAX[cut][step];
  if (daysIn(range) <= maxDays) return { cut, step };
  throw badInput(`The range is too long: \`by\` ${by} counts at most ${maxDays} days.`, {
    field: 'from',
  });
}

const CUT = {
  outcome: 'outcome',
  key: 'api_key',
  policy: 'policy',
  hour: 'outcome',
  day: 'outcome',
} as const satisfies Record<Group, UsageCut>;

const quotaOf = ({ used, monthlyQuota }: QuotaUse) => ({ usedThisMonth: used, monthlyQuota });

function countsOf(by: Group, series: UsageSeries) {
  const { from, to, total, lines, rest } = series;
  const counted = { from, to, by, total };
  if (by === 'hour' || by === 'day') return { ...counted, counts: stepsOf(series) };
  return {
    ...counted,
    counts: lines.map(({ id, label, total: count }) => ({
      id,
      ...(by !== 'outcome' && { name: label }),
      count,
    })),
    ...(by !== 'outcome' && { others: rest.total }),
  };
}

/** The counts of each hour or day. */
const stepsOf = ({ starts, lines }: UsageSeries) =>
  starts.map((from, index) => {
    const counts = lines.map(({ id, counts }) => [id, counts[index] ?? 0] as const);
    const outcomes = Object.fromEntries(counts.filter(([, count]) => count > 0));
    return { from, total: counts.reduce((sum, [, count]) => sum + count, 0), outcomes };
  });
