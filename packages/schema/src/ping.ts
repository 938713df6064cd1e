import type { Database } from './database.ts';
import { NotPrimaryError } from './faults.ts';

/** Resolves when the server answers as a primary; rejects otherwise. */
export async function pingDatabase(db: Database): Promise<void> {
  const [row] = await db.sql<{ inRecovery: boolean }[]>`
    select pg_is_in_recovery() as "inRecovery"`;
  if (row?.inRecovery !== false) throw new NotPrimaryError('the database is in recovery');
}
