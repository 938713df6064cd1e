import type { DatabaseContext, InDatabase } from '../in-database.ts';

/** Turns in a database that is not there, and how many are open at this moment. */
export function countedTurns(): { inDatabase: InDatabase; open: () => number } {
  let open = 0;
  return {
    open: () => open,
    inDatabase: async (work) => {
      open += 1;
      try {
        return await work({ db: {} } as DatabaseContext);
      } finally {
        open -= 1;
      }
    },
  };
}
