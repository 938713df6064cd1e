/** Drizzle puts the parameters of a statement that failed behind its text. */
const PARAMETERS = /\nparams: [\s\S]*$/;

/** Text without the values that a statement was given. */
export const withoutParameters = (text: string): string => text.replace(PARAMETERS, '');

/** What a fault may tell the log: never its parameters or its detail, which hold what was sent. */
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
export const framesOf = (stack: string): string =>
  stack
    .split('\n')
    .filter((line) => /^ {4}at /.test(line))
    .join('\n');
