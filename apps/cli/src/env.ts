import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { badInput } from './errors.ts';

/** Where `npm start` and the build run; the bundle and the source lie equally deep in it. */
const WORKSPACE = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * The variables of this process, and those of the workspace's `.env` that are not set: the same
 * that `npm start` sees. The only reader of `process.env`.
 */
export function environment(): NodeJS.ProcessEnv {
  const file = join(WORKSPACE, '.env');
  if (existsSync(file)) process.loadEnvFile(file);
  return process.env;
}

/** A server's address and where it was found, so that an error can say which place to look at. */
export interface Address {
  url: string;
  source: string;
}

export interface Settings {
  database: Address | undefined;
  redis: Address | undefined;
  /** Whether the Runtime is told to take that Redis for a cluster. */
  redisIsCluster: boolean;
  sentinelPassword: string | undefined;
  ownerPassword: string | undefined;
}

/** A prefix is enough here: a list of hosts is a valid address and no valid URL. */
const address = (pattern: RegExp, example: string) =>
  z
    .string({ error: `must be an address such as ${example}` })
    .regex(pattern, `must be an address such as ${example}`);
const databaseUrl = address(/^postgres(ql)?:\/\/./, 'postgres://user@host:5432/ceiba');
const redisUrl = address(/^rediss?(\+sentinel)?:\/\/./, 'redis://host:6379');

const settingsSchema = z.object({
  DATABASE_URL: databaseUrl.optional(),
  REDIS_URL: redisUrl.optional(),
  REDIS_CLUSTER: z.enum(['true', 'false'], { error: 'must be true or false' }).optional(),
  REDIS_SENTINEL_PASSWORD: z.string().optional(),
  CEIBA_DATA_DIR: z.string().optional(),
  CEIBA_OWNER_PASSWORD: z.string().optional(),
});

/** What a running `npm start` leaves for the commands beside it. */
const stackSchema = z.object({ databaseUrl, redisUrl });

/**
 * The settings of this run. A variable wins over the stack file of a running `npm start`; an
 * empty one counts as absent.
 *
 * @throws CliError that names each variable or field that does not parse
 */
export function readSettings(
  source: Readonly<Record<string, string | undefined>>,
  cwd: string,
): Settings {
  const present = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== ''));
  const env = parse(settingsSchema, present, (name) => name);
  const stack =
    env.DATABASE_URL !== undefined && env.REDIS_URL !== undefined
      ? undefined
      : readStack(env.CEIBA_DATA_DIR, cwd);
  return {
    database: addressOf('DATABASE_URL', env.DATABASE_URL, stack?.path, stack?.databaseUrl),
    redis: addressOf('REDIS_URL', env.REDIS_URL, stack?.path, stack?.redisUrl),
    redisIsCluster: env.REDIS_CLUSTER === 'true',
    sentinelPassword: env.REDIS_SENTINEL_PASSWORD,
    ownerPassword: env.CEIBA_OWNER_PASSWORD,
  };
}

function addressOf(
  variable: string,
  given: string | undefined,
  stackPath: string | undefined,
  found: string | undefined,
): Address | undefined {
  if (given !== undefined) return { url: given, source: variable };
  return stackPath === undefined || found === undefined
    ? undefined
    : { url: found, source: stackPath };
}

function readStack(dataDirectory: string | undefined, cwd: string) {
  for (const path of stackPaths(dataDirectory, cwd)) {
    const text = readIfPresent(path);
    if (text === undefined) continue;
    return { path, ...parse(stackSchema, parseJson(path, text), (name) => `${path}: ${name}`) };
  }
  return undefined;
}

/** Upwards from where the command runs, then the workspace that it was built in. */
function stackPaths(dataDirectory: string | undefined, cwd: string): string[] {
  if (dataDirectory !== undefined) return [join(resolve(WORKSPACE, dataDirectory), 'stack.json')];
  return [...upwards(cwd), WORKSPACE].map((folder) => join(folder, '.ceiba', 'stack.json'));
}

function upwards(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...upwards(parent)];
}

function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (fault) {
    const code = fault instanceof Error && 'code' in fault ? fault.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw badInput(`${path} cannot be read (${String(code)}). Run this as the user of npm start.`);
  }
}

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw badInput(`${path} is not JSON. Start the stack again with: npm start`);
  }
}

function parse<T extends z.ZodType>(
  schema: T,
  value: unknown,
  nameOf: (field: string) => string,
): z.output<T> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw badInput(
    result.error.issues
      .map((issue) => `${nameOf(issue.path.join('.'))} ${issue.message}`)
      .join('\n'),
  );
}
