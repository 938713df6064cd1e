import { PROJECT_SECRET_HEADER } from '@ceiba/contract/sets';
import {
  parseApiKeyCreateResult,
  parseApiKeyLifecycleResult,
  parseApiKeyList,
  parseApiKeySummary,
} from './api-key-results.ts';
import {
  type CircuitBreaker,
  type CircuitBreakerOptions,
  createCircuitBreaker,
} from './circuit-breaker.ts';
import { type CeibaConfig, parseTimeout } from './config.ts';
import { parseDecision } from './decision.ts';
import { RuntimeTransportError } from './errors.ts';
import { createFetchTransport, type FetchLike } from './http/fetch-transport.ts';
import { createNodeTransport } from './http/node-transport.ts';
import type { Exchange, HttpAnswer, Transport } from './http/transport.ts';
import type {
  ApiKeyCreateResult,
  ApiKeyLifecycleResult,
  ApiKeyListResult,
  ApiKeySummary,
  AuthorizeClient,
  AuthorizeInput,
  CallOptions,
  Decision,
} from './types.ts';

/** Settings of the client beside the config. */
export interface CeibaRuntimeClientOptions {
  /**
   * A `fetch` to use instead of the built-in transport, for a proxy or a CA of your own. The
   * deadline, the size bounds and the ban on redirects hold for it too.
   */
  readonly fetch?: FetchLike | undefined;
  /** Off by default; `{}` turns it on with its defaults. */
  readonly circuitBreaker?: CircuitBreakerOptions | undefined;
}

/** A decision is small. */
const MOST_BYTES = 64 * 1024;
/**
 * The list has no pages and keys are never deleted, so a list that is too large stays so. In JSON a
 * key takes some 280 bytes, 400 with a long name: 250,000 of them fit, which few projects reach.
 */
const MOST_LIST_BYTES = 96 * 1024 * 1024;

/**
 * Asks the Runtime for decisions and manages a project's keys. One client per process is enough:
 * it keeps its connections. It holds no rules of its own and sends nothing twice.
 *
 * Every method throws {@link RuntimeTransportError} unless the Runtime answers 200 with the
 * expected shape, and {@link CeibaConfigError} for a `timeoutMs` that cannot be kept.
 *
 * @example
 * const client = new CeibaRuntimeClient(parseCeibaConfig({ runtimeBaseUrl, projectId, projectSecret }));
 * const decision = await client.authorize({ apiKey, method: 'GET', path: '/v1/reports' });
 */
export class CeibaRuntimeClient implements AuthorizeClient {
  readonly projectId: string;
  readonly #timeoutMs: number;
  readonly #transport: Transport;
  readonly #breaker: CircuitBreaker | undefined;
  readonly #authorizePath: string;
  readonly #keysPath: string;

  /** @throws {CeibaConfigError} when an option of the circuit breaker is wrong. */
  constructor(config: CeibaConfig, options: CeibaRuntimeClientOptions = {}) {
    if (typeof config.projectSecret !== 'string') {
      throw new TypeError('CeibaRuntimeClient takes the object that parseCeibaConfig returned');
    }
    this.projectId = config.projectId;
    this.#timeoutMs = config.timeoutMs;
    const headers = { accept: 'application/json', [PROJECT_SECRET_HEADER]: config.projectSecret };
    this.#transport = options.fetch
      ? createFetchTransport(config.runtimeBaseUrl, headers, options.fetch)
      : createNodeTransport(config.runtimeBaseUrl, headers);
    this.#breaker = options.circuitBreaker && createCircuitBreaker(options.circuitBreaker);
    this.#authorizePath = `/rt/projects/${config.projectId}/authorize`;
    this.#keysPath = `/rt/projects/${config.projectId}/api-keys`;
  }

  /**
   * Asks whether one request may proceed. An allow has been charged; a failure may have been, and
   * is not asked again.
   */
  authorize(input: AuthorizeInput, options: CallOptions = {}): Promise<Decision> {
    const { apiKey, method, path } = input;
    const ask = () =>
      this.#call('POST', this.#authorizePath, { apiKey, method, path }, parseDecision, options);
    return this.#breaker ? this.#breaker.run(ask) : ask();
  }

  /**
   * Every key of the project, newest first, revoked and archived ones included. Many thousands take
   * longer than a decision: give the call a `timeoutMs` of its own, and the Runtime as much in its
   * setting `KEY_ROUTE_DEADLINE_MS` (2 s by default).
   */
  listApiKeys(options: CallOptions = {}): Promise<ApiKeyListResult> {
    return this.#call('GET', this.#keysPath, undefined, parseApiKeyList, options, MOST_LIST_BYTES);
  }

  /** One key. 404 `not_found` also for a key of another project. */
  async getApiKey(apiKeyId: string, options: CallOptions = {}): Promise<ApiKeySummary> {
    return this.#call('GET', this.#keyPath(apiKeyId), undefined, parseApiKeySummary, options);
  }

  /**
   * Creates a key. `plaintextKey` of the result exists nowhere else: if this call fails without
   * an answer, list the keys and revoke the one that nobody holds. 403 `plan_limit_reached` at the
   * plan's cap of active keys.
   */
  createApiKey(displayName: string, options: CallOptions = {}): Promise<ApiKeyCreateResult> {
    return this.#call('POST', this.#keysPath, { displayName }, parseApiKeyCreateResult, options);
  }

  /** Sets the expiry (ISO 8601 with `Z` or an offset) or clears it (null). 409 unless active. */
  async setApiKeyExpiry(
    apiKeyId: string,
    expiresAt: string | null,
    options: CallOptions = {},
  ): Promise<ApiKeySummary> {
    const path = this.#keyPath(apiKeyId);
    return this.#call('PATCH', path, { expiresAt }, parseApiKeySummary, options);
  }

  /** Revokes a key, from the next decision on and for good. 409 when it is archived. */
  async revokeApiKey(apiKeyId: string, options: CallOptions = {}): Promise<ApiKeyLifecycleResult> {
    const path = `${this.#keyPath(apiKeyId)}/revoke`;
    return this.#call('POST', path, {}, parseApiKeyLifecycleResult, options);
  }

  /** Archives a key that is finished with, for good. 409 when it is revoked. */
  async archiveApiKey(apiKeyId: string, options: CallOptions = {}): Promise<ApiKeyLifecycleResult> {
    const path = `${this.#keyPath(apiKeyId)}/archive`;
    return this.#call('POST', path, {}, parseApiKeyLifecycleResult, options);
  }

  /** Closes the connections that the client holds; calls under way fail. */
  close(): void {
    this.#transport.close();
  }

  /** An empty id or a dot segment would name another route, so neither is sent. */
  #keyPath(apiKeyId: string): string {
    if (apiKeyId === '' || apiKeyId === '.' || apiKeyId === '..') {
      throw new TypeError('apiKeyId must be the id of a key');
    }
    return `${this.#keysPath}/${encodeURIComponent(apiKeyId)}`;
  }

  async #call<T>(
    method: Exchange['method'],
    path: string,
    body: object | undefined,
    parse: (body: unknown) => T | null,
    { signal, timeoutMs = this.#timeoutMs }: CallOptions,
    maxResponseBytes = MOST_BYTES,
  ): Promise<T> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const exchange = {
      method,
      path,
      body: text,
      timeoutMs: parseTimeout(timeoutMs),
      maxResponseBytes,
      signal,
    };
    const answer = await this.#transport.send(exchange);
    if (answer.status !== 200) throw errorStatus(answer);
    const isWhole = answer.cutOff === null;
    const result = isWhole && isJson(answer) ? parse(readJson(answer.text)) : null;
    if (result === null) throw invalidAnswer(answer, maxResponseBytes);
    return result;
  }
}

function isJson({ contentType }: HttpAnswer): boolean {
  return /^application\/json[ \t]*(?:;|$)/i.test(contentType);
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function errorStatus(answer: HttpAnswer): RuntimeTransportError {
  const body = isJson(answer) ? (readJson(answer.text) ?? answer.text) : answer.text;
  const message = `The Runtime answered ${answer.status}`;
  return new RuntimeTransportError('error_status', message, { status: answer.status, body });
}

/** JSON of the wrong shape may hold a new key, and errors end up in logs: it is left out. */
function invalidAnswer(answer: HttpAnswer, maxResponseBytes: number): RuntimeTransportError {
  const message =
    answer.cutOff === 'too_large'
      ? `The answer of the Runtime is too large: more than ${maxResponseBytes / 1024} KiB`
      : 'The Runtime answered with something other than the expected JSON';
  const body = isJson(answer) ? null : answer.text;
  return new RuntimeTransportError('invalid_answer', message, { status: answer.status, body });
}
