import { inMatchOrder } from '@ceiba/domain';
import { eq } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { policies } from '../tables.ts';
import { type PolicyState, stateColumns } from './rule.ts';

export interface PolicyRecord extends PolicyState {
  policyId: string;
  createdAt: Date;
  updatedAt: Date;
}

const policyColumns = {
  policyId: policies.id,
  ...stateColumns,
  createdAt: policies.createdAt,
  updatedAt: policies.updatedAt,
};

/** A project's policies in match order: the first that matches wins. */
export async function listPolicies(
  db: { orm: Executor },
  projectId: string,
): Promise<PolicyRecord[]> {
  const rows = await db.orm
    .select(policyColumns)
    .from(policies)
    .where(eq(policies.projectId, projectId));
  return inMatchOrder(rows);
}
