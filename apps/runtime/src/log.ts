import { tellFault } from '@ceiba/schema';
import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger } from 'pino';

const CREDENTIAL = /ceiba_(?:secret_)?[0-9A-Za-z]{9,}/g;
/** Stops at a quote, so that it never reaches from one field of a JSON line into the next. */
const ADDRESS_PASSWORD = /(\/\/[^/\s:@"]*):[^/\s@"]*@/g;

/** Text without credentials, whichever way they came into it. */
export const withoutCredentials = (text: string) =>
  text.replace(CREDENTIAL, 'ceiba_[redacted]').replace(ADDRESS_PASSWORD, '$1:[redacted]@');

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
