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
  /** Whether something that speaks for the server, such as PgBouncer, is in between. */
  isPooled: boolean;
  /** Whether long statements are compiled first; Ceiba's own connections ask for `off`. */
  jit: boolean;
  /** After how long an idle transaction loses its locks, in ms; 0 is never. */
  idleInTransactionTimeoutMs: number;
  /** Empty where no commit waits for a standby. */
  synchronousStandbyNames: string;
}

/** Reads the server's version, role and durability settings, and what is in front of it. */
export async function inspectDatabase(db: Database): Promise<DatabaseFacts> {
  const rows = await db.sql<(DatabaseFacts & { serverPid: number })[]>`
    select current_setting('server_version_num')::int as "versionNumber",
      current_setting('server_version') as "version",
      pg_is_in_recovery() as "inRecovery",
      current_setting('fsync') = 'on' as "fsync",
      current_setting('synchronous_commit') as "synchronousCommit",
      current_setting('jit') = 'on' as "jit",
      extract(epoch from current_setting('idle_in_transaction_session_timeout')::interval)::float8
        * 1000 as "idleInTransactionTimeoutMs",
      current_setting('synchronous_standby_names') as "synchronousStandbyNames",
      pg_backend_pid() as "serverPid"`;
  const [row] = rows;
  if (row === undefined) throw new Error('a select of settings returned no row');
  const { serverPid, ...facts } = row;
  // Who answers at the address names itself when the connection starts: a pooler is not the server.
  return { ...facts, isPooled: rows.state?.pid !== serverPid };
}

/** Statements of each client; another client may come in between. */
const STATEMENTS_A_CLIENT = 3;

/**
 * Whether a pooler hands a server process from one client to the next between transactions, so that
 * nothing which belongs to a session can be relied on.
 *
 * @param db and `other` are pools of one connection each, to the same address
 */
export async function sharesServerProcesses(db: Database, other: Database): Promise<boolean> {
  const pids = new Set<number | undefined>();
  for (let statement = 0; statement < STATEMENTS_A_CLIENT; statement += 1) {
    pids.add(await serverPidOf(db)).add(await serverPidOf(other));
  }
  // A session of its own for each client means two processes: neither one nor many.
  return pids.size !== 2;
}

async function serverPidOf({ sql }: Database): Promise<number | undefined> {
  const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
  return row?.pid;
}
