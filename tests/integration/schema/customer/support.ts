import { randomUUID } from 'node:crypto';
import {
  type CreateCustomerInput,
  type Customer,
  createCustomer,
  type Database,
  type VerbContext,
} from '@ceiba/schema';
import { expectKind } from '../support.ts';

/** A new customer of a project. */
export async function makeCustomer(
  ctx: VerbContext,
  projectId: string,
  fields: Partial<CreateCustomerInput> = {},
): Promise<Customer> {
  const externalId = `customer-${randomUUID()}`;
  const created = await createCustomer(ctx, { projectId, externalId, ...fields });
  return expectKind(created, 'created').customer;
}

/** A plan for the customers of a project. */
export async function makeCustomerPlan(
  db: Database,
  projectId: string,
  fields: { name?: string; activeKeyCap?: number; dailyQuota?: number } = {},
): Promise<{ planId: string; name: string }> {
  const { name = `plan-${randomUUID()}`, activeKeyCap = null, dailyQuota = null } = fields;
  const [row] = await db.sql<{ planId: string }[]>`
    insert into customer_plans (project_id, name, active_key_cap, daily_quota)
    values (${projectId}, ${name}, ${activeKeyCap}, ${dailyQuota}) returning id as "planId"`;
  return { planId: row!.planId, name };
}

/** The audited changes of a target, oldest first. */
export const auditOf = (db: Database, targetId: string) =>
  db.sql<{ action: string; label: string; before: unknown; after: unknown }[]>`
    select action, target_label as label, before, after from audit_log
    where target_id = ${targetId} order by id`;
