import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { databaseUrl, flag, httpUrl, parseSettings, redisUrl } from '@ceiba/process/settings';
import { z } from 'zod';
import { badInput } from './errors.ts';

const REPOSITORY = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * The repository's root; the bundle and the source are equally deep in it. For the package that npm
 * installed elsewhere, the current folder.
 */
const WORKSPACE = existsSync(join(REPOSITORY, 'apps/cli/package.json'))
  ? REPOSITORY
  : process.cwd();

/**
 * The variables of this process, with those of the workspace's `.env` as defaults, as `npm start`
 * reads them. The only reader of `process.env`.
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
  /** Whether the Runtime treats that Redis as a cluster. */
  redisIsCluster: boolean;
  sentinelPassword: string | undefined;
  ownerPassword: string | undefined;
}

const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Whether what is sent there can be read on the way. */
function isPlainHttp(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !LOOPBACK.test(hostname);
}

/** The address of a console, which it has at the root; an access token is sent to it. */
export const serverUrl = httpUrl
  .refine((url) => !isPlainHttp(url), 'must use https, unless its host is loopback')
  .refine((url) => !URL.canParse(url) || new URL(url).pathname === '/', 'must have no path')
  .transform((url) => new URL(url).origin);

/** Every setting by itself; `.env.example` says what each one does. */
export const settingFields = z.object({
  DATABASE_URL: databaseUrl.optional(),
  REDIS_URL: redisUrl.optional(),
  REDIS_CLUSTER: flag.default(false),
  REDIS_SENTINEL_PASSWORD: z.string().optional(),
  CEIBA_DATA_DIR: z.string().optional(),
  CEIBA_OWNER_PASSWORD: z.string().optional(),
  CEIBA_SERVER: serverUrl.optional(),
  CEIBA_TOKEN: z.string().optional(),
});

/** The file that a running `npm start` writes for other commands. */
const stackSchema = z.object({ databaseUrl, redisUrl });

/**
 * The settings of this run. A variable wins over the stack file of a running `npm start`; an
 * empty one counts as absent.
 *
 * @throws SettingsError that names each variable or field that does not parse; CliError for a stack
 *   file that cannot be read
 */
export function readSettings(
  source: Readonly<Record<string, string | undefined>>,
  cwd: string,
): Settings {
  const env = parseSettings(settingFields, source);
  const stack =
    env.DATABASE_URL !== undefined && env.REDIS_URL !== undefined
      ? undefined
      : readStack(env.CEIBA_DATA_DIR, cwd);
  return {
    database: addressOf('DATABASE_URL', env.DATABASE_URL, stack?.path, stack?.databaseUrl),
    redis: addressOf('REDIS_URL', env.REDIS_URL, stack?.path, stack?.redisUrl),
    redisIsCluster: env.REDIS_CLUSTER,
    sentinelPassword: env.REDIS_SENTINEL_PASSWORD,
    ownerPassword: env.CEIBA_OWNER_PASSWORD,
  };
}

/**
 * The console that runs the operations, and the access token for it.
 *
 * @param given what the command line says, which wins over the variable
 */
export function readServer(
  source: Readonly<Record<string, string | undefined>>,
  given: string | undefined,
): { server: Address | undefined; token: string | undefined } {
  const fields = settingFields.pick({ CEIBA_SERVER: true, CEIBA_TOKEN: true });
  const { CEIBA_SERVER, CEIBA_TOKEN: token } = parseSettings(fields, source);
  const url = given ?? CEIBA_SERVER;
  const from = given === undefined ? 'CEIBA_SERVER' : '--server';
  return { server: url === undefined ? undefined : { url, source: from }, token };
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
    return { path, ...parseSettings(stackSchema, parseJson(path, text), path) };
  }
  return undefined;
}

/** In the current folder and each folder above it, then in the workspace. */
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
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw badInput(`${path} cannot be read (${String(code)}). Run this as the user of npm start.`);
  }
}

function parseJson(path: string, text: string): Record<string, unknown> {
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(text));
  } catch {
    throw badInput(`${path} is not a JSON object. Start the stack again with: npm start`);
  }
}
