/** The environment variables of a process: fields that several processes share, and one error. */
import { networkInterfaces } from 'node:os';
import { parsePostgresUrl } from '@ceiba/domain';
import { z } from 'zod';

export const wholeNumber = (smallest: number, largest: number) =>
  z
    .string()
    .refine((text) => {
      const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
      return number >= smallest && number <= largest;
    }, `must be a whole number from ${smallest} to ${largest}`)
    .transform(Number);

export const oneOf = <const Option extends string>(...options: Option[]) =>
  z.enum(options, `must be one of ${options.join(', ')}`);

export const flag = oneOf('true', 'false').transform((text) => text === 'true');

/** Not `URL`, which rejects a list of hosts. */
const address = (pattern: RegExp, example: string) => {
  const message = `must be an address such as ${example}`;
  return z.string(message).regex(pattern, message);
};
export const databaseUrl = z
  .string('must be an address such as postgres://user@host:5432/ceiba')
  .superRefine((url, { addIssue }) => {
    const parsed = parsePostgresUrl(url);
    if (parsed.kind === 'invalid') addIssue({ code: 'custom', message: parsed.reason });
  });
/** `parseRedisUrl` checks the rest, for which it has to know whether this is a cluster. */
export const redisUrl = address(/^rediss?(\+sentinel)?:\/\/./, 'redis://host:6379');

/** `?requireTLS=false` and nodemailer's other options of a connection may follow. */
export const smtpUrl = address(
  /^smtps?:\/\/[^/?#]+\/?(\?.*)?$/,
  'smtp://user:password@mail.example.com:587',
).refine((text) => URL.canParse(text), 'must have its special characters percent-encoded');

/** A mail address, alone or after a name. No line breaks: they would start a header. */
export const mailSender = z
  .string()
  .trim()
  .regex(
    /^(?:[^\s<>@"]+@[^\s<>@"]+|[^<>@"\r\n]+ <[^\s<>@"]+@[^\s<>@"]+>)$/,
    'must be an address such as Ceiba <ceiba@example.com>',
  );

export const httpUrl = z.url({
  protocol: /^https?$/,
  error: 'must be an address such as https://host:443',
});

/**
 * An address to listen on. `::` is every address of the machine, also where it has no IPv6: listening on
 * `::` would fail there, and `0.0.0.0` on a machine without IPv4 reaches nothing.
 */
export const listenHost = z
  .string()
  .min(1)
  .transform((host) => (host === '::' && !hasIpv6() ? '0.0.0.0' : host));

const hasIpv6 = () =>
  Object.values(networkInterfaces()).some((addresses) =>
    addresses?.some(({ family }) => family === 'IPv6'),
  );

/** In ms. Longer than a balancer keeps idle connections, so that the balancer closes them first. */
export const keepAliveTimeout = wholeNumber(1, 3_600_000).default(65_000);

export const filled = z.string().trim().min(1, 'must not be blank');

/** Settings that are missing or wrong: one line per setting, never with its value. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[], source?: string) {
    const where = source === undefined ? '' : ` in ${source}`;
    const lines = problems.map((problem) => `\n  ${problem}`).join('');
    super(`These settings${where} are wrong:${lines}`);
    this.problems = problems;
  }
}

/**
 * Validates settings. An empty value counts as absent.
 *
 * @param source The file that the values come from; omitted for variables.
 * @throws SettingsError
 */
export function parseSettings<Schema extends z.ZodType>(
  schema: Schema,
  values: Readonly<Record<string, unknown>>,
  source?: string,
): z.output<Schema> {
  const given = Object.entries(values).filter(([, value]) => value !== '');
  const result = schema.safeParse(Object.fromEntries(given), { reportInput: true });
  if (result.success) return result.data;
  const problems = result.error.issues.map(
    ({ path, message, input, code }) =>
      `${path.join('.')}: ${code !== 'custom' && input === undefined ? 'is required' : message}`,
  );
  throw new SettingsError(problems, source);
}
