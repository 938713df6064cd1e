import postgres from 'postgres';

/** Postgres did not answer in time, or not at all. A write may or may not have been made. */
export class DatabaseUnavailableError extends Error {
  override readonly name = 'DatabaseUnavailableError';
}

/** The server that answered is not the primary: no decision may use its answer. */
export class NotPrimaryError extends Error {
  override readonly name = 'NotPrimaryError';
}

/** The server that answered has not proven that it still is the primary: no decision may use its answer. */
export class NoLeaseError extends Error {
  override readonly name = 'NoLeaseError';
}

/**
 * A commit stopped waiting for its synchronous standby, which may not have it: it succeeded, and a
 * failover may undo it.
 */
export class UnconfirmedCommitError extends Error {
  override readonly name = 'UnconfirmedCommitError';
}

/** @returns the error that Postgres sent, also when a library wrapped it; null when it sent none */
export function postgresError(error: unknown): postgres.PostgresError | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof postgres.PostgresError) return cause;
  }
  return null;
}

/** @see https://www.postgresql.org/docs/current/errcodes-appendix.html */
const UNIQUE_VIOLATION = '23505';
const FOREIGN_KEY_VIOLATION = '23503';
const LOCK_NOT_AVAILABLE = '55P03';

/** Whether a statement waited for a lock for longer than `lock_timeout`. */
export const isLockTimeout = (error: unknown) => postgresError(error)?.code === LOCK_NOT_AVAILABLE;

/** For `catch`: a result in place of the error of a constraint. */
const insteadOf =
  (sqlState: string) =>
  <Result>(result: Result) =>
  (error: unknown): Result => {
    if (postgresError(error)?.code === sqlState) return result;
    throw error;
  };

export const onUniqueViolation = insteadOf(UNIQUE_VIOLATION);
export const onForeignKeyViolation = insteadOf(FOREIGN_KEY_VIOLATION);

/** Names an outage for a log: the SQLSTATE, the code of the socket or driver, or the error's class. */
export function outageCode(error: unknown): string {
  const sqlState = postgresError(error)?.code;
  if (sqlState !== undefined) return sqlState;
  let innermost = error;
  while (innermost instanceof Error && innermost.cause instanceof Error)
    innermost = innermost.cause;
  if (!(innermost instanceof Error)) return 'unknown error';
  return 'code' in innermost ? String(innermost.code) : innermost.name;
}
