import {
  type CustomerRef,
  resumeCustomer,
  type SetCustomerSuspendedResult,
  suspendCustomer,
  type VerbContext,
} from '@ceiba/schema';
import type { Command } from 'commander';
import { withDatabase } from '../../database.ts';
import { noCustomer, requireCustomer } from '../../not-found.ts';
import { printJson, printLines, type World } from '../../world.ts';
import { type CustomerOptions, ofCustomer } from './shared.ts';

interface Change {
  name: 'suspend' | 'resume';
  description: string;
  run(ctx: VerbContext, ref: CustomerRef): Promise<SetCustomerSuspendedResult>;
  /** Completes the sentence "Customer … ". */
  done: string;
  unchanged: string;
}

const CHANGES: readonly Change[] = [
  {
    name: 'suspend',
    description: 'deny every key of a customer from the next decision on, until it is resumed',
    run: suspendCustomer,
    done: 'is suspended: the next call of each of its keys is denied, until it is resumed',
    unchanged: 'is suspended already',
  },
  {
    name: 'resume',
    description: 'let the keys of a suspended customer work again, from the next decision on',
    run: resumeCustomer,
    done: 'is resumed',
    unchanged: 'is not suspended',
  },
];

/** Adds `ceiba customer suspend` and `resume`. */
export function suspendCommands(customer: Command, world: World): void {
  for (const change of CHANGES) {
    ofCustomer(customer.command(change.name).description(change.description))
      .option('--json', 'print the customer as JSON')
      .action((options: CustomerOptions) => changeCustomer(world, change, options));
  }
}

async function changeCustomer(
  world: World,
  { run, done, unchanged }: Change,
  { project: projectId, customer: id, json }: CustomerOptions,
): Promise<void> {
  const { kind, customer } = await withDatabase(world, async (ctx) => {
    const { customerId } = await requireCustomer(ctx.db, projectId, id);
    const result = await run(ctx, { projectId, customerId });
    if (result.kind === 'not_found') throw noCustomer(projectId, id);
    return result;
  });
  if (json) return printJson(world, customer);
  const outcome = kind === 'updated' ? `${done}.` : `${unchanged}. Nothing was changed.`;
  printLines(world, [`Customer ${customer.externalId} (${customer.customerId}) ${outcome}`]);
}
