import { and, eq, inArray } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { customers } from '../tables.ts';

export interface CustomerName {
  externalId: string;
  /** Empty where it has none. */
  name: string;
}

/** Reads the names of some customers of a project, by id. Customers of other projects are left out. */
export async function readCustomerNames(
  db: { orm: Executor },
  { projectId, customerIds }: { projectId: string; customerIds: readonly string[] },
): Promise<Map<string, CustomerName>> {
  if (customerIds.length === 0) return new Map();
  const rows = await db.orm
    .select({
      customerId: customers.id,
      externalId: customers.externalId,
      name: customers.name,
    })
    .from(customers)
    .where(and(eq(customers.projectId, projectId), inArray(customers.id, [...customerIds])));
  return new Map(rows.map(({ customerId, ...name }) => [customerId, name]));
}
