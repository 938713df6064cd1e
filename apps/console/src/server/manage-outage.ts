import { DatabaseUnavailableError } from '@ceiba/schema';

/** A fault while a change was under way; its cause is that fault. */
export class ChangeFault extends Error {
  override readonly name = 'ChangeFault';
}

/** @see https://www.postgresql.org/docs/current/errcodes-appendix.html */
const DEADLOCK = '40P01';

const RUN_AGAIN =
  'Postgres cancelled this because of a deadlock with another change, and nothing was changed; run it again.';
const TOO_SLOW = 'This takes too long. Narrow the time range, or divide the file.';
const NO_DATABASE = 'The database is not answering. Try again in a moment.';
const MAYBE_CHANGED = 'The change may have been made: check that first.';

/** What a 503 says of a fault of the database; null for any other error. */
export async function outageText(
  error: unknown,
  isDatabaseReady: () => Promise<boolean>,
): Promise<string | null> {
  const fault = error instanceof ChangeFault ? error.cause : error;
  if (hasCode(fault, DEADLOCK)) return RUN_AGAIN;
  if (!(fault instanceof DatabaseUnavailableError)) return null;
  const text = (await isDatabaseReady()) ? TOO_SLOW : NO_DATABASE;
  return fault === error ? text : `${text} ${MAYBE_CHANGED}`;
}

/** An error of a statement is wrapped, and a copy of what Postgres sent. */
function hasCode(error: unknown, code: string): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && cause.code === code) return true;
  }
  return false;
}
