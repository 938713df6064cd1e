import { UUID } from '@ceiba/contract/sets';

/**
 * The input of `parseCeibaConfig`, which reads no environment variables itself. A value may be
 * `undefined` so that `process.env.X` can be passed directly; the error then names the setting and its
 * usual variable.
 */
export interface CeibaConfigInput {
  /** URL of the Runtime, such as `https://runtime.example.com`. A path prefix is kept. */
  readonly runtimeBaseUrl: string | undefined;
  /** UUID of the project, shown in the console. */
  readonly projectId: string | undefined;
  /** The project secret, shown once at creation or rotation. Keep it on the server. */
  readonly projectSecret: string | undefined;
  /** Total deadline of one call in milliseconds: connect, headers and body. Default 1000. */
  readonly timeoutMs?: number | undefined;
  /**
   * Names of hosts that may be reached over plain HTTP although they are not loopback, such as
   * `['runtime']` in a private container network. The project secret is sent unencrypted to them.
   */
  readonly allowPlainHttpHosts?: readonly string[] | undefined;
  /**
   * Whether questions share requests under load: while four exchanges are in flight, further questions
   * wait for at most 20 ms and leave together. Default true; false sends each question by itself, as
   * edge runtimes always do.
   */
  readonly batching?: boolean | undefined;
}

/**
 * Validated settings. `projectSecret` is not enumerable, so it is not in logs, `JSON.stringify` or
 * spread copies.
 */
export interface CeibaConfig {
  /** Absolute URL without a trailing slash. */
  readonly runtimeBaseUrl: string;
  readonly projectId: string;
  readonly projectSecret: string;
  /** Total deadline of one call, in milliseconds. */
  readonly timeoutMs: number;
  /** Whether questions share requests under load. */
  readonly batching: boolean;
}

/** The validated settings: those of {@link parseCeibaConfig}, of the client and of the webhooks. */
export type CeibaSetting =
  | keyof CeibaConfigInput
  | 'circuitBreaker.failureThreshold'
  | 'circuitBreaker.openMs'
  | 'secret'
  | 'toleranceSeconds';

/** The environment variables that hold settings in the guides, the console and the examples. */
const VARIABLES: Partial<Record<CeibaSetting, string>> = {
  runtimeBaseUrl: 'CEIBA_RUNTIME_URL',
  projectId: 'CEIBA_PROJECT_ID',
  projectSecret: 'CEIBA_PROJECT_SECRET',
  secret: 'CEIBA_WEBHOOK_SECRET',
};

/** A setting with its usual variable: a host passes on what it has read from there. */
export function named(setting: CeibaSetting): string {
  const variable = VARIABLES[setting];
  return variable === undefined ? setting : `${setting} (${variable})`;
}

/** A setting is invalid. `setting` names it; the message never contains its value. */
export class CeibaConfigError extends TypeError {
  override readonly name = 'CeibaConfigError';
  readonly setting: CeibaSetting;

  constructor(setting: CeibaSetting, problem: string) {
    super(`${named(setting)} ${problem}`);
    this.setting = setting;
  }
}

const DEFAULT_TIMEOUT_MS = 1_000;
const TIMEOUT_MS_MAX = 60_000;
const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;
const VISIBLE_ASCII = /^[\x21-\x7e]+$/;

/**
 * Validates the settings of the client and returns them as a frozen config.
 *
 * @throws {CeibaConfigError} naming the setting that is missing or invalid.
 * @example
 * const config = parseCeibaConfig({
 *   runtimeBaseUrl: process.env.CEIBA_RUNTIME_URL,
 *   projectId: process.env.CEIBA_PROJECT_ID,
 *   projectSecret: process.env.CEIBA_PROJECT_SECRET,
 * });
 */
export function parseCeibaConfig(input: CeibaConfigInput): CeibaConfig {
  if (typeof input !== 'object' || input === null) {
    throw new CeibaConfigError('runtimeBaseUrl', 'is missing, and so is every other setting');
  }
  const config = {
    runtimeBaseUrl: parseBaseUrl(input.runtimeBaseUrl, input.allowPlainHttpHosts ?? []),
    projectId: parseProjectId(input.projectId),
    timeoutMs: parseTimeout(input.timeoutMs ?? DEFAULT_TIMEOUT_MS),
    batching: parseBatching(input.batching ?? true),
  };
  const projectSecret = parseSecret(input.projectSecret);
  return Object.freeze(
    Object.defineProperty({ ...config, projectSecret }, 'projectSecret', { enumerable: false }),
  );
}

function required(setting: CeibaSetting, value: unknown): string {
  if (value === undefined || value === null || value === '') {
    throw new CeibaConfigError(setting, 'is missing');
  }
  if (typeof value !== 'string') throw new CeibaConfigError(setting, 'must be a string');
  return value;
}

function parseBaseUrl(value: unknown, plainHttpHosts: readonly string[]): string {
  const setting = 'runtimeBaseUrl';
  const text = required(setting, value);
  if (!URL.canParse(text)) {
    throw new CeibaConfigError(
      setting,
      'must be an absolute URL such as https://runtime.example.com',
    );
  }
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new CeibaConfigError(setting, 'must start with https:// or http://');
  }
  if (url.username !== '' || url.password !== '') {
    throw new CeibaConfigError(setting, 'must not contain credentials');
  }
  if (/[?#]/.test(text)) {
    throw new CeibaConfigError(setting, 'must not contain a query or a fragment');
  }
  if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname) && !isListed(url, plainHttpHosts)) {
    throw new CeibaConfigError(
      setting,
      `must use https, or ${JSON.stringify(url.hostname)} must be listed in allowPlainHttpHosts`,
    );
  }
  return url.href.replace(/\/+$/, '');
}

function isListed(url: URL, hosts: readonly string[]): boolean {
  return hosts.some((host) => host.toLowerCase() === url.hostname);
}

function parseProjectId(value: unknown): string {
  const text = required('projectId', value);
  if (!UUID.test(text.toLowerCase())) throw new CeibaConfigError('projectId', 'must be a UUID');
  return text;
}

function parseSecret(value: unknown): string {
  const text = required('projectSecret', value);
  if (!VISIBLE_ASCII.test(text)) {
    throw new CeibaConfigError(
      'projectSecret',
      'must contain only visible ASCII characters; check for a trailing space or line break',
    );
  }
  if (/^ceiba_(?!secret_)/.test(text)) {
    throw new CeibaConfigError(
      'projectSecret',
      'is an API key of a caller; the project secret begins with ceiba_secret_',
    );
  }
  return text;
}

function parseBatching(value: unknown): boolean {
  if (typeof value !== 'boolean') throw new CeibaConfigError('batching', 'must be true or false');
  return value;
}

/** @throws {CeibaConfigError} unless the value is a whole number of milliseconds in range. */
export function parseTimeout(value: unknown): number {
  const valid = typeof value === 'number' && Number.isInteger(value) && value >= 1;
  if (!valid || value > TIMEOUT_MS_MAX) {
    throw new CeibaConfigError(
      'timeoutMs',
      `must be a whole number of milliseconds from 1 to ${TIMEOUT_MS_MAX}`,
    );
  }
  return value;
}
