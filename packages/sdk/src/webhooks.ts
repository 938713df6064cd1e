import { CeibaConfigError } from './config.ts';
import { fieldsOf, text } from './json.ts';

/** The settings of a verifier. */
export interface WebhookVerifierOptions {
  /**
   * The signing secret of the destination (`whsec_…`), shown once in the console; a list of them where
   * one receiver has several destinations.
   */
  readonly secret: string | readonly string[] | undefined;
  /** How far the time of a webhook may be from that of this server, in seconds. 300 by default. */
  readonly toleranceSeconds?: number | undefined;
  /** The current time in ms; `Date.now` by default. */
  readonly now?: (() => number) | undefined;
}

/** The headers of the request: those of Node and its frameworks, or `Headers`. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** An alert of Ceiba, whose signature was verified. */
export interface Webhook {
  /** The same in each attempt to deliver it: remember those that you have handled. */
  readonly id: string;
  /** Such as `quota.threshold_reached`; `docs/learn/alerts.md` has them all. */
  readonly type: string;
  /** When it happened, in RFC 3339. */
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Why a webhook was not accepted. */
export type WebhookProblem =
  /** A header is missing: `webhook-id`, `webhook-timestamp` or `webhook-signature`. */
  | 'missing_header'
  /** `webhook-timestamp` is not a number of seconds. */
  | 'invalid_timestamp'
  /** It was signed too long ago, or the clock of this server is ahead. */
  | 'too_old'
  /** It was signed in the future: the clock of this server is behind. */
  | 'too_new'
  /** The body is not what arrived, but what a parser made of it. */
  | 'parsed_body'
  /** No signature is by one of the secrets, or the body was changed on its way. */
  | 'wrong_signature'
  /** The signature is right, and the body is not that of an alert. */
  | 'invalid_body';

/** A webhook was not accepted: answer 400. The message has neither the secret nor the body. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
  readonly problem: WebhookProblem;

  constructor(problem: WebhookProblem, message: string) {
    super(message);
    this.problem = problem;
  }
}

/**
 * Verifies one webhook.
 *
 * @param body as it arrived: text or bytes, before any parser of JSON
 * @throws {WebhookVerificationError} unless it is from Ceiba, unchanged and recent
 */
export type VerifyWebhook = (
  body: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
) => Promise<Webhook>;

const TOLERANCE_SECONDS = 300;
const BRAND = 'whsec_';
const HMAC = { name: 'HMAC', hash: 'SHA-256' };

/**
 * Creates a function that verifies the signatures of alerts, which follow Standard Webhooks. While a
 * secret is rotated each alert has a signature by both, so the receiver may have either.
 *
 * @throws {CeibaConfigError} for a secret that is missing or malformed, without its value
 * @example
 * const verify = createWebhookVerifier({ secret: process.env.CEIBA_WEBHOOK_SECRET });
 * const { id, type, data } = await verify(await request.text(), request.headers);
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function createWebhookVerifier(options: WebhookVerifierOptions): VerifyWebhook {
  const secrets = secretsOf(options.secret);
  const tolerance = toleranceOf(options.toleranceSeconds ?? TOLERANCE_SECONDS);
  const now = options.now ?? Date.now;

  return async function verifyWebhook(body, headers) {
    const id = headerOf(headers, 'webhook-id');
    const timestamp = headerOf(headers, 'webhook-timestamp');
    const signatures = headerOf(headers, 'webhook-signature');
    requireRecent(timestamp, Math.floor(now() / 1_000), tolerance);
    const received = bytesOf(body);
    const signed = concat(new TextEncoder().encode(`${id}.${timestamp}.`), received);
    const expected = await Promise.all(secrets.map((secret) => signatureBy(secret, signed)));
    if (!isAmong(signatures, expected)) {
      throw new WebhookVerificationError(
        'wrong_signature',
        'No signature in webhook-signature is by this secret: check that the secret is that of the destination (CEIBA_WEBHOOK_SECRET), and that the body is the raw one',
      );
    }
    return parseWebhook(id, received);
  };
}

function secretsOf(secret: WebhookVerifierOptions['secret']): Uint8Array<ArrayBuffer>[] {
  const list: readonly unknown[] = Array.isArray(secret) ? secret : [secret];
  if (list.length === 0) throw new CeibaConfigError('secret', 'is missing');
  return list.map((one) => {
    if (one === undefined || one === null || one === '') {
      throw new CeibaConfigError('secret', 'is missing');
    }
    const bytes = typeof one === 'string' && one.startsWith(BRAND) ? decode(one.slice(6)) : null;
    if (bytes !== null && bytes.length > 0) return bytes;
    throw new CeibaConfigError('secret', 'must be whsec_ and base64, as the console showed it');
  });
}

function toleranceOf(seconds: unknown): number {
  if (typeof seconds === 'number' && seconds > 0 && Number.isFinite(seconds)) return seconds;
  throw new CeibaConfigError('toleranceSeconds', 'must be a number of seconds above 0');
}

/** The bytes of base64; null for other text. */
function decode(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), (digit) => digit.charCodeAt(0));
  } catch {
    return null;
  }
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value = isFetchHeaders(headers) ? headers.get(name) : valueIn(headers, name);
  if (typeof value === 'string' && value !== '') return value;
  throw new WebhookVerificationError(
    'missing_header',
    `The header ${name} is missing: this is no webhook of Ceiba, or a proxy removed it`,
  );
}

const isFetchHeaders = (headers: WebhookHeaders): headers is { get(name: string): string | null } =>
  typeof headers.get === 'function';

function valueIn(headers: Readonly<Record<string, unknown>>, name: string): unknown {
  const found = Object.keys(headers).find((key) => key.toLowerCase() === name);
  const value = found === undefined ? undefined : headers[found];
  return Array.isArray(value) ? value.join(', ') : value;
}

function requireRecent(timestamp: string, nowSeconds: number, tolerance: number): void {
  if (!/^\d{1,12}$/.test(timestamp)) {
    throw new WebhookVerificationError(
      'invalid_timestamp',
      'The header webhook-timestamp must be a number of seconds',
    );
  }
  const age = nowSeconds - Number(timestamp);
  if (Math.abs(age) <= tolerance) return;
  const [problem, where] =
    age > 0 ? (['too_old', 'past'] as const) : (['too_new', 'future'] as const);
  throw new WebhookVerificationError(
    problem,
    `The webhook was signed ${Math.abs(age)} seconds in the ${where}, and ${tolerance} are allowed: check the clock of this server`,
  );
}

function bytesOf(body: unknown): Uint8Array {
  if (typeof body === 'string') return new TextEncoder().encode(body);
  if (body instanceof Uint8Array) return body;
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  throw new WebhookVerificationError(
    'parsed_body',
    'The body must be the text or the bytes that arrived: read it before a parser of JSON does, with express.raw() or request.text()',
  );
}

function concat(start: Uint8Array, end: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(start.length + end.length);
  whole.set(start);
  whole.set(end, start.length);
  return whole;
}

async function signatureBy(secret: Uint8Array<ArrayBuffer>, signed: Uint8Array<ArrayBuffer>) {
  const key = await crypto.subtle.importKey('raw', secret, HMAC, false, ['sign']);
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, signed));
}

/** Whether one of the signatures of version 1 is an expected one. Signatures of other versions are none. */
function isAmong(signatures: string, expected: readonly Uint8Array[]): boolean {
  const given = signatures
    .split(' ')
    .filter((signature) => signature.startsWith('v1,'))
    .map((signature) => decode(signature.slice(3)));
  return given.some((one) => one !== null && expected.some((other) => isSame(one, other)));
}

/** Takes as long wherever two signatures differ, so that none can be found byte by byte. */
function isSame(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) return false;
  return one.reduce((difference, byte, at) => difference | (byte ^ (other[at] ?? 0)), 0) === 0;
}

function parseWebhook(id: string, body: Uint8Array): Webhook {
  const fields = fieldsOf(jsonIn(body));
  const type = text(fields?.type);
  const timestamp = text(fields?.timestamp);
  const data = fieldsOf(fields?.data);
  if (type !== undefined && timestamp !== undefined && data !== undefined) {
    return { id, type, timestamp, data };
  }
  throw new WebhookVerificationError(
    'invalid_body',
    'The signature is right, but the body is no alert: type, timestamp and data',
  );
}

function jsonIn(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}
