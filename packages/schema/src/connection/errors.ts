import postgres from 'postgres';

/** The fault as Postgres told it, also where a library wrapped it; null when it told none. */
export function postgresFault(fault: unknown): postgres.PostgresError | null {
  for (let cause = fault; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof postgres.PostgresError) return cause;
  }
  return null;
}

/** @see https://www.postgresql.org/docs/current/errcodes-appendix.html */
const UNIQUE_VIOLATION = '23505';
const FOREIGN_KEY_VIOLATION = '23503';

export const isUniqueViolation = (fault: unknown) =>
  postgresFault(fault)?.code === UNIQUE_VIOLATION;
export const isForeignKeyViolation = (fault: unknown) =>
  postgresFault(fault)?.code === FOREIGN_KEY_VIOLATION;

/** The server answered, and whether it still is the primary is not proven: no decision may rest on it. */
export class NoLeaseError extends Error {
  override readonly name = 'NoLeaseError';
}

/** The server answered, but not as a primary does: no decision may rest on it. */
export class NotPrimaryError extends Error {
  override readonly name = 'NotPrimaryError';
}
