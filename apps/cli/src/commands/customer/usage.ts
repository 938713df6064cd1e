import { LIMITS, type LimitName } from '@ceiba/domain';
import { type Database, listCustomerPlans, readUsageOf } from '@ceiba/schema';
import { type Command, Option } from 'commander';
import { withDatabase } from '../../database.ts';
import { noCustomer, requireCustomer } from '../../not-found.ts';
import { instant } from '../../options.ts';
import { printJson, printLines, type World } from '../../world.ts';
import { type CustomerOptions, ofCustomer } from './shared.ts';

interface UsageOptions extends CustomerOptions {
  from?: Date;
  to?: Date;
  step: 'day' | 'month';
}

/** Adds `ceiba customer usage`. */
export function customerUsageCommand(customer: Command, world: World): void {
  ofCustomer(
    customer
      .command('usage')
      .description(
        "count the calls of a customer's keys, of the last 30 days unless a range is given",
      ),
  )
    .option('--from <time>', 'from this time on (RFC 3339)', instant)
    .option('--to <time>', 'before this time (RFC 3339); now without it', instant)
    .addOption(
      new Option('--step <step>', 'a line for each of these, in UTC')
        .choices(['day', 'month'])
        .default('day'),
    )
    .option('--json', 'print the counts as JSON')
    .action(async (options: UsageOptions) => {
      const { usage, lines } = await withDatabase(world, (_, db) => read(db, options));
      if (options.json) return printJson(world, usage);
      printLines(world, lines);
    });
}

async function read(db: Database, { project: projectId, customer: id, ...options }: UsageOptions) {
  const customer = await requireCustomer(db, projectId, id);
  const { customerId, plan } = customer;
  const { json: _, ...range } = options;
  const usage = await readUsageOf(db, { projectId, customerId, ...range });
  if (usage === null) throw noCustomer(projectId, id);
  const { period } = usage;
  if (period === null) throw new Error('the usage of a customer has no period');
  const plans = plan === null ? [] : await listCustomerPlans(db, projectId);
  const ofPlan = plans.find(({ planId }) => planId === plan?.planId);
  const quotaOf = (name: LimitName) => customer[name] ?? ofPlan?.[name] ?? null;
  const used = (cost: number, name: 'monthlyQuota' | 'dailyQuota') => {
    const quota = quotaOf(name);
    return quota === null
      ? `${cost}, without a quota by ${LIMITS[name].window}`
      : `${cost} of ${quota}`;
  };
  return {
    usage,
    lines: [
      `Used of the month from ${dayOf(period.from)} to ${dayOf(period.to)}: ${used(period.cost, 'monthlyQuota')}`,
      `Used today: ${used(period.dailyCost, 'dailyQuota')}`,
      ...stepLines(usage.usage),
    ],
  };
}

function stepLines(steps: NonNullable<Awaited<ReturnType<typeof readUsageOf>>>['usage']): string[] {
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
const dayOf = (at: Date) => at.toISOString().slice(0, 10);
