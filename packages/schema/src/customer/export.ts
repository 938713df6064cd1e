import type { Database } from '../connection/database.ts';
import { everyPage, type Run } from '../page.ts';
import type { Customer } from './get.ts';
import { type ListCustomersInput, listCustomers } from './list.ts';
import { type CustomerUse, readCustomerUse } from './use.ts';

const ROWS_PER_PAGE = 500;

export type CustomerWithUse = Customer & { use: CustomerUse };

/**
 * Reads all matching customers, newest first, page by page, for a streamed CSV file. No connection is held
 * between pages.
 *
 * @param run runs a verb, such as the console's `withDatabase`
 */
export const exportCustomers = (
  run: Run<Database>,
  input: Omit<ListCustomersInput, 'cursor' | 'limit'>,
) =>
  everyPage((cursor) =>
    run(async (db) => {
      const page = await listCustomers(db, { ...input, cursor, limit: ROWS_PER_PAGE });
      const customerIds = page.items.map(({ customerId }) => customerId);
      const uses = await readCustomerUse(db, { projectId: input.projectId, customerIds });
      const items = page.items.flatMap((customer): CustomerWithUse[] => {
        const use = uses.get(customer.customerId);
        return use ? [{ ...customer, use }] : [];
      });
      return { ...page, items };
    }),
  );
