import type { Database } from './database.ts';
import { type MissingSetting, missingSettings } from './session.ts';

/** What an operator has to know about a server before trusting it with keys. */
export interface DatabaseReport {
  /** As Postgres numbers itself: 150004 is 15.4. */
  versionNumber: number;
  version: string;
  inRecovery: boolean;
  /** False means that a crash can lose committed changes, such as a revocation. */
  fsync: boolean;
  /** `on`, `off`, `local`, `remote_write` or `remote_apply`. */
  synchronousCommit: string;
  /** Whether a pooler such as PgBouncer is between this client and the server. */
  isPooled: boolean;
  /** Settings of Ceiba's own that this session lacks, because a pooler refused them. */
  missingSettings: readonly MissingSetting[];
  /** Empty when no commit waits for a standby. */
  synchronousStandbyNames: string;
}

/** Reads the server's version, role and durability settings, and whether it is behind a pooler. */
export async function inspectDatabase(db: Database): Promise<DatabaseReport> {
  const rows = await db.sql<(Omit<DatabaseReport, 'missingSettings'> & { serverPid: number })[]>`
    select current_setting('server_version_num')::int as "versionNumber",
      current_setting('server_version') as "version",
      pg_is_in_recovery() as "inRecovery",
      current_setting('fsync') = 'on' as "fsync",
      current_setting('synchronous_commit') as "synchronousCommit",
      current_setting('synchronous_standby_names') as "synchronousStandbyNames",
      pg_backend_pid() as "serverPid"`;
  const [row] = rows;
  if (row === undefined) throw new Error('a select of settings returned no row');
  const { serverPid, ...report } = row;
  const settings = await db.sql<{ name: string; setting: string }[]>`
    select name, setting from pg_settings`;
  const current = new Map(settings.map(({ name, setting }) => [name, setting]));
  // The process id that was reported at connect is that of the server, unless a pooler sent it.
  return {
    ...report,
    missingSettings: missingSettings(current),
    isPooled: rows.state?.pid !== serverPid,
  };
}

/** Statements per client; other clients may interfere. */
const STATEMENTS_PER_CLIENT = 3;

/**
 * Whether a pooler shares server processes between clients (transaction mode), so that session state
 * such as settings and prepared statements cannot be relied on.
 *
 * @param db and `other` are pools of one connection each, to the same address
 */
export async function sharesServerProcesses(db: Database, other: Database): Promise<boolean> {
  const pids = new Set<number | undefined>();
  for (let statement = 0; statement < STATEMENTS_PER_CLIENT; statement += 1) {
    pids.add(await serverPidOf(db)).add(await serverPidOf(other));
  }
  // With a session of its own, each client has one process.
  return pids.size !== 2;
}

async function serverPidOf({ sql }: Database): Promise<number | undefined> {
  const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
  return row?.pid;
}
