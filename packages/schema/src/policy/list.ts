import { comparePolicies, type Labels } from '@ceiba/domain';
import { eq } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { policies } from '../tables.ts';

export interface PolicyRecord {
  policyId: string;
  method: string;
  pathPattern: string;
  /** Null for none. */
  scopes: Labels;
  cost: number;
  createdAt: Date;
  updatedAt: Date;
}

export const policyColumns = {
  policyId: policies.id,
  method: policies.method,
  pathPattern: policies.pathPattern,
  scopes: policies.scopes,
  cost: policies.cost,
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
  return rows.sort(comparePolicies);
}
