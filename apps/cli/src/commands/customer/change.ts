import type { Metadata, SubscriptionStatus } from '@ceiba/contract';
import { LIMITS } from '@ceiba/domain';
import {
  type Customer,
  type CustomerFields,
  createCustomer,
  InvalidInputError,
  listCustomerPlans,
  updateCustomer,
  type VerbContext,
} from '@ceiba/schema';
import type { Command } from 'commander';
import { withDatabase } from '../../database.ts';
import { badInput } from '../../errors.ts';
import { noCustomer, noProject, requireCustomer } from '../../not-found.ts';
import {
  addLimitOptions,
  billingDay,
  customerName,
  externalId,
  flagOf,
  instantOrNone,
  limitsOf,
  metadata,
  type OwnLimitOptions,
  orNull,
  subscriptionStatus,
  uuid,
} from '../../options.ts';
import { printJson, printLines, type World } from '../../world.ts';
import { type CustomerOptions, ofCustomer, printCustomer } from './shared.ts';

interface FieldOptions extends OwnLimitOptions {
  externalId?: string;
  name?: string;
  metadata?: Metadata;
  plan?: string;
  status?: SubscriptionStatus;
  currentPeriodEnd?: Date | 'none';
  billingDay?: number;
}

/** The options of the fields that a verb may refuse, by the names that it has for them. */
const FLAGS = {
  externalId: '--external-id',
  name: '--name',
  metadata: '--metadata',
  plan: '--plan',
  subscriptionStatus: '--status',
  currentPeriodEnd: '--current-period-end',
  billingDay: '--billing-day',
  rateLimitPerMinute: flagOf(LIMITS.rateLimitPerMinute),
  dailyQuota: flagOf(LIMITS.dailyQuota),
  monthlyQuota: flagOf(LIMITS.monthlyQuota),
} as const satisfies Record<keyof CustomerFields, string>;

const flagFor = (field: string): string =>
  Object.entries(FLAGS).find(([name]) => name === field)?.[1] ?? field;

/** Adds `ceiba customer create`. */
export function createCustomerCommand(customer: Command, world: World): void {
  const command = customer
    .command('create')
    .description('create a customer; safe to repeat')
    .requiredOption('--project <id>', 'the project', uuid)
    .requiredOption('--external-id <text>', 'your own id of it, 1 to 255 bytes', externalId);
  withFields(command)
    .option('--json', 'print the customer as JSON')
    .action(
      async (options: FieldOptions & { project: string; externalId: string; json?: true }) => {
        const { json } = options;
        const { kind, customer } = await withDatabase(world, (ctx) => create(ctx, options));
        if (json) return printJson(world, customer);
        const { externalId, customerId } = customer;
        printLines(world, [
          kind === 'created'
            ? `Customer ${externalId} (${customerId}) is created.`
            : `There is a customer ${externalId} (${customerId}) already, and it is as given. Nothing was changed.`,
        ]);
      },
    );
}

/** Adds `ceiba customer update`. */
export function updateCustomerCommand(customer: Command, world: World): void {
  const command = ofCustomer(
    customer
      .command('update')
      .description('change a customer; takes effect with the next decision of each of its keys'),
  ).option('--external-id <text>', 'another id of your own, 1 to 255 bytes', externalId);
  withFields(command)
    .option('--json', 'print the customer as JSON')
    .action(async (options: FieldOptions & CustomerOptions) => {
      const changed = await withDatabase(world, (ctx) => update(ctx, options));
      printCustomer(world, changed, options.json);
    });
}

function withFields(command: Command): Command {
  command
    .option('--name <text>', 'its name, at most 100 characters; empty for none', customerName)
    .option('--metadata <json>', 'what to keep with it, an object of at most 4 KiB', metadata)
    .option('--plan <name>', "its plan, one of the project's customer plans, or none")
    .option(
      '--status <status>',
      'of its plan: active, trialing, past_due or canceled',
      subscriptionStatus,
    )
    .option(
      '--current-period-end <time>',
      'when its plan lapses (RFC 3339), or none',
      instantOrNone,
    )
    .option('--billing-day <day>', 'on which its month begins in UTC, 1 to 28', billingDay);
  return addLimitOptions(command, { of: 'customer' });
}

async function create(
  ctx: VerbContext,
  options: FieldOptions & { project: string; externalId: string },
) {
  const { project: projectId, externalId } = options;
  const result = await explained(() =>
    createCustomer(ctx, { projectId, ...fieldsOf(options), externalId }),
  );
  if (result.kind === 'conflict') {
    const flag = flagFor(result.field);
    const problem = `There is a customer ${externalId} with another ${flag.slice(2)}. Nothing was changed; to change it: ceiba customer update.`;
    throw badInput(problem, { code: 'conflict', field: flag });
  }
  if ('customer' in result) return result;
  throw result.kind === 'unknown_plan' ? await noPlan(ctx, options) : noProject(projectId);
}

async function update(
  ctx: VerbContext,
  options: FieldOptions & CustomerOptions,
): Promise<Customer> {
  const { project: projectId, customer } = options;
  const fields = fieldsOf(options);
  if (Object.keys(fields).length === 0) {
    throw badInput(`Nothing to change: give ${Object.values(FLAGS).join(' or ')}.`);
  }
  const { customerId } = await requireCustomer(ctx.db, projectId, customer);
  const result = await explained(() => updateCustomer(ctx, { projectId, customerId, ...fields }));
  if (result.kind === 'conflict') {
    const problem = `Another customer of the project has the external id ${fields.externalId}. Nothing was changed.`;
    throw badInput(problem, { code: 'conflict', field: FLAGS.externalId });
  }
  if ('customer' in result) return result.customer;
  throw result.kind === 'unknown_plan'
    ? await noPlan(ctx, options)
    : noCustomer(projectId, customer);
}

/** The fields that the options give; others are absent. */
function fieldsOf(options: FieldOptions): CustomerFields {
  const { externalId, name, metadata, plan, status, currentPeriodEnd, billingDay } = options;
  return {
    ...(externalId !== undefined && { externalId }),
    ...(name !== undefined && { name }),
    ...(metadata !== undefined && { metadata }),
    ...(plan !== undefined && { plan: orNull(plan) }),
    ...(status !== undefined && { subscriptionStatus: status }),
    ...(currentPeriodEnd !== undefined && { currentPeriodEnd: orNull(currentPeriodEnd) }),
    ...(billingDay !== undefined && { billingDay }),
    ...limitsOf(options),
  };
}

async function noPlan(ctx: VerbContext, { project, plan }: FieldOptions & { project: string }) {
  const names = (await listCustomerPlans(ctx.db, project)).map(({ name }) => name);
  const known = names.length === 0 ? 'the project has none' : `they are ${names.join(', ')}`;
  return badInput(`There is no customer plan "${plan}"; ${known}.`, { field: FLAGS.plan });
}

/** @throws CliError that names options, in place of a verb's error that names its own fields */
async function explained<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    const [first] = error.problems;
    throw badInput(
      `${error.problems.map(({ field, rule }) => `${flagFor(field)} ${rule}`).join('; ')}.`,
      { field: first && flagFor(first.field) },
    );
  }
}
