import { CHANGES_OF_CUSTOMERS } from '@ceiba/manage';
import type { Command } from 'commander';
import { described } from '../../flags.ts';
import { perform } from '../../operate.ts';
import { printJson, printLines, type World } from '../../world.ts';
import { type CustomerOptions, ofCustomer } from './shared.ts';

interface Change {
  name: keyof typeof CHANGES_OF_CUSTOMERS;
  /** Completes the sentence "Customer … ". */
  done: string;
  unchanged: string;
}

const CHANGES: readonly Change[] = [
  {
    name: 'suspend',
    done: 'is suspended: the next call of each of its keys is denied, until it is resumed',
    unchanged: 'is suspended already',
  },
  {
    name: 'resume',
    done: 'is resumed',
    unchanged: 'is not suspended',
  },
];

/** Adds `ceiba customer suspend` and `resume`. */
export function suspendCommands(customer: Command, world: World): void {
  for (const change of CHANGES) {
    ofCustomer(
      customer.command(change.name).description(described(CHANGES_OF_CUSTOMERS[change.name])),
    )
      .option('--json', 'print the customer as JSON')
      .action((options: CustomerOptions) => changeCustomer(world, change, options));
  }
}

async function changeCustomer(
  world: World,
  { name, done, unchanged }: Change,
  { project: projectId, customer: id, json }: CustomerOptions,
): Promise<void> {
  const ref = { projectId, customer: id };
  const { changed, customer } = await perform(world, CHANGES_OF_CUSTOMERS[name], ref);
  if (json) return printJson(world, customer);
  const outcome = changed ? `${done}.` : `${unchanged}. Nothing was changed.`;
  printLines(world, [`Customer ${customer.externalId} (${customer.customerId}) ${outcome}`]);
}
