import { NoLeaseError, NotPrimaryError, postgresFault } from './errors.ts';

/**
 * What an error says of the connection that it came over.
 *
 * - `statement`: the server is well and refused this statement.
 * - `busy`: the server is well and stopped the statement for its time, or may not answer just now.
 * - `connection`: there is no use in that connection any more, or none was made.
 * - `internal`: the error has nothing to do with Postgres; it is a bug and must not pass for an
 *   outage.
 */
export type ErrorKind = 'statement' | 'busy' | 'connection' | 'internal';

/** @see https://www.postgresql.org/docs/current/errcodes-appendix.html */
export function classifyError(error: unknown): ErrorKind {
  if (error instanceof NotPrimaryError) return 'connection';
  if (error instanceof NoLeaseError) return 'busy';
  const sqlState = postgresFault(error)?.code;
  if (sqlState === undefined) return isLostOnTheWay(error) ? 'connection' : 'internal';
  if (BUSY.has(sqlState)) return 'busy';
  return USELESS.has(sqlState) || USELESS_CLASSES.has(sqlState.slice(0, 2))
    ? 'connection'
    : 'statement';
}

/** query_canceled (what statement_timeout raises), lock_not_available. */
const BUSY = new Set(['57014', '55P03']);
/** invalid_catalog_name: the database is gone, or the address names another one. */
const USELESS = new Set(['3D000']);
/**
 * Connection exceptions, read-only or ended transactions, refused logins, insufficient resources,
 * operator intervention, system errors.
 */
const USELESS_CLASSES = new Set(['08', '25', '28', '53', '57', '58']);

/** Whether the driver, a socket, a name look-up or TLS failed, also where a library wrapped it. */
function isLostOnTheWay(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && WAY_CODE.test(String(cause.code))) return true;
  }
  return false;
}

/** Node's own mistakes begin with `ERR_`; of these only TLS speaks of the connection. */
const WAY_CODE = new RegExp(
  `^(${[
    'CONNECT_TIMEOUT|CONNECTION_(CLOSED|ENDED|DESTROYED)|SASL_SIGNATURE_MISMATCH',
    'E(?!RR_)[A-Z][A-Z0-9_]*',
    'ERR_(TLS|SSL)_.*',
    '(CERT|CRL|DEPTH_ZERO|ERROR_IN|SELF_SIGNED|UNABLE_TO)_.*|HOSTNAME_MISMATCH|INVALID_(CA|PURPOSE)',
  ].join('|')})$`,
);
