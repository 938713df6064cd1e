import { eq, sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { type FindInProjects, IS_NAMED_PROJECT, selectInProjects } from '../in-projects.ts';
import { hasIndexedText, searchText, startsWith, UUID_ID } from '../page.ts';
import { customers } from '../tables.ts';
import { NAMES } from './words.ts';

export interface FoundCustomer {
  projectId: string;
  customerId: string;
  externalId: string;
  /** Empty where it has none. */
  name: string;
  isSuspended: boolean;
}

/**
 * Customers of several projects: by ID or external ID; by the first characters of the external ID; then by
 * a part of it or of the name, in either case.
 */
export async function findCustomersInProjects(
  db: { orm: Executor },
  input: FindInProjects,
): Promise<FoundCustomer[]> {
  const text = searchText(input.text);
  if (text === null) return [];
  const id = text.toLowerCase();
  const { externalId, name, suspendedAt, createdAt } = customers;
  const found = selectInProjects(input, {
    table: customers,
    columns: {
      customerId: customers.id,
      externalId,
      name,
      isSuspended: sql`${suspendedAt} is not null`,
    },
    id: customers.id,
    at: createdAt,
    conditions: [
      { where: eq(externalId, text) },
      ...(UUID_ID.test(id)
        ? [{ where: sql`${customers.id} = ${id}` }]
        : [
            { where: startsWith(externalId, text), by: sql`${externalId}` },
            {
              where: sql`${IS_NAMED_PROJECT} and ${hasIndexedText(NAMES, text)}`,
              by: sql`${createdAt} desc, ${customers.id} desc`,
            },
          ]),
    ],
  });
  return [...(await db.orm.execute<FoundCustomer & Record<string, unknown>>(found))];
}
