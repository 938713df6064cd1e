/** Drizzle puts the parameters of a statement that failed behind its text. */
const PARAMETERS = /\nparams: [\s\S]*$/;

/** Text without the values that a statement was given. */
export const withoutParameters = (text: string): string => text.replace(PARAMETERS, '');

/** What a fault may tell the log: never its parameters or its detail, which hold what was typed. */
export function tellFault(fault: unknown): Record<string, unknown> {
  if (!(fault instanceof Error)) return { message: withoutParameters(String(fault)) };
  return {
    type: fault.name,
    message: withoutParameters(fault.message),
    ...('code' in fault ? { code: fault.code } : {}),
    ...(fault.stack === undefined ? {} : { stack: framesOf(fault.stack) }),
    ...(fault.cause === undefined ? {} : { cause: tellFault(fault.cause) }),
  };
}

/** The frames of a stack, without the message in front of them. */
const framesOf = (stack: string) =>
  stack
    .split('\n')
    .filter((line) => /^ {4}at /.test(line))
    .join('\n');

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
