import { createDatabase, type Database, type DatabaseOptions, hostsOf } from './database.ts';
import { NotPrimaryError } from './errors.ts';
import { pingDatabase } from './ping.ts';
import { within } from './within.ts';

/** The first answer of one host, in ms. */
const PATIENCE_MS = 5_000;

/**
 * Opens a pool for one run of a command. Of a list of hosts it is the first that answers as a
 * primary, else the first that answers at all, else the error of the last one: callers who need a
 * primary ask it again.
 *
 * @throws what the driver throws; an error with the code `no answer within 5 s` when a server is
 *   frozen
 */
export async function openDatabase(url: string, options: DatabaseOptions = {}): Promise<Database> {
  let standby: Database | null = null;
  let lastError: unknown;
  for (const host of hostsOf(url)) {
    const db = createDatabase(host, options);
    try {
      await within(PATIENCE_MS, pingDatabase(db), noAnswer);
      await standby?.close();
      return db;
    } catch (error) {
      lastError = error;
      if (error instanceof NotPrimaryError && standby === null) standby = db;
      else await db.close();
    }
  }
  if (standby === null) throw lastError;
  return standby;
}

const noAnswer = () => {
  const code = `no answer within ${PATIENCE_MS / 1000} s`;
  return Object.assign(new Error(code), { code });
};
