import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { badInput } from './errors.ts';

/** The only reader of `process.env`. */
export const environment = (): NodeJS.ProcessEnv => process.env;

/** A server's address and where it was found, so that an error can say which place to look at. */
export interface Address {
  url: string;
  source: string;
}

export interface Settings {
  database: Address | undefined;
  redis: Address | undefined;
  ownerPassword: string | undefined;
}

const databaseUrl = z.url({
  protocol: /^postgres(ql)?$/,
  error: 'must be a URL such as postgres://user:password@host:5432/ceiba',
});
const redisUrl = z.url({
  protocol: /^rediss?$/,
  error: 'must be a URL such as redis://host:6379',
});

const settingsSchema = z.object({
  DATABASE_URL: databaseUrl.optional(),
  REDIS_URL: redisUrl.optional(),
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
  if (dataDirectory !== undefined) return [join(resolve(cwd, dataDirectory), 'stack.json')];
  const workspace = fileURLToPath(new URL('../../..', import.meta.url));
  return [...upwards(cwd), workspace].map((folder) => join(folder, '.ceiba', 'stack.json'));
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
