import { framesOf, withoutParameters } from '@ceiba/process/log';

/**
 * The error of a failed statement without its values, because Next.js prints the errors of pages.
 * Other errors are returned as they are.
 */
export function printable(error: unknown): unknown {
  if (!(error instanceof Error && 'params' in error)) return error;
  const { cause } = error;
  const copy = new Error(
    withoutParameters(error.message),
    cause instanceof Error ? { cause: printableCause(cause) } : {},
  );
  copy.stack = `${copy.name}: ${copy.message}\n${framesOf(error.stack ?? '')}`;
  return copy;
}

/** The driver's error with its message and code, without its detail, which quotes the row. */
function printableCause(cause: Error): Error {
  const copy = new Error(withoutParameters(cause.message));
  return 'code' in cause ? Object.assign(copy, { code: cause.code }) : copy;
}
