import type { DatabaseContext, InDatabase } from '../in-database.ts';

/** Transactions without a database, and how many of them are open. */
export function countedTransactions(): { inDatabase: InDatabase; open: () => number } {
  let open = 0;
  return {
    open: () => open,
    inDatabase: async (work) => {
      open += 1;
      try {
        return await work({ db: {}, userAgent: 'browser' } as DatabaseContext);
      } finally {
        open -= 1;
      }
    },
  };
}
