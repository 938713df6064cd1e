import { LIMITS } from '@ceiba/domain';
import { readCustomerUsage } from '@ceiba/manage';
import { type Command, Option } from 'commander';
import type { z } from 'zod';
import { described } from '../../flags.ts';
import { perform } from '../../operate.ts';
import { instant, textOf } from '../../options.ts';
import { printJson, printLines, type World } from '../../world.ts';
import { type CustomerOptions, ofCustomer } from './shared.ts';

interface UsageOptions extends CustomerOptions {
  from?: Date;
  to?: Date;
  step: 'day' | 'month';
}

/** Adds `ceiba customer usage`. */
export function customerUsageCommand(customer: Command, world: World): void {
  ofCustomer(customer.command('usage').description(described(readCustomerUsage)))
    .option('--from <time>', 'from this time on (RFC 3339)', instant)
    .option('--to <time>', 'before this time (RFC 3339); now without it', instant)
    .addOption(
      new Option('--step <step>', 'a line for each of these, in UTC')
        .choices(['day', 'month'])
        .default('day'),
    )
    .option('--json', 'print the counts as JSON')
    .action(async ({ project: projectId, customer, json, from, to, step }: UsageOptions) => {
      const range = { from: textOf(from), to: textOf(to), step };
      const input = { projectId, customer, ...range };
      const read = await perform(world, readCustomerUsage, input);
      if (json) return printJson(world, read.usage);
      printLines(world, linesOf(read));
    });
}

type Read = z.input<typeof readCustomerUsage.output>;

function linesOf({ usage: { period, usage }, ...quotas }: Read): string[] {
  const used = (cost: number, name: 'monthlyQuota' | 'dailyQuota') =>
    quotas[name] === null
      ? `${cost}, without a quota by ${LIMITS[name].window}`
      : `${cost} of ${quotas[name]}`;
  return [
    `Used of the month from ${dayOf(period.from)} to ${dayOf(period.to)}: ${used(period.cost, 'monthlyQuota')}`,
    `Used today: ${used(period.dailyCost, 'dailyQuota')}`,
    ...stepLines(usage),
  ];
}

function stepLines(steps: Read['usage']['usage']): string[] {
  const counted = steps.filter(({ allowed, denied }) => allowed + denied > 0);
  if (counted.length === 0) return ['No calls in this range.'];
  const row = (from: string, ...counts: (string | number)[]) =>
    `  ${from.padEnd(10)}  ${counts.map((count) => String(count).padStart(WIDTH)).join('  ')}`;
  return [
    row('from', 'allowed', 'denied', 'cost'),
    ...counted.map(({ from, allowed, denied, cost }) => row(dayOf(from), allowed, denied, cost)),
  ];
}

const WIDTH = 10;
const dayOf = (at: string) => at.slice(0, 10);
