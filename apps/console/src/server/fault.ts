import { framesOf, withoutParameters } from '@ceiba/process/log';

/**
 * A statement's fault as others may print it, for the framework prints whatever a page throws: the
 * values are gone from its message, and so are the properties that held them. Any other fault stays
 * what it is.
 */
export function printable(fault: unknown): unknown {
  if (!(fault instanceof Error && 'params' in fault)) return fault;
  const { cause } = fault;
  const said = new Error(
    withoutParameters(fault.message),
    cause instanceof Error ? { cause: printableCause(cause) } : {},
  );
  said.stack = `${said.name}: ${said.message}\n${framesOf(fault.stack ?? '')}`;
  return said;
}

/** The driver's fault by its message and code; its detail quotes the row. */
function printableCause(cause: Error): Error {
  const said = new Error(withoutParameters(cause.message));
  return 'code' in cause ? Object.assign(said, { code: cause.code }) : said;
}
