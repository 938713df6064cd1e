import { userInfo } from 'node:os';
import type { PostgresAddress, PostgresHost } from '@ceiba/domain';
import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import { UnconfirmedCommits, withConfirmedCommits } from './confirmed-commits.ts';
import { passwordOf, readAddress } from './files.ts';
import { withGaplessResults } from './gapless-results.ts';
import { withoutWritesToLostConnections } from './lost-connection.ts';
import { withPoolerSupport } from './pooler.ts';
import type { Fence } from './server.ts';
import { bytea, SESSION_SETTINGS } from './session.ts';
import { PacedSockets } from './sockets.ts';
import { type Encryption, encryptionsOf } from './tls.ts';

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
  'select' | 'insert' | 'update' | 'delete' | 'execute' | '$count'
>;

/** What can start a transaction; inside one, a savepoint. */
export type Transactor = Executor & Pick<PostgresJsDatabase, 'transaction'>;

const CONNECT_TIMEOUT_SECONDS = 1;
const BACKOFF_SECONDS_MAX = 0.5;

/** One server of an address, and one way to encrypt the connections to it. */
export interface Target {
  address: PostgresAddress;
  host: PostgresHost;
  encryption: Encryption;
}

/**
 * The servers of an address, each with the ways to encrypt that libpq tries in turn.
 *
 * @throws Error for an address that is not valid, or a file of it that cannot be read
 */
export const serversOf = (url: string): readonly (readonly [Target, ...Target[]])[] => {
  const address = readAddress(url);
  return address.hosts.map((host) => {
    const [first, ...others] = encryptionsOf(address, host).map((encryption) => ({
      address,
      host,
      encryption,
    }));
    if (first === undefined) throw new Error('there is no way to connect');
    return [first, ...others];
  });
};

/**
 * Opens a pool. It connects with the first statement, so that importing code needs no server.
 *
 * @param target one server; of an address, its first
 */
export function createDatabase(target: string | Target, options: DatabaseOptions = {}): Database {
  const { address, host, encryption } = typeof target === 'string' ? firstOf(target) : target;
  const { parameters } = address;
  const timeoutSeconds = connectTimeoutOf(parameters, options);
  const user = parameters.get('user') ?? userInfo().username;
  const database = parameters.get('dbname') ?? user;
  const sockets = new PacedSockets({
    host,
    encryption,
    timeoutMs: timeoutSeconds * 1_000,
    pauseMs: (attempt) => backoffSeconds(attempt) * 1_000,
  });
  const unconfirmed = new UnconfirmedCommits();
  const password = passwordOf(address, host, { user, database });
  const pool = postgres({
    // Options of the driver that its types lack. `ssl` is off, because the sockets are encrypted.
    ...{ socket: sockets.open, sslnegotiation: null },
    ssl: false,
    host: host.host || 'localhost',
    port: host.port,
    user,
    database,
    // As a function, also where it is empty: the driver would read PGPASSWORD.
    password: () => password,
    target_session_attrs: undefined,
    keep_alive: keepAliveOf(parameters),
    max: options.maxConnections ?? 10,
    connect_timeout: timeoutSeconds,
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
      ...(parameters.has('options') && { options: parameters.get('options') }),
      application_name: applicationName(parameters, options),
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

function firstOf(url: string): Target {
  const [server] = serversOf(url);
  if (server === undefined) throw new Error('the address names no server');
  return server[0];
}

type Parameters = PostgresAddress['parameters'];

/** A longer time than ours is an upper bound, too: an attempt that failed is repeated. */
function connectTimeoutOf(parameters: Parameters, options: DatabaseOptions): number {
  const ours = options.connectTimeoutSeconds ?? CONNECT_TIMEOUT_SECONDS;
  const given = Number(parameters.get('connect_timeout') ?? 0);
  return given > 0 ? Math.min(ours, given) : ours;
}

/** Seconds of silence before the first probe; 0 is without probes. */
const keepAliveOf = (parameters: Parameters): number =>
  parameters.get('keepalives') === '0'
    ? 0
    : Number(parameters.get('keepalives_idle') ?? 0) || KEEP_ALIVE_SECONDS;

const KEEP_ALIVE_SECONDS = 60;

/** Cut before the purpose would be, which an operator looks for in `pg_stat_activity`. */
function applicationName(parameters: Parameters, { applicationName: purpose }: DatabaseOptions) {
  const name = purpose ?? 'ceiba';
  const given = parameters.get('application_name');
  return given === undefined ? name : `${given.slice(0, 62 - name.length)}/${name}`;
}

const backoffSeconds = (attempt: number) =>
  Math.min(BACKOFF_SECONDS_MAX, 0.05 * 2 ** attempt) * (0.5 + Math.random() / 2);
