import {
  daysIn,
  USAGE_RANGE_DAYS_MAX,
  type UsageCut,
  type UsageRange,
  type UsageStep,
  usageStepFor,
} from '@ceiba/domain';
import {
  type Database,
  type QuotaUse,
  readQuotaUse,
  readUsageSeries,
  type UsageSeries,
} from '@ceiba/schema';
import { type Command, Option } from 'commander';
import { withDatabase } from '../database.ts';
import { badInput } from '../errors.ts';
import { noProject } from '../not-found.ts';
import { instant, LAST_YEAR, month, uuid } from '../options.ts';
import { printJson, printLines, type World } from '../world.ts';

const BY = ['outcome', 'key', 'policy', 'hour', 'day'] as const;

interface UsageOptions {
  project: string;
  month?: UsageRange;
  from?: Date;
  to?: Date;
  by: (typeof BY)[number];
  json?: true;
}

/** `ceiba usage`: the counts of the console's usage page. */
export function usageCommand(program: Command, world: World): void {
  program
    .command('usage')
    .description("count a project's decisions, of this month unless a range is given; in UTC")
    .requiredOption('--project <id>', 'the project', uuid)
    .addOption(
      new Option('--month <month>', 'of this month, such as 2026-11')
        .argParser(month)
        .conflicts(['from', 'to']),
    )
    .option('--from <time>', 'from this time on (RFC 3339)', instant)
    .option('--to <time>', 'before this time (RFC 3339); now without it', instant)
    .addOption(
      new Option('--by <group>', 'grouped by; key and policy count allowed requests')
        .choices(BY)
        .default('outcome'),
    )
    .option('--json', 'print the counts as JSON')
    .action(async (options: UsageOptions) => {
      const { project: projectId, json } = options;
      const read = await withDatabase(world, (_, db) => readUsage(db, options));
      if (json) return printJson(world, { projectId, ...forPrograms(read) });
      printLines(world, linesOf(read));
    });
}

interface Usage {
  by: UsageOptions['by'];
  series: UsageSeries;
  /** Null if a range was given, of which the quota says nothing. */
  quota: QuotaUse | null;
}

async function readUsage(db: Database, options: UsageOptions): Promise<Usage> {
  const { project: projectId, by } = options;
  const quota = await readQuotaUse(db, projectId);
  if (quota === null) throw noProject(projectId);
  const range = rangeOf(options, quota);
  const { cut, step } = seriesOf(by, range);
  // Of keys and policies, as many as a page of a terminal shows; the others are one count.
  const series = await readUsageSeries(db, { projectId, by: cut, step, ...range, top: 50 });
  const isThisMonth = options.month === undefined && options.from === undefined;
  return { by, series, quota: isThisMonth ? quota : null };
}

function rangeOf({ month: given, from, to }: UsageOptions, quota: QuotaUse): UsageRange {
  if (given !== undefined) return given;
  if (from === undefined) {
    if (to !== undefined) throw badInput('--to needs --from.', { field: '--from' });
    return { from: quota.monthStart, to: quota.monthEnd };
  }
  const range = { from, to: to ?? quota.now };
  if (range.to.getUTCFullYear() > LAST_YEAR) {
    throw badInput(`--to must not be after the year ${LAST_YEAR}.`, { field: '--to' });
  }
  if (range.from < range.to) return range;
  throw badInput('The range is empty: --from has to be before --to, and before now without it.', {
    field: '--from',
  });
}

/** @throws CliError when the range is too long for this group */
function seriesOf(by: UsageOptions['by'], range: UsageRange): { cut: UsageCut; step: UsageStep } {
  const cut = CUT[by];
  const step = by === 'hour' || by === 'day' ? by : usageStepFor(cut, range);
  const maxDays = USAGE_RANGE_DAYS_MAX[cut][step];
  if (daysIn(range) <= maxDays) return { cut, step };
  throw badInput(`The range is too long: --by ${by} counts at most ${maxDays} days.`, {
    field: '--from',
  });
}

const CUT = {
  outcome: 'outcome',
  key: 'api_key',
  policy: 'policy',
  hour: 'outcome',
  day: 'outcome',
} as const satisfies Record<UsageOptions['by'], UsageCut>;

/** The counts of each hour or day. */
const stepsOf = ({ starts, lines }: UsageSeries) =>
  starts.map((start, index) => {
    const counts = lines.map(({ id, counts }) => [id, counts[index] ?? 0] as const);
    const outcomes = Object.fromEntries(counts.filter(([, count]) => count > 0));
    const total = counts.reduce((sum, [, count]) => sum + count, 0);
    return { from: start, total, allowed: outcomes.allowed ?? 0, outcomes };
  });

function forPrograms({ by, series, quota }: Usage) {
  const { from, to, total, lines, rest } = series;
  const counted = { from, to, by, total };
  if (by === 'hour' || by === 'day') {
    const counts = stepsOf(series).map(({ allowed: _, ...step }) => step);
    return { ...counted, counts };
  }
  return {
    ...counted,
    counts: lines.map(({ id, label, total: count }) => ({
      id,
      ...(by !== 'outcome' && { name: label }),
      count,
    })),
    ...(by !== 'outcome' && { others: rest.total }),
    ...(quota !== null && { usedThisMonth: quota.used, monthlyQuota: quota.monthlyQuota }),
  };
}

function linesOf({ by, series, quota }: Usage): string[] {
  const { from, to, total } = series;
  const what = CUT[by] === 'outcome' ? 'decisions' : 'allowed requests';
  return [
    `${total} ${what} from ${from.toISOString()} to ${to.toISOString()}`,
    ...(total === 0 ? [] : countLines(by, series)),
    ...(quota === null
      ? []
      : [`Used of the month's quota: ${quota.used} of ${quota.monthlyQuota ?? 0}`]),
  ];
}

function countLines(by: UsageOptions['by'], series: UsageSeries): string[] {
  if (by === 'hour' || by === 'day') {
    return [
      `${'  from'.padEnd(26)}  ${'allowed'.padStart(WIDTH)}  ${'denied'.padStart(WIDTH)}`,
      ...stepsOf(series)
        .filter((step) => step.total > 0)
        .map(
          (step) =>
            `  ${step.from.toISOString()}  ${padded(step.allowed)}  ${padded(step.total - step.allowed)}`,
        ),
    ];
  }
  const counts = series.lines.map(({ id, label, total }) => ({
    name: nameOf(by, id, label),
    total,
  }));
  if (series.rest.total > 0) counts.push({ name: 'all others', total: series.rest.total });
  return counts.map(({ name, total }) => `  ${padded(total)}  ${name}`);
}

const WIDTH = 10;
const padded = (count: number) => String(count).padStart(WIDTH);

function nameOf(by: UsageOptions['by'], id: string, label: string | null): string {
  if (by === 'outcome') return id;
  if (label === null) return `${id} (deleted)`;
  return by === 'key' ? `${label} (${id})` : label;
}
