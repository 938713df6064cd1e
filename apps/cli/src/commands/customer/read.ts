import { PAGE_MAX } from '@ceiba/contract';
import { everyItem, getCustomerByName, listCustomers } from '@ceiba/manage';
import { CUSTOMER_STATES, type CustomerStatus } from '@ceiba/schema';
import { type Command, Option } from 'commander';
import { described } from '../../flags.ts';
import { perform, performing } from '../../operate.ts';
import { uuid } from '../../options.ts';
import { table } from '../../table.ts';
import { printJson, printLines, type World } from '../../world.ts';
import { type Customer, type CustomerOptions, ofCustomer, printCustomer } from './shared.ts';

interface ListOptions {
  project: string;
  status?: CustomerStatus;
  search?: string;
  json?: true;
}

/** Adds `ceiba customer list`. */
export function listCustomersCommand(customer: Command, world: World): void {
  customer
    .command('list')
    .description(described(listCustomers))
    .requiredOption('--project <id>', 'the project', uuid)
    .addOption(new Option('--status <status>', 'of this status').choices(CUSTOMER_STATES))
    .option('--search <text>', 'with this in the external id or the name')
    .option('--json', 'print the customers as JSON')
    .action((options: ListOptions) => list(world, options));
}

/** Adds `ceiba customer get`. */
export function getCustomerCommand(customer: Command, world: World): void {
  ofCustomer(customer.command('get').description('print a customer'))
    .option('--json', 'print the customer as JSON')
    .action(async ({ project: projectId, customer: id, json }: CustomerOptions) => {
      const found = await perform(world, getCustomerByName, { projectId, customer: id });
      printCustomer(world, found, json);
    });
}

async function list(world: World, { project: projectId, json, ...filter }: ListOptions) {
  const customers = await performing(world, (perform) =>
    everyItem(async (cursor) => {
      const input = { projectId, ...filter, cursor, limit: PAGE_MAX };
      const { customers: items, nextCursor } = await perform(listCustomers, input);
      return { items, nextCursor };
    }),
  );
  if (json) return printJson(world, { customers });
  const isNarrowed = Object.values(filter).some((value) => value !== undefined);
  if (customers.length === 0) {
    return printLines(world, [
      `The project has no ${isNarrowed ? 'such customer' : 'customer yet'}.`,
    ]);
  }
  printLines(world, table(HEADS, customers.map(cellsOf)));
}

const HEADS = ['id', 'state', 'plan', 'external id', 'name'];

const cellsOf = ({ customerId, suspendedAt, plan, externalId, name }: Customer) => [
  customerId,
  suspendedAt === null ? 'active' : 'suspended',
  plan?.name ?? 'none',
  externalId,
  name,
];
