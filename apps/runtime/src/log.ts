import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger } from 'pino';

const CREDENTIAL = /ceiba_(?:secret_)?[0-9A-Za-z]{9,}/g;
/** Stops at a quote, so that it never reaches from one field of a JSON line into the next. */
const ADDRESS_PASSWORD = /(\/\/[^/\s:@"]*):[^/\s@"]*@/g;

/** Text without credentials, whichever way they came into it. */
export const withoutCredentials = (text: string) =>
  text.replace(CREDENTIAL, 'ceiba_[redacted]').replace(ADDRESS_PASSWORD, '$1:[redacted]@');

/** Drizzle puts the parameters of a statement that failed behind its text. */
const PARAMETERS = /\nparams: [\s\S]*$/;

/** What a fault may tell the log: never its parameters or its detail, which can hold values. */
function tellFault(fault: unknown): Record<string, unknown> {
  if (!(fault instanceof Error)) return { message: withoutCredentials(String(fault)) };
  return {
    type: fault.name,
    message: withoutCredentials(fault.message.replace(PARAMETERS, '')),
    ...('code' in fault ? { code: fault.code } : {}),
    ...(fault.stack === undefined ? {} : { stack: withoutCredentials(framesOf(fault.stack)) }),
    ...(fault.cause === undefined ? {} : { cause: tellFault(fault.cause) }),
  };
}

/** The frames of a stack, without the message in front of them. */
const framesOf = (stack: string) =>
  stack
    .split('\n')
    .filter((line) => /^ {4}at /.test(line))
    .join('\n');

const SECRET_FIELDS = [
  'apiKey',
  'plaintextKey',
  'projectSecret',
  'password',
  'authorization',
  'databaseUrl',
  'redisUrl',
  '["x-service-project-secret"]',
  '["x-api-key"]',
];

/** JSON lines on standard output; a line holds no credential, whatever is passed in. */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  const under = (parent: string) =>
    SECRET_FIELDS.map((field) =>
      field.startsWith('[') ? `${parent}${field}` : `${parent}.${field}`,
    );
  const options = {
    level,
    base: { service: 'ceiba-runtime' },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: tellFault },
    // The last word on every line: a credential is found by its shape, in whichever field it is.
    hooks: { streamWrite: withoutCredentials },
    redact: {
      paths: [...SECRET_FIELDS, ...under('*'), ...under('*.headers')],
      censor: '[redacted]',
    },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}
