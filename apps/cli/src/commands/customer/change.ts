import type { Metadata, SubscriptionStatus } from '@ceiba/contract';
import { listLimits } from '@ceiba/domain';
import { createCustomerOnce, updateCustomer } from '@ceiba/manage';
import type { Command } from 'commander';
import { badInput } from '../../errors.ts';
import { described, flagFor } from '../../flags.ts';
import { perform } from '../../operate.ts';
import {
  addLimitOptions,
  billingDay,
  customerName,
  externalId,
  instantOrNone,
  limitsOf,
  metadata,
  type OwnLimitOptions,
  orNull,
  subscriptionStatus,
  textOf,
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

/** What can be changed of a customer. */
const FIELDS = [
  'externalId',
  'name',
  'metadata',
  'plan',
  'subscriptionStatus',
  'currentPeriodEnd',
  'billingDay',
  ...listLimits((name) => name),
];

/** Adds `ceiba customer create`. */
export function createCustomerCommand(customer: Command, world: World): void {
  const command = customer
    .command('create')
    .description(described(createCustomerOnce))
    .requiredOption('--project <id>', 'the project', uuid)
    .requiredOption('--external-id <text>', 'your own id of it, 1 to 255 bytes', externalId);
  withFields(command)
    .option('--json', 'print the customer as JSON')
    .action(
      async (options: FieldOptions & { project: string; externalId: string; json?: true }) => {
        const { project: projectId, externalId: given, json } = options;
        const input = { projectId, ...fieldsOf(options), externalId: given };
        const { created, customer } = await perform(world, createCustomerOnce, input);
        if (json) return printJson(world, customer);
        const { externalId, customerId } = customer;
        printLines(world, [
          created
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
      const { project: projectId, customer, json } = options;
      const fields = fieldsOf(options);
      if (Object.keys(fields).length === 0) {
        throw badInput(`Nothing to change: give ${FIELDS.map(flagFor).join(' or ')}.`);
      }
      const changed = await perform(world, updateCustomer, { projectId, customer, ...fields });
      printCustomer(world, changed, json);
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
  return addLimitOptions(command);
}

/** The fields that the options give; others are absent. */
function fieldsOf(options: FieldOptions) {
  const { externalId, name, metadata, plan, status, currentPeriodEnd, billingDay } = options;
  return {
    ...(externalId !== undefined && { externalId }),
    ...(name !== undefined && { name }),
    ...(metadata !== undefined && { metadata }),
    ...(plan !== undefined && { plan: orNull(plan) }),
    ...(status !== undefined && { subscriptionStatus: status }),
    ...(currentPeriodEnd !== undefined && { currentPeriodEnd: textOf(currentPeriodEnd) }),
    ...(billingDay !== undefined && { billingDay }),
    ...limitsOf(options),
  };
}
