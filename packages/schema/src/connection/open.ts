import { createDatabase, type Database, type DatabaseOptions, hostsOf } from './database.ts';
import { NotPrimaryError } from './errors.ts';
import { pingDatabase } from './ping.ts';
import { withPatience } from './within.ts';

/** An operator would rather wait for a busy machine than run the command again. */
const CONNECT_TIMEOUT_SECONDS = 10;

/**
 * Opens a pool for one run of a command: to the first host that answers as a primary, else to the
 * first standby. Callers that need a primary ping it again.
 *
 * @throws what the driver throws for the last host; NoAnswerError when that server is frozen
 */
export async function openDatabase(url: string, options: DatabaseOptions = {}): Promise<Database> {
  let standby: Database | null = null;
  let lastError: unknown;
  for (const host of hostsOf(url)) {
    const db = createDatabase(host, { connectTimeoutSeconds: CONNECT_TIMEOUT_SECONDS, ...options });
    try {
      await withPatience(pingDatabase(db));
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
