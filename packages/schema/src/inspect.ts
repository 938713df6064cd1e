import type { Database } from './database.ts';

/** What an operator has to know of a server before trusting it with keys. */
export interface DatabaseFacts {
  /** As Postgres numbers itself: 150004 is 15.4. */
  versionNumber: number;
  version: string;
  inRecovery: boolean;
  /** Off means that a crash can lose what was committed, a revocation among it. */
  fsync: boolean;
  /** `on`, `off`, `local`, `remote_write` or `remote_apply`. */
  synchronousCommit: string;
}

/** Reads the server's version, role and durability settings. */
export async function inspectDatabase(db: Database): Promise<DatabaseFacts> {
  const [row] = await db.sql<DatabaseFacts[]>`
    select current_setting('server_version_num')::int as "versionNumber",
      current_setting('server_version') as "version",
      pg_is_in_recovery() as "inRecovery",
      current_setting('fsync') = 'on' as "fsync",
      current_setting('synchronous_commit') as "synchronousCommit"`;
  if (row === undefined) throw new Error('a select of settings returned no row');
  return row;
}
