import type { CustomerBody } from '@ceiba/contract';
import { describeLimits } from '@ceiba/domain';
import type { Command } from 'commander';
import { uuid } from '../../options.ts';
import { printJson, printLines, type World } from '../../world.ts';

/** A customer as JSON has it. */
export type Customer = CustomerBody;

/** A command about one customer. */
export const ofCustomer = (command: Command): Command =>
  command
    .requiredOption('--project <id>', 'the project that the customer belongs to', uuid)
    .requiredOption('--customer <id>', 'the customer, by its id or its external id');

export interface CustomerOptions {
  project: string;
  customer: string;
  json?: true;
}

/** Prints a customer, for a program with the fields of the Runtime's routes. */
export function printCustomer(world: World, customer: Customer, json: true | undefined): void {
  if (json) printJson(world, customer);
  else printLines(world, linesOf(customer));
}

function linesOf(customer: Customer): string[] {
  const { suspendedAt } = customer;
  const fields: [string, string][] = [
    ['id', customer.customerId],
    ['external id', customer.externalId],
    ['name', customer.name || 'none'],
    ['metadata', JSON.stringify(customer.metadata)],
    ['state', suspendedAt === null ? 'active' : `suspended since ${suspendedAt}`],
    ['plan', planOf(customer)],
    ['its own limits', describeLimits(customer) || 'none'],
    ['month begins', `on day ${customer.billingDay}`],
  ];
  return fields.map(([name, value]) => `${name.padEnd(WIDTH)}  ${value}`);
}

const WIDTH = 'its own limits'.length;

function planOf({ plan, subscriptionStatus, currentPeriodEnd }: Customer): string {
  if (plan === null) return 'none';
  const end = currentPeriodEnd === null ? '' : `, until ${currentPeriodEnd}`;
  return `${plan.name}, ${subscriptionStatus}${end}`;
}
