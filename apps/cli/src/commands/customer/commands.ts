import type { Command } from 'commander';
import type { World } from '../../world.ts';
import { createCustomerCommand, updateCustomerCommand } from './change.ts';
import { importCustomersCommand } from './import.ts';
import { getCustomerCommand, listCustomersCommand } from './read.ts';
import { suspendCommands } from './suspend.ts';
import { customerUsageCommand } from './usage.ts';

/** `ceiba customer …`. */
export function customerCommands(program: Command, world: World): void {
  const customer = program.command('customer').description('manage the customers of a project');
  listCustomersCommand(customer, world);
  getCustomerCommand(customer, world);
  createCustomerCommand(customer, world);
  updateCustomerCommand(customer, world);
  suspendCommands(customer, world);
  customerUsageCommand(customer, world);
  importCustomersCommand(customer, world);
}
