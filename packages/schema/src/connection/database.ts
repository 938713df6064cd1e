import { readFileSync } from 'node:fs';
import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import { UnconfirmedCommits, withConfirmedCommits } from './confirmed-commits.ts';
import { withGaplessResults } from './gapless-results.ts';
import { withoutWritesToLostConnections } from './lost-connection.ts';
import { withPoolerSupport } from './pooler.ts';
import type { Fence } from './server.ts';
import { bytea, SESSION_SETTINGS } from './session.ts';
import { PacedSockets } from './sockets.ts';

export interface DatabaseOptions {
  maxConnections?: number;
  applicationName?: string;
  /** Server-side timeout of one statement, in ms. A frozen server ignores it: limit the wait too. */
  statementTimeoutMs?: number;
  /** How long connecting and signing in may take. Default: 1 s, because a decision cannot wait. */
  connectTimeoutSeconds?: number;
  /** Judges each server that answers a decision's statement; without it, every primary is trusted. */
  fence?: Fence;
  onNotice?: (notice: postgres.Notice) => void;
  /** Plans each prepared statement once, whatever its parameters: planning takes longer than a lookup. */
  plansOnce?: true;
}

/** A pool of connections to Postgres: `sql` for handwritten statements, `orm` for typed ones. */
export interface Database {
  readonly sql: postgres.Sql;
  readonly orm: PostgresJsDatabase;
  readonly fence?: Fence;
  /** Ends every connection; those still busy after `graceMs` are cut. */
  close(graceMs?: number): Promise<void>;
}

/** What a verb may run in: the pool itself or a transaction of it. */
export type Executor = Pick<
  PostgresJsDatabase,
  'select' | 'insert' | 'update' | 'delete' | 'execute'
>;

/** What can start a transaction; inside one, a savepoint. */
export type Transactor = Executor & Pick<PostgresJsDatabase, 'transaction'>;

const CONNECT_TIMEOUT_SECONDS = 1;
const LONGEST_BACKOFF_SECONDS = 0.5;

/**
 * Opens a pool. It connects with the first statement, so that importing code needs no server.
 *
 * @param url `postgres://…` of one host; `sslmode` and `sslrootcert` mean what they mean to libpq.
 *   Split a list of hosts with {@link hostsOf}: given the whole list, the driver uses the first host
 *   that answers, even a standby.
 * @see https://www.postgresql.org/docs/current/libpq-ssl.html
 */
export function createDatabase(url: string, options: DatabaseOptions = {}): Database {
  const { address, ssl } = splitTls(url);
  const sockets = new PacedSockets((attempt) => backoffSeconds(attempt) * 1_000);
  const unconfirmed = new UnconfirmedCommits();
  const pool = postgres(address, {
    // An option of the driver that its types lack.
    ...{ socket: sockets.open },
    ...(ssl === undefined ? {} : { ssl }),
    max: options.maxConnections ?? 10,
    connect_timeout: options.connectTimeoutSeconds ?? CONNECT_TIMEOUT_SECONDS,
    backoff: backoffSeconds,
    idle_timeout: 0,
    max_lifetime: null,
    fetch_types: false,
    types: { bytea },
    onnotice: (notice) => {
      unconfirmed.notice(notice);
      options.onNotice?.(notice);
    },
    connection: {
      application_name: options.applicationName ?? 'ceiba',
      ...SESSION_SETTINGS,
      ...(options.plansOnce && { plan_cache_mode: 'force_generic_plan' }),
      ...(options.statementTimeoutMs === undefined
        ? {}
        : { statement_timeout: options.statementTimeoutMs }),
    },
  });
  const guarded = withGaplessResults(withoutWritesToLostConnections(withPoolerSupport(pool)));
  const sql = withConfirmedCommits(guarded, unconfirmed);
  return {
    sql,
    orm: drizzle(sql),
    ...(options.fence === undefined ? {} : { fence: options.fence }),
    close: (graceMs = 0) => sql.end({ timeout: graceMs / 1000 }).finally(() => sockets.end()),
  };
}

/** Splits an address with a list of hosts, as libpq accepts it, into one address per host. */
export function hostsOf(url: string): string[] {
  const [, start = '', hosts = '', end = ''] = ADDRESS.exec(url) ?? [];
  return hosts === '' ? [url] : hosts.split(',').map((host) => `${start}${host}${end}`);
}

/** What precedes the hosts, the hosts, and what follows them. */
const ADDRESS = /^([a-z]+:\/\/(?:[^/?]*@)?)([^/?@]*)(.*)$/;

const backoffSeconds = (attempt: number) =>
  Math.min(LONGEST_BACKOFF_SECONDS, 0.05 * 2 ** attempt) * (0.5 + Math.random() / 2);

type TlsOption = NonNullable<postgres.Options<Record<string, never>>['ssl']>;

/** Without `URL`, which cannot parse a list of hosts. */
function splitTls(url: string): { address: string; ssl: TlsOption | undefined } {
  const [address = '', query = ''] = url.split('?');
  const parameters = new URLSearchParams(query);
  const mode = parameters.get('sslmode');
  const rootCertificate = parameters.get('sslrootcert');
  parameters.delete('sslmode');
  parameters.delete('sslrootcert');
  const rest = parameters.size === 0 ? address : `${address}?${parameters}`;
  return { address: rest, ssl: tlsFor(mode, rootCertificate) };
}

function tlsFor(mode: string | null, rootCertificate: string | null): TlsOption | undefined {
  const ca = rootCertificate === null ? {} : { ca: readFileSync(rootCertificate, 'utf8') };
  switch (mode) {
    case null:
    case 'disable':
      return mode === null && rootCertificate !== null ? ca : undefined;
    case 'verify-full':
      return { ...ca, rejectUnauthorized: true };
    case 'verify-ca':
      return { ...ca, rejectUnauthorized: true, checkServerIdentity: () => undefined };
    case 'require':
      return { ...ca, rejectUnauthorized: rootCertificate !== null };
    case 'allow':
    case 'prefer':
      return mode;
    default:
      throw new Error(`DATABASE_URL: sslmode "${mode}" is not one that libpq knows`);
  }
}
