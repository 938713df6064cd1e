import { PROJECT_SECRET_HEADER } from '@ceiba/contract/sets';
import { type AuthorizeExchanges, createAuthorizeExchanges } from './authorize-exchanges.ts';
import {
  ALWAYS_CLOSED,
  type CircuitBreakerOptions,
  createCircuitBreaker,
} from './circuit-breaker.ts';
import { Coalescer } from './coalescer.ts';
import { type CeibaConfig, parseTimeout } from './config.ts';
import { Customers } from './customers.ts';
import { RuntimeTransportError } from './errors.ts';
import {
  parseApiKeyCreateResult,
  parseApiKeyLifecycleResult,
  parseApiKeyListResult,
  parseApiKeyRotateResult,
  parseApiKeySummary,
  parseApiKeysCreateResult,
  parseApiKeysImportResult,
  parseUsageResult,
} from './generated/wire.ts';
import { isRefusedQuestion, resultOf, withSetting } from './http/answer.ts';
import { type Call, PAGE_BYTES_MAX, queryOf, segmentOf } from './http/call.ts';
import { createFetchTransport, type FetchLike } from './http/fetch-transport.ts';
import type { Exchange, Transport } from './http/transport.ts';
import { CAN_SHARE_EXCHANGES, createDefaultTransport, keepContext } from './platform.ts';
import { traceHeadersOf } from './trace-context.ts';
import type {
  ApiKeyCreateResult,
  ApiKeyLifecycleResult,
  ApiKeyListResult,
  ApiKeyPage,
  ApiKeyQuery,
  ApiKeyRotateResult,
  ApiKeySummary,
  ApiKeysCreateResult,
  ApiKeysImportResult,
  AuthorizeClient,
  AuthorizeInput,
  AuthorizeOptions,
  CallOptions,
  CreateApiKeyOptions,
  CreateApiKeyRequest,
  Decision,
  EndPreviousSecretOptions,
  ImportedApiKey,
  RotateApiKeyRequest,
  UpdateApiKeyRequest,
  UsageQuery,
  UsageResult,
} from './types.ts';

/** Options of the client that are not in the config. */
export interface CeibaRuntimeClientOptions {
  /**
   * A `fetch` to use instead of the built-in transport, for example for a proxy or a private CA. The
   * deadline, the size bounds and the ban on redirects apply to it too.
   */
  readonly fetch?: FetchLike | undefined;
  /** Off by default; `{}` turns it on with its defaults. */
  readonly circuitBreaker?: CircuitBreakerOptions | undefined;
}

/** A key, a customer and a year of usage are small. */
const ANSWER_BYTES_MAX = 64 * 1024;
/**
 * Keys are never deleted, so a list that is too large stays too large; `eachApiKey` reads it in pages. A
 * key without metadata takes some 280 bytes of JSON, 400 with a long name: 250,000 of them fit.
 */
const LIST_BYTES_MAX = 96 * 1024 * 1024;

/**
 * Asks the Runtime for decisions and manages a project's keys. One client per process is enough,
 * because it keeps its connections open. It makes no decisions itself and sends no request twice.
 *
 * Every method throws {@link RuntimeTransportError} unless the Runtime answers 200 with the
 * expected shape, and {@link CeibaConfigError} for an invalid `timeoutMs`.
 *
 * @example
 * const client = new CeibaRuntimeClient(parseCeibaConfig({ runtimeBaseUrl, projectId, projectSecret }));
 * const decision = await client.authorize({ apiKey, method: 'GET', path: '/v1/reports' });
 */
export class CeibaRuntimeClient implements AuthorizeClient {
  readonly projectId: string;
  /** The customers of the project. */
  readonly customers: Customers;
  readonly #runtimeBaseUrl: string;
  readonly #timeoutMs: number;
  readonly #transport: Transport;
  readonly #exchanges: AuthorizeExchanges;
  readonly #coalescer: Coalescer | undefined;
  readonly #projectPath: string;

  /** @throws {CeibaConfigError} when an option of the circuit breaker is invalid. */
  constructor(config: CeibaConfig, options: CeibaRuntimeClientOptions = {}) {
    if (typeof config.projectSecret !== 'string') {
      throw new TypeError('CeibaRuntimeClient takes the object that parseCeibaConfig returned');
    }
    this.projectId = config.projectId;
    this.#runtimeBaseUrl = config.runtimeBaseUrl;
    this.#timeoutMs = config.timeoutMs;
    const headers = { accept: 'application/json', [PROJECT_SECRET_HEADER]: config.projectSecret };
    this.#transport = options.fetch
      ? createFetchTransport(config.runtimeBaseUrl, headers, options.fetch)
      : createDefaultTransport(config.runtimeBaseUrl, headers);
    const breaker = options.circuitBreaker
      ? createCircuitBreaker(options.circuitBreaker)
      : ALWAYS_CLOSED;
    this.#projectPath = `/rt/projects/${config.projectId}`;
    const authorizePath = `${this.#projectPath}/authorize`;
    this.#exchanges = createAuthorizeExchanges(this.#transport, authorizePath, breaker);
    const mayShare = config.batching && CAN_SHARE_EXCHANGES;
    this.#coalescer = mayShare ? new Coalescer(this.#exchanges, keepContext) : undefined;
    this.customers = new Customers(this.#call);
  }

  /**
   * Asks whether one request may proceed. An allow has been charged. After an error the request may
   * have been charged, so it is not sent again. Under load, questions share requests, unless
   * `batching` is false in the config. The question is a part of the trace of the active span of
   * OpenTelemetry, or else of `traceContext`.
   */
  async authorize(
    { apiKey, method, path, cost }: AuthorizeInput,
    { signal, timeoutMs = this.#timeoutMs, traceContext }: AuthorizeOptions = {},
  ): Promise<Decision> {
    const json = JSON.stringify({ apiKey, method, path, cost });
    const trace = traceHeadersOf(traceContext);
    const question = { json, timeoutMs: parseTimeout(timeoutMs), signal, trace };
    return this.#coalescer?.ask(question) ?? this.#exchanges.one(question);
  }

  /**
   * Checks at start that the Runtime is there and accepts the project secret. It asks for no decision,
   * so nothing is charged.
   *
   * @throws {RuntimeTransportError} with `status` 401 where the secret or the project is wrong; its
   *   message names the address and the setting to look at
   */
  async verify({ signal, timeoutMs = this.#timeoutMs }: CallOptions = {}): Promise<void> {
    const exchange: Exchange = {
      method: 'POST',
      path: `${this.#projectPath}/authorize`,
      body: '{}',
      timeoutMs: parseTimeout(timeoutMs),
      maxResponseBytes: ANSWER_BYTES_MAX,
      signal,
    };
    try {
      // The Runtime judges the secret first, and then refuses a question without a method.
      const answer = await this.#transport.send(exchange);
      if (!isRefusedQuestion(answer)) resultOf(answer, () => undefined, ANSWER_BYTES_MAX);
    } catch (error) {
      throw RuntimeTransportError.is(error) ? withSetting(error, this.#runtimeBaseUrl) : error;
    }
  }

  /**
   * Every key of the project, newest first, including revoked and archived ones. For many thousands
   * of keys, raise `timeoutMs` for this call and the Runtime's setting `KEY_ROUTE_DEADLINE_MS` (2 s
   * by default).
   */
  listApiKeys(options?: CallOptions): Promise<ApiKeyListResult> {
    return this.#call('GET', KEYS, undefined, parseApiKeyListResult, options, {
      maxResponseBytes: LIST_BYTES_MAX,
    });
  }

  /**
   * A page of the keys, newest first; each field of the query narrows the list. `nextCursor` is null on
   * the last page.
   */
  async findApiKeys(query: ApiKeyQuery = {}, options?: CallOptions): Promise<ApiKeyPage> {
    const { metadata = {}, limit = PAGE, ...rest } = query;
    const fields = Object.entries(metadata).map(([name, text]) => [`metadata.${name}`, text]);
    const path = `${KEYS}${queryOf({ ...rest, limit, ...Object.fromEntries(fields) })}`;
    const found = await this.#call('GET', path, undefined, parseApiKeyListResult, options, {
      maxResponseBytes: PAGE_BYTES_MAX,
    });
    return { ...found, nextCursor: found.nextCursor ?? null };
  }

  /**
   * The keys of a query, page by page as they are read.
   *
   * @example
   * for await (const key of client.eachApiKey({ status: 'active' })) console.log(key.displayName);
   */
  async *eachApiKey(
    query: Omit<ApiKeyQuery, 'cursor'> = {},
    options?: CallOptions,
  ): AsyncGenerator<ApiKeySummary, void, undefined> {
    let cursor: string | undefined;
    do {
      const page: ApiKeyPage = await this.findApiKeys({ ...query, cursor }, options);
      yield* page.apiKeys;
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
  }

  /** One key. 404 `not_found` also for a key of another project. */
  async getApiKey(apiKeyId: string, options?: CallOptions): Promise<ApiKeySummary> {
    return this.#call('GET', keyPath(apiKeyId), undefined, parseApiKeySummary, options);
  }

  /**
   * Creates a key, from its name alone or with its customer, scopes, expiry, limits and metadata. Only
   * this result contains `plaintextKey`: if the call fails without an answer, list the keys and rotate the
   * new one, whose plaintext is lost. 403 `plan_limit_reached` at the cap of active keys, of the
   * project's plan or the customer's.
   *
   * With `idempotencyKey` the call may be repeated for 24 hours: a repeat makes no second key, and is 409
   * `conflict` with the `apiKeyId` of the first one in `body`.
   */
  createApiKey(
    nameOrInput: string | CreateApiKeyRequest,
    options: CreateApiKeyOptions = {},
  ): Promise<ApiKeyCreateResult> {
    const input = typeof nameOrInput === 'string' ? { displayName: nameOrInput } : nameOrInput;
    const { idempotencyKey } = options;
    const headers = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
    return this.#call('POST', KEYS, input, parseApiKeyCreateResult, options, { headers });
  }

  /** Creates up to 100 keys. One that is refused is a result of its own, and leaves the others. */
  createApiKeys(
    apiKeys: readonly CreateApiKeyRequest[],
    options?: CallOptions,
  ): Promise<ApiKeysCreateResult> {
    return this.#call('POST', `${KEYS}/batch`, { apiKeys }, parseApiKeysCreateResult, options);
  }

  /**
   * Takes over up to 1,000 keys of another issuer, by SHA-256 of their secrets. One that is refused is a
   * result of its own; one that the project has already keeps its id, so that the call may be repeated.
   * It may take more than a second: raise `timeoutMs`.
   */
  importApiKeys(
    apiKeys: readonly ImportedApiKey[],
    options?: CallOptions,
  ): Promise<ApiKeysImportResult> {
    return this.#call('POST', `${KEYS}/import`, { apiKeys }, parseApiKeysImportResult, options, {
      maxResponseBytes: PAGE_BYTES_MAX,
    });
  }

  /**
   * Gives a key a new secret; its id, limits, customer, scopes and history stay. The secret that
   * `keyPrefix` names stays valid for `overlapSeconds`, never past the key's expiry. Only this result
   * contains `plaintextKey`: after a lost answer read the key, and rotate the secret that it has now. 409
   * `conflict` for a key that is not active or has expired, for another prefix, and, without `confirm`,
   * while an earlier secret is still valid.
   */
  async rotateApiKey(
    apiKeyId: string,
    input: RotateApiKeyRequest,
    options?: CallOptions,
  ): Promise<ApiKeyRotateResult> {
    const path = `${keyPath(apiKeyId)}/rotate`;
    return this.#call('POST', path, input, parseApiKeyRotateResult, options);
  }

  /**
   * Ends the secret that a rotation has replaced, from the next decision on; with a `keyPrefix` in the
   * options, only the secret that it names. May be repeated.
   */
  async endPreviousSecret(
    apiKeyId: string,
    options: EndPreviousSecretOptions = {},
  ): Promise<ApiKeySummary> {
    const path = `${keyPath(apiKeyId)}/end-previous-secret`;
    return this.#call('POST', path, { keyPrefix: options.keyPrefix }, parseApiKeySummary, options);
  }

  /**
   * Changes the fields that are given, from the next decision on: null clears one, another customer
   * moves the key. 409 unless active; 403 `plan_limit_reached` where the customer is full.
   */
  async updateApiKey(
    apiKeyId: string,
    changes: UpdateApiKeyRequest,
    options?: CallOptions,
  ): Promise<ApiKeySummary> {
    return this.#call('PATCH', keyPath(apiKeyId), changes, parseApiKeySummary, options);
  }

  /** Sets the expiry (ISO 8601 with `Z` or an offset) or clears it (null). 409 unless active. */
  async setApiKeyExpiry(
    apiKeyId: string,
    expiresAt: string | null,
    options?: CallOptions,
  ): Promise<ApiKeySummary> {
    return this.updateApiKey(apiKeyId, { expiresAt }, options);
  }

  /** Revokes a key permanently, from the next decision on. 409 when it is archived. */
  async revokeApiKey(apiKeyId: string, options?: CallOptions): Promise<ApiKeyLifecycleResult> {
    const path = `${keyPath(apiKeyId)}/revoke`;
    return this.#call('POST', path, {}, parseApiKeyLifecycleResult, options);
  }

  /** Archives a key permanently. 409 when it is revoked. */
  async archiveApiKey(apiKeyId: string, options?: CallOptions): Promise<ApiKeyLifecycleResult> {
    const path = `${keyPath(apiKeyId)}/archive`;
    return this.#call('POST', path, {}, parseApiKeyLifecycleResult, options);
  }

  /** What the project has used, by day or month. */
  getUsage(query: UsageQuery = {}, options?: CallOptions): Promise<UsageResult> {
    return this.#call('GET', `/usage${queryOf(query)}`, undefined, parseUsageResult, options);
  }

  /** What a key has used, by day or month. */
  async getApiKeyUsage(
    apiKeyId: string,
    query: UsageQuery = {},
    options?: CallOptions,
  ): Promise<UsageResult> {
    const path = `${keyPath(apiKeyId)}/usage${queryOf(query)}`;
    return this.#call('GET', path, undefined, parseUsageResult, options);
  }

  /** Closes the client's connections; calls in flight, and questions that wait to leave, fail. */
  close(): void {
    this.#coalescer?.close();
    this.#transport.close();
  }

  readonly #call: Call = async (
    method,
    path,
    body,
    parse,
    { signal, timeoutMs = this.#timeoutMs } = {},
    { maxResponseBytes = ANSWER_BYTES_MAX, headers } = {},
  ) => {
    const exchange = {
      method,
      path: `${this.#projectPath}${path}`,
      body: body === undefined ? undefined : JSON.stringify(body),
      timeoutMs: parseTimeout(timeoutMs),
      maxResponseBytes,
      signal,
      headers,
    };
    return resultOf(await this.#transport.send(exchange), parse, maxResponseBytes);
  };
}

/** As the Runtime's: a page needs a parameter. */
const PAGE = 50;

const KEYS = '/api-keys';
const keyPath = (apiKeyId: string) => `${KEYS}/${segmentOf(apiKeyId, 'apiKeyId')}`;
