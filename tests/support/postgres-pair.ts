import { appendFileSync, cpSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { withConnection } from '@ceiba/devstack/databases';
import { startTestNetwork, type TestNetwork } from '../chaos/support/proxy.ts';
import { startTestPostgres, type TestService } from './services.ts';
import { until } from './until.ts';

/**
 * A primary and a hot standby that streams from it, on the embedded PostgreSQL. The names do not
 * change with the roles: after `promote` the standby is a primary too.
 */
export interface PostgresPair {
  readonly primary: TestService;
  readonly standby: TestService;
  /**
   * The proxy through which the standby reaches the primary. `refuse` or `darken` cuts the two off
   * from each other, while clients still reach both.
   */
  readonly replication: TestNetwork;
  /** One URL that lists both servers, the primary first. */
  hostListUrl(databaseUrl: string): string;
  /** Resolves when the standby has replayed every commit of the primary before the call. */
  caughtUp(): Promise<void>;
  /** Pauses replay: the standby still receives, but its readers see the state at the call. */
  pauseReplay(): Promise<void>;
  resumeReplay(): Promise<void>;
  /** Promotes the standby and returns once it accepts writes; the old primary does not change. */
  promote(): Promise<void>;
  dispose(): Promise<void>;
}

export interface PairOptions {
  /** Whether a commit on the primary waits for the standby; false by default. */
  isSynchronous?: boolean;
}

/** The standby's name, for `synchronous_standby_names`. */
const STANDBY = 'standby';
const CATCH_UP_WITHIN_MS = 20_000;

export async function startPostgresPair(options: PairOptions = {}): Promise<PostgresPair> {
  const primary = await startTestPostgres();
  const replication = await startTestNetwork(primary.url);
  // A cold copy, because the packaged binaries have no pg_basebackup.
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

/** While both are stopped: copies the whole cluster, including its password. */
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

/** @param serverUrls URLs with the same user, password and database */
function hostListUrl(databaseUrl: string, serverUrls: readonly string[]): string {
  const { host } = new URL(databaseUrl);
  return databaseUrl.replace(host, serverUrls.map((url) => new URL(url).host).join(','));
}

async function holds(url: string, condition: string): Promise<boolean> {
  const [row] = await withConnection(url, (sql) => sql.unsafe(`select ${condition} as holds`));
  return row?.holds === true;
}

/** The position of a primary's WAL. */
async function writtenBy(url: string): Promise<string> {
  const [row] = await withConnection(
    url,
    (sql) => sql<{ position: string }[]>`select pg_current_wal_flush_lsn()::text as position`,
  );
  if (row === undefined) throw new Error('the server returned no WAL position');
  return row.position;
}
