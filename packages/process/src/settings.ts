/** The environment variables of a process: fields that several processes share, and one error. */
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

/** Not `URL`, which rejects a list of hosts; the drivers accept one. */
const address = (pattern: RegExp, example: string) => {
  const message = `must be an address such as ${example}`;
  return z.string(message).regex(pattern, message);
};
export const databaseUrl = address(/^postgres(ql)?:\/\/./, 'postgres://user@host:5432/ceiba');
/** `parseRedisUrl` checks the rest, for which it has to know whether this is a cluster. */
export const redisUrl = address(/^rediss?(\+sentinel)?:\/\/./, 'redis://host:6379');

export const httpUrl = z.url({
  protocol: /^https?$/,
  error: 'must be an address such as https://host:443',
});

export const filled = z.string().trim().min(1, 'must not be blank');

/** Its message names every setting that is missing or wrong, one per line, and shows no value. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/**
 * Validates settings. An empty value counts as absent.
 *
 * @param source Where the values come from; named in the error if they are not variables.
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
      `  ${path.join('.')}: ${code !== 'custom' && input === undefined ? 'is required' : message}`,
  );
  const where = source === undefined ? '' : ` in ${source}`;
  throw new SettingsError(`These settings${where} are wrong:\n${problems.join('\n')}`);
}
