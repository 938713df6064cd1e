import { and, eq, isNotNull, isNull, type SQL, sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import {
  hasIndexedText,
  keyset,
  type Page,
  type PageRequest,
  readPage,
  searchText,
  storable,
  UUID_ID,
} from '../page.ts';
import { customers } from '../tables.ts';
import { type Customer, getCustomer, selectCustomers } from './get.ts';
import { NAMES } from './words.ts';

export const CUSTOMER_STATES = ['active', 'suspended'] as const;
export type CustomerStatus = (typeof CUSTOMER_STATES)[number];

/** Each condition narrows the list. */
export interface CustomerFilter {
  /** Exactly this one. */
  externalId?: string | undefined;
  status?: CustomerStatus | undefined;
  /** Part of the external id or the name, in either case. */
  search?: string | undefined;
}

export interface ListCustomersInput extends PageRequest {
  projectId: string;
  filter?: CustomerFilter;
}

/**
 * One page of a project's customers, newest first. It is empty where nothing that is wanted is beyond the
 * cursor.
 *
 * @throws InvalidInputError where the cursor names no customer of the project
 */
export function listCustomers(
  db: { orm: Executor },
  { projectId, filter = {}, ...page }: ListCustomersInput,
): Promise<Page<Customer>> {
  const ids = {
    idOf: ({ customerId }: Customer) => customerId,
    idFormat: UUID_ID,
    find: (customerId: string) => getCustomer(db, { projectId, customerId }),
  };
  return readPage<Customer>(page, ids, (place, count) => {
    const { orderBy, beyond } = keyset(place, {
      value: sql`${customers.createdAt}`,
      id: sql`${customers.id}`,
      descending: true,
      rowAt: (id) => sql`(select c.created_at, c.id from customers c
        where c.project_id = ${projectId} and c.id = ${id})`,
    });
    return selectCustomers(db.orm, and(...conditionsOf(projectId, filter), beyond))
      .orderBy(...orderBy)
      .limit(count);
  });
}

function conditionsOf(
  projectId: string,
  { externalId, status, search }: CustomerFilter,
): (SQL | undefined)[] {
  const wanted = searchText(search);
  return [
    eq(customers.projectId, projectId),
    externalId === undefined ? undefined : eq(customers.externalId, storable(externalId)),
    status === 'suspended' ? isNotNull(customers.suspendedAt) : undefined,
    status === 'active' ? isNull(customers.suspendedAt) : undefined,
    wanted === null ? undefined : hasIndexedText(NAMES, wanted),
  ];
}
