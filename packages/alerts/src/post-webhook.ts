import type { LookupAddress } from 'node:dns';
import { type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { Network } from './networks.ts';
import { type ResolveName, resolveName } from './resolve-name.ts';
import { literalAddressOf, permits } from './webhook-url.ts';

export interface WebhookRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
}

export interface PostOptions {
  /** Private networks that webhooks may reach. */
  allowedNetworks: readonly Network[];
  /** The time for everything from the name's resolution to the end of the answer, in ms. */
  timeoutMs: number;
  /** Default: {@link resolveName}. */
  resolve?: ResolveName;
}

/** A request without an answer. Its message is for users: words of ours, none of the receiver. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
}

/** More than any receiver has to say; the answer is not kept. */
const ANSWER_BYTES_MAX = 64 * 1024;

/**
 * Sends a webhook and returns the status of the answer. Redirects are not followed. The address is
 * checked where the connection uses it, so that a name cannot resolve to another address meanwhile
 * (DNS rebinding).
 *
 * @throws WebhookError when there is no answer
 */
export async function postWebhook(
  { url: text, headers, body }: WebhookRequest,
  { allowedNetworks, timeoutMs, resolve = resolveName }: PostOptions,
): Promise<number> {
  const url = new URL(text);
  const isPermitted = (address: string) => permits(url, address, allowedNetworks);
  const literal = literalAddressOf(url);
  if (literal !== null && !isPermitted(literal)) throw new WebhookError(NO_ADDRESS);
  const isPrivateAllowed = allowedNetworks.length > 0;
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    return await statusOf(url, body, {
      method: 'POST',
      headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
      agent: false,
      lookup: permittedLookup((name) => resolve(name, { isPrivateAllowed, signal }), isPermitted),
      signal,
    });
  } catch (error) {
    if (error instanceof WebhookError) throw error;
    if (signal.aborted) throw new WebhookError(`no answer within ${timeoutMs / 1_000} seconds`);
    throw new WebhookError(wordsOf(error), { cause: error });
  }
}

/** One sentence for both, so that no user learns which names exist in the operator's network. */
const NO_ADDRESS =
  'its name could not be resolved, or its address is private and not in WEBHOOK_ALLOWED_NETWORKS';
const UNANSWERED = 'the connection was closed without an answer';

/** Resolves a name to those of its addresses that are permitted. */
function permittedLookup(
  resolve: (name: string) => Promise<LookupAddress[]>,
  isPermitted: (address: string) => boolean,
): LookupFunction {
  return (hostname, { all }, callback) => {
    const answer = (found: LookupAddress[]) => {
      const addresses = found.filter(({ address }) => isPermitted(address));
      const [first] = addresses;
      if (first === undefined) return callback(new WebhookError(NO_ADDRESS), []);
      if (all) return callback(null, addresses);
      callback(null, first.address, first.family);
    };
    // Which error it was is for no user to know.
    const fail = (cause: unknown) => callback(new WebhookError(NO_ADDRESS, { cause }), []);
    resolve(hostname).then(answer, fail);
  };
}

function statusOf(url: URL, body: string, options: RequestOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? requestHttps : requestHttp;
    // Node.js ends a connection that switches to another protocol without an error.
    const unanswered = () => reject(new WebhookError(UNANSWERED));
    const request = send(url, options, (response) => {
      const { statusCode = 0 } = response;
      request.off('close', unanswered);
      drain(response, () => {
        resolve(statusCode);
        request.destroy();
      });
    });
    request.on('error', reject).on('close', unanswered);
    request.end(body);
  });
}

/** Reads a little of the answer, so that a short one ends normally. */
function drain(response: IncomingMessage, done: () => void): void {
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > ANSWER_BYTES_MAX) done();
  });
  response.on('error', done).on('close', done);
}

const WORDS: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: UNANSWERED,
};

function wordsOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  if (typeof code !== 'string') return 'the connection failed';
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_/.test(code)) {
    return `its TLS certificate was not accepted (${code})`;
  }
  return WORDS[code] ?? `the connection failed (${code})`;
}
