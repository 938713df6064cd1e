import { appendFileSync, cpSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { withConnection } from '@ceiba/devstack/databases';
import { startTestNetwork, type TestNetwork } from '../chaos/support/proxy.ts';
import { until } from './redis.ts';
import { startTestPostgres, type TestService } from './services.ts';

/**
 * A primary and a hot standby that streams from it, on the embedded PostgreSQL. The names stay with
 * the servers: after `promote` the standby is a primary as well.
 */
export interface PostgresPair {
  readonly primary: TestService;
  readonly standby: TestService;
  /**
   * The way by which the standby reaches the primary. `refuse` or `darken` cuts the two off from
   * each other, while clients go on reaching both.
   */
  readonly replication: TestNetwork;
  /** Both addresses in one URL, as libpq writes them; the primary's is first. */
  hostListUrl(databaseUrl: string): string;
  /** Resolves when the standby serves what the primary had committed at the call. */
  caughtUp(): Promise<void>;
  /** The standby goes on receiving, and its readers see what was true at the call. */
  pauseReplay(): Promise<void>;
  resumeReplay(): Promise<void>;
  /** Makes the standby a primary and returns once it accepts writes; the old primary stays as it is. */
  promote(): Promise<void>;
  dispose(): Promise<void>;
}

export interface PairOptions {
  /** Whether a commit on the primary waits for the standby. Default: false. */
  isSynchronous?: boolean;
}

/** The standby's name, for `synchronous_standby_names`. */
const STANDBY = 'standby';
const CATCH_UP_WITHIN_MS = 20_000;

export async function startPostgresPair(options: PairOptions = {}): Promise<PostgresPair> {
  const primary = await startTestPostgres();
  const replication = await startTestNetwork(primary.url);
  // The packaged binaries have no pg_basebackup; a cold copy needs none.
  await primary.stop();
  const standby = await startTestPostgres((dataDir) => {
    copyCluster(primary, dataDir);
    follow(join(dataDir, 'postgres'), replication.url);
  });
  if (options.isSynchronous) configure(primary.dataFolder, { synchronous_standby_names: STANDBY });
  await primary.start();

  const onStandby = (condition: string) => holds(standby.url, condition);
  const pair: PostgresPair = {
    primary,
    standby,
    replication,
    hostListUrl: (databaseUrl) => hostListUrl(databaseUrl, [primary.url, standby.url]),
    async caughtUp() {
      const position = await writtenBy(primary.url);
      const replayed = `pg_last_wal_replay_lsn() >= '${position}'`;
      await until('the standby has caught up', () => onStandby(replayed), CATCH_UP_WITHIN_MS);
    },
    async pauseReplay() {
      await withConnection(standby.url, (sql) => sql`select pg_wal_replay_pause()`);
      await until('replay is paused', () =>
        onStandby("pg_get_wal_replay_pause_state() = 'paused'"),
      );
    },
    async resumeReplay() {
      await withConnection(standby.url, (sql) => sql`select pg_wal_replay_resume()`);
    },
    async promote() {
      if (!(await onStandby('pg_promote()'))) throw new Error('the standby was not promoted');
    },
    async dispose() {
      await Promise.all([primary.dispose(), standby.dispose()]);
      await replication.close();
    },
  };
  await pair.caughtUp();
  return pair;
}

/** Both stopped or not yet started: the copy is a whole cluster with the same password. */
function copyCluster(primary: TestService, dataDir: string): void {
  const source = realpathSync(primary.dataFolder);
  cpSync(source, join(dataDir, 'postgres'), { recursive: true, verbatimSymlinks: true });
  cpSync(join(dirname(primary.dataFolder), 'secrets.json'), join(dataDir, 'secrets.json'));
}

function follow(dataFolder: string, primaryUrl: string): void {
  const { hostname, port, username, password } = new URL(primaryUrl);
  writeFileSync(join(dataFolder, 'standby.signal'), '');
  configure(dataFolder, {
    primary_conninfo: `host=${hostname} port=${port} user=${username} password=${password} application_name=${STANDBY}`,
    wal_retrieve_retry_interval: '100ms',
  });
}

function configure(dataFolder: string, settings: Record<string, string>): void {
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`);
  appendFileSync(join(dataFolder, 'postgresql.auto.conf'), lines.join(''));
}

/** @param serverUrls - Of the same user, password and database. */
function hostListUrl(databaseUrl: string, serverUrls: readonly string[]): string {
  const { host } = new URL(databaseUrl);
  return databaseUrl.replace(host, serverUrls.map((url) => new URL(url).host).join(','));
}

async function holds(url: string, condition: string): Promise<boolean> {
  const [row] = await withConnection(url, (sql) => sql.unsafe(`select ${condition} as holds`));
  return row?.holds === true;
}

/** How far a primary's log reaches. */
async function writtenBy(url: string): Promise<string> {
  const [row] = await withConnection(
    url,
    (sql) => sql<{ position: string }[]>`select pg_current_wal_flush_lsn()::text as position`,
  );
  if (row === undefined) throw new Error('the server named no position of its log');
  return row.position;
}
