import { parseRedisUrl } from '@ceiba/domain';
import { z } from 'zod';

const wholeNumber = (smallest: number, largest: number) =>
  z
    .string()
    .refine((text) => {
      const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
      return number >= smallest && number <= largest;
    }, `must be a whole number from ${smallest} to ${largest}`)
    .transform(Number);
const port = wholeNumber(0, 65_535);
const milliseconds = wholeNumber(1, 60_000);
const count = wholeNumber(1, 1_000_000);
const oneOf = <const Option extends string>(...options: Option[]) =>
  z.enum(options, `must be one of ${options.join(', ')}`);
const flag = oneOf('true', 'false').transform((text) => text === 'true');
/** A prefix is enough here: a list of hosts is a valid address and no valid URL. */
const address = (pattern: RegExp, example: string) =>
  z.string().regex(pattern, `must be an address such as ${example}`);

const environmentSchema = z
  .object({
    DATABASE_URL: address(/^postgres(ql)?:\/\/./, 'postgres://user@host:5432/ceiba'),
    REDIS_URL: address(/^rediss?(\+sentinel)?:\/\/./, 'redis://host:6379'),
    REDIS_CLUSTER: flag.default(false),
    REDIS_SENTINEL_PASSWORD: z.string().optional(),
    RUNTIME_HOST: z.string().min(1).default('127.0.0.1'),
    RUNTIME_PORT: port.default(4000),
    LOG_LEVEL: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent').default('info'),
    DATABASE_LEASE_MS: wholeNumber(0, 60_000).optional(),
    DECISION_DEADLINE_MS: milliseconds.default(500),
    DECISION_DATABASE_BUDGET_MS: milliseconds.default(300),
    DECISION_REDIS_BUDGET_MS: milliseconds.default(200),
    MAX_DECISIONS_IN_FLIGHT: count.default(4_096),
    KEY_ROUTE_DEADLINE_MS: milliseconds.default(2_000),
    SHUTDOWN_DELAY_MS: wholeNumber(0, 5_000).default(0),
  })
  .superRefine(({ REDIS_URL, REDIS_CLUSTER }, { addIssue }) => {
    const redis = parseRedisUrl(REDIS_URL, REDIS_CLUSTER);
    if (redis.kind === 'invalid') {
      addIssue({ code: 'custom', path: ['REDIS_URL'], message: redis.reason });
    }
  });

/** The Runtime's settings, times in ms; `.env.example` explains each. */
export type Settings = z.output<typeof environmentSchema>;

/**
 * Validates the environment at start. An empty value counts as absent.
 *
 * @throws Error that names every setting which is missing or wrong, and shows no value
 */
export function readSettings(environment: NodeJS.ProcessEnv = process.env): Settings {
  const given = Object.entries(environment).filter(([, value]) => value !== '');
  const result = environmentSchema.safeParse(Object.fromEntries(given));
  if (result.success) return result.data;
  const problems = result.error.issues.map(
    ({ path, message, code }) =>
      `  ${path.join('.')}: ${code === 'invalid_type' ? 'is required' : message}`,
  );
  throw new Error(`The Runtime cannot start; these settings are wrong:\n${problems.join('\n')}`);
}
