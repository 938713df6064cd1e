import type { UsageRange } from '@ceiba/domain';
import { readUsage, USAGE_GROUPS } from '@ceiba/manage';
import { type Command, Option } from 'commander';
import type { z } from 'zod';
import { described } from '../flags.ts';
import { perform } from '../operate.ts';
import { instant, month, textOf, uuid } from '../options.ts';
import { printJson, printLines, type World } from '../world.ts';

interface UsageOptions {
  project: string;
  month?: UsageRange;
  from?: Date;
  to?: Date;
  by: Usage['by'];
  json?: true;
}

/** `ceiba usage`: the counts of the console's usage page. */
export function usageCommand(program: Command, world: World): void {
  program
    .command('usage')
    .description(described(readUsage))
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
        .choices(USAGE_GROUPS)
        .default('outcome'),
    )
    .option('--json', 'print the counts as JSON')
    .action(async (options: UsageOptions) => {
      const { project: projectId, by, month: range = options, json } = options;
      const input = { projectId, by, from: textOf(range.from), to: textOf(range.to) };
      const usage = await perform(world, readUsage, input);
      if (json) return printJson(world, usage);
      printLines(world, linesOf(usage));
    });
}

type Usage = z.input<typeof readUsage.output>;

function linesOf(usage: Usage): string[] {
  const { by, from, to, total, usedThisMonth, monthlyQuota } = usage;
  const what = by === 'key' || by === 'policy' ? 'allowed requests' : 'decisions';
  return [
    `${total} ${what} from ${from} to ${to}`,
    ...(total === 0 ? [] : countLines(usage)),
    ...(usedThisMonth === undefined
      ? []
      : [`Used of the month's quota: ${usedThisMonth} of ${monthlyQuota ?? 0}`]),
  ];
}

function countLines({ by, counts, others = 0 }: Usage): string[] {
  const steps = counts.flatMap((count) => ('from' in count ? [count] : []));
  if (by === 'hour' || by === 'day') {
    return [
      `${'  from'.padEnd(26)}  ${'allowed'.padStart(WIDTH)}  ${'denied'.padStart(WIDTH)}`,
      ...steps
        .filter(({ total }) => total > 0)
        .map(({ from, total, outcomes: { allowed = 0 } }) => {
          return `  ${from}  ${padded(allowed)}  ${padded(total - allowed)}`;
        }),
    ];
  }
  const lines = counts.flatMap((count) => ('id' in count ? [count] : []));
  return [
    ...lines.map(({ id, name, count }) => `  ${padded(count)}  ${nameOf(by, id, name)}`),
    ...(others > 0 ? [`  ${padded(others)}  all others`] : []),
  ];
}

const WIDTH = 10;
const padded = (count: number) => String(count).padStart(WIDTH);

/** @param name of a key or a policy; null where it is deleted */
function nameOf(by: Usage['by'], id: string, name: string | null | undefined): string {
  if (name === undefined) return id;
  if (name === null) return `${id} (deleted)`;
  return by === 'key' ? `${name} (${id})` : name;
}
