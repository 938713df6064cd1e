import {
  CUSTOMER_STATES,
  type Customer,
  type CustomerStatus,
  type Database,
  listCustomers,
} from '@ceiba/schema';
import { type Command, Option } from 'commander';
import { withDatabase } from '../../database.ts';
import { requireCustomer, requireProject } from '../../not-found.ts';
import { uuid } from '../../options.ts';
import { table } from '../../table.ts';
import { printJson, printLines, type World } from '../../world.ts';
import { type CustomerOptions, ofCustomer, printCustomer } from './shared.ts';

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
    .description('list the customers of a project, newest first')
    .requiredOption('--project <id>', 'the project', uuid)
    .addOption(new Option('--status <status>', 'of this status').choices(CUSTOMER_STATES))
    .option('--search <text>', 'with this in the external id or the name')
    .option('--json', 'print the customers as JSON')
    .action((options: ListOptions) => withDatabase(world, (_, db) => list(world, db, options)));
}

/** Adds `ceiba customer get`. */
export function getCustomerCommand(customer: Command, world: World): void {
  ofCustomer(customer.command('get').description('print a customer'))
    .option('--json', 'print the customer as JSON')
    .action(async ({ project, customer: id, json }: CustomerOptions) => {
      const found = await withDatabase(world, (_, db) => requireCustomer(db, project, id));
      printCustomer(world, found, json);
    });
}

async function list(
  world: World,
  db: Database,
  { project: projectId, json, ...filter }: ListOptions,
): Promise<void> {
  await requireProject(db, projectId);
  const customers: Customer[] = [];
  let cursor: string | null = null;
  do {
    const page = await listCustomers(db, { projectId, filter, cursor, limit: PAGE_SIZE });
    customers.push(...page.items);
    cursor = page.next;
  } while (cursor !== null);
  if (json) return printJson(world, { customers });
  const isNarrowed = Object.values(filter).some((value) => value !== undefined);
  if (customers.length === 0) {
    return printLines(world, [
      `The project has no ${isNarrowed ? 'such customer' : 'customer yet'}.`,
    ]);
  }
  printLines(world, table(HEADS, customers.map(cellsOf)));
}

const PAGE_SIZE = 500;

const HEADS = ['id', 'state', 'plan', 'external id', 'name'];

const cellsOf = ({ customerId, suspendedAt, plan, externalId, name }: Customer) => [
  customerId,
  suspendedAt === null ? 'active' : 'suspended',
  plan?.name ?? 'none',
  externalId,
  name,
];
