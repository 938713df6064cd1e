import {
  createDatabase,
  type Database,
  type DatabaseOptions,
  serversOf,
  type Target,
} from './database.ts';
import { NotPrimaryError, postgresError } from './errors.ts';
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
  const patient = { connectTimeoutSeconds: CONNECT_TIMEOUT_SECONDS, ...options };
  for (const server of serversOf(url)) {
    const opened = await openProven(server, patient, (db) => withPatience(pingDatabase(db)));
    if (opened.error === null) {
      await standby?.close();
      return opened.db;
    }
    lastError = opened.error;
    if (opened.error instanceof NotPrimaryError && standby === null) standby = opened.db;
    else await opened.db.close();
  }
  if (standby === null) throw lastError;
  return standby;
}

/**
 * Opens a pool to a server, in the other way to encrypt where sign-in refused the first one.
 *
 * @returns also a pool whose proof failed, with the error
 */
export async function openProven(
  [first, ...others]: readonly [Target, ...Target[]],
  options: DatabaseOptions,
  prove: (db: Database) => Promise<void>,
): Promise<{ db: Database; error: unknown }> {
  const db = createDatabase(first, options);
  const error: unknown = await prove(db).then(
    () => null,
    (reason: unknown) => reason ?? new Error('no reason'),
  );
  const [second, ...rest] = others;
  if (second === undefined || postgresError(error)?.code !== REFUSED_SIGN_IN) return { db, error };
  await db.close();
  return openProven([second, ...rest], options, prove);
}

/** invalid_authorization_specification: `pg_hba.conf` has no entry for such a connection. */
const REFUSED_SIGN_IN = '28000';
