import { withoutCredentials } from '@ceiba/contract/redaction';
import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger } from 'pino';

/** Drizzle appends the parameters of a failed statement to its message. */
const PARAMETERS = /\nparams: [\s\S]*$/;
/** The same, within a string of a JSON line. */
const PARAMETERS_IN_JSON = /\\nparams: (?:[^"\\]|\\.)*/g;

export const withoutParameters = (text: string) => text.replace(PARAMETERS, '');

/** The frames of a stack, without the message before them. */
export const framesOf = (stack: string) =>
  stack
    .split('\n')
    .filter((line) => /^ {4}at /.test(line))
    .join('\n');

/** What the log may show of an error: neither its parameters nor its detail, which quote values. */
export function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: withoutParameters(String(error)) };
  return {
    type: error.name,
    message: withoutParameters(error.message),
    ...('code' in error && { code: error.code }),
    ...(error.stack !== undefined && { stack: framesOf(error.stack) }),
    ...(error.cause !== undefined && { cause: describeError(error.cause) }),
  };
}

const isError = (name: string, fact: unknown) =>
  fact instanceof Error || (name === 'err' && fact !== undefined);

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

export interface LoggerOptions {
  service: string;
  level?: string;
  /** Standard output by default. */
  destination?: DestinationStream;
}

/** Logs JSON lines that hold no credential, whatever is passed in. */
export function createLogger({ service, level = 'info', destination }: LoggerOptions): Logger {
  const under = (parent: string) =>
    SECRET_FIELDS.map((field) =>
      field.startsWith('[') ? `${parent}${field}` : `${parent}.${field}`,
    );
  const options = {
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: {
      level: (label: string) => ({ level: label }),
      log: (facts: Record<string, unknown>) =>
        Object.fromEntries(
          Object.entries(facts).map(([name, fact]) => [
            name,
            isError(name, fact) ? describeError(fact) : fact,
          ]),
        ),
    },
    // Errors are described above, under any name; pino's own serializer would add their fields.
    serializers: { err: (described: unknown) => described },
    // Every line passes here last: credentials are found by their shape, in whichever field.
    hooks: {
      streamWrite: (line: string) => withoutCredentials(line.replace(PARAMETERS_IN_JSON, '')),
    },
    redact: {
      paths: [...SECRET_FIELDS, ...under('*'), ...under('*.headers')],
      censor: '[redacted]',
    },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}
