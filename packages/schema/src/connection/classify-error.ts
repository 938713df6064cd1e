import { NoLeaseError, NotPrimaryError, postgresError, UnconfirmedCommitError } from './errors.ts';
import { NoAnswerError } from './within.ts';

/**
 * What an error says about the connection that it came over.
 *
 * - `statement`: the server works and refused this statement.
 * - `busy`: the server works and cancelled the statement, or cannot confirm it at the moment.
 * - `connection`: the connection is unusable, or none was made.
 * - `internal`: the error is not about Postgres; it is a bug and must not count as an outage.
 */
export type ErrorKind = 'statement' | 'busy' | 'connection' | 'internal';

/** @see https://www.postgresql.org/docs/current/errcodes-appendix.html */
export function classifyError(error: unknown): ErrorKind {
  if (error instanceof NotPrimaryError || error instanceof NoAnswerError) return 'connection';
  if (error instanceof NoLeaseError || error instanceof UnconfirmedCommitError) return 'busy';
  const answer = postgresError(error);
  if (answer === null) return hasCode(error, CONNECTION_CODE) ? 'connection' : 'internal';
  if (ENDS_CONNECTION.has(answer.severity)) return 'connection';
  if (BUSY.has(answer.code)) return 'busy';
  return UNUSABLE.has(answer.code) || UNUSABLE_CLASSES.has(answer.code.slice(0, 2))
    ? 'connection'
    : 'statement';
}

/** After these the server closes the connection, whatever the SQLSTATE. */
const ENDS_CONNECTION = new Set(['FATAL', 'PANIC']);
/** query_canceled (raised by statement_timeout), lock_not_available. */
const BUSY = new Set(['57014', '55P03']);
/** invalid_catalog_name: the database was dropped, or the address names another one. */
const UNUSABLE = new Set(['3D000']);
/**
 * Connection exceptions, read-only or failed transactions, refused logins, insufficient resources,
 * operator intervention, system errors.
 */
const UNUSABLE_CLASSES = new Set(['08', '25', '28', '53', '57', '58']);

/** Whether a connection that was in use is gone: there is nothing to roll back over it. */
export const isConnectionLost = (error: unknown): boolean =>
  postgresError(error) === null && hasCode(error, LOST_CODE);

/** Whether the driver, a socket, DNS or TLS failed with such a code, also when a library wrapped it. */
function hasCode(error: unknown, pattern: RegExp): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && pattern.test(String(cause.code))) return true;
  }
  return false;
}

/** Node's own errors begin with `ERR_`; of these only TLS concerns the connection. */
const CONNECTION_CODE = new RegExp(
  `^(${[
    'CONNECT_TIMEOUT|CONNECTION_(CLOSED|ENDED|DESTROYED)|SASL_SIGNATURE_MISMATCH',
    'E(?!RR_)[A-Z][A-Z0-9_]*',
    'ERR_(TLS|SSL)_.*',
    '(CERT|CRL|DEPTH_ZERO|ERROR_IN|SELF_SIGNED|UNABLE_TO)_.*|HOSTNAME_MISMATCH|INVALID_(CA|PURPOSE)',
  ].join('|')})$`,
);

const LOST_CODE =
  /^(CONNECTION_CLOSED|ECONN(RESET|ABORTED)|EPIPE|ETIMEDOUT|E(HOST|NET)UNREACH|ENETDOWN|EPROTO|ERR_(SSL|TLS)_.+)$/;
