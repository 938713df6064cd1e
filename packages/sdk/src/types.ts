import type * as sets from '@ceiba/contract/sets';
import type { AccessContext, ApiKeyListResult, Decision, Limits } from './generated/wire.ts';

export type * from './generated/wire.ts';

/** The states of a key. A new key is active; revoked and archived are final. */
export type ApiKeyStatus = sets.ApiKeyStatus;

/** The nine denial reasons. */
export type DenialReason = sets.DenialReason;

/** The `error` of a host's reply to a denial. */
export type HostErrorCode = sets.HostErrorCode;

/** The question that a host asks for each request. */
export interface AuthorizeInput {
  /** The key that the caller sent, unchanged; null without one. */
  readonly apiKey: string | null;
  /** The HTTP method that the caller sent; HEAD stays HEAD. */
  readonly method: string;
  /** The request target as it was sent, without its query. */
  readonly path: string;
  /** What the request takes of quotas, in place of its policy's cost: whole, 0 to 1,000,000. */
  readonly cost?: number | undefined;
}

/** What a handler learns of an allowed request (`req.ceiba`, `request.ceiba`, `c.var.ceiba`). */
export interface CeibaAccess extends AccessContext {
  /** What is left after this request. */
  readonly limits: Limits;
  /** Identifies this decision in the project's decision log. */
  readonly decisionId: string;
}

/**
 * The same under the name of the service contract, with the key, policy and plan one level deeper
 * (`req.access`, `request.access`).
 */
export interface RequestAccess {
  /** The key, policy and plan that matched. */
  readonly access: AccessContext;
  /** What is left after this request. */
  readonly limits: Limits;
  /** Identifies this decision in the project's decision log. */
  readonly decisionId: string;
}

/** Settings of one call. */
export interface CallOptions {
  /** Cancels the call. A charge in flight may still be made. */
  readonly signal?: AbortSignal | undefined;
  /** Total deadline of this call in milliseconds; the config's by default. */
  readonly timeoutMs?: number | undefined;
}

/** Settings of the creation of a key. */
export interface CreateApiKeyOptions extends CallOptions {
  /** Names the creation for 24 hours: 1 to 255 printable characters of ASCII. */
  readonly idempotencyKey?: string | undefined;
}

/** Settings of the end of a replaced secret. */
export interface EndPreviousSecretOptions extends CallOptions {
  /** Of the secret to end: 409 `conflict` where a later rotation has replaced another one. */
  readonly keyPrefix?: string | undefined;
}

/** Which keys a page has. */
export interface ApiKeyQuery {
  readonly customerId?: string | undefined;
  readonly status?: ApiKeyStatus | undefined;
  /** Part of the name in either letter case, the first characters of the prefix, or the id. */
  readonly search?: string | undefined;
  /** Top-level fields of the metadata, each with the text that it is, which is not empty. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** 1 to 500; 50 by default. */
  readonly limit?: number | undefined;
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined;
}

/** A page of keys. */
export interface ApiKeyPage extends ApiKeyListResult {
  /** Null on the last page. */
  readonly nextCursor: string | null;
}

/** Which customers a page has. */
export interface CustomerQuery {
  readonly externalId?: string | undefined;
  readonly status?: 'active' | 'suspended' | undefined;
  /** Part of the external ID or the name, in either letter case. */
  readonly search?: string | undefined;
  /** 1 to 500; 50 by default. */
  readonly limit?: number | undefined;
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined;
}

/** A range of usage: the days of the last 30 by default. */
export interface UsageQuery {
  /** RFC 3339, inclusive; widened to whole steps. */
  readonly from?: string | undefined;
  /** RFC 3339, exclusive; now by default. */
  readonly to?: string | undefined;
  /** In UTC; `day` by default. */
  readonly step?: 'day' | 'month' | undefined;
}

/** The headers `traceparent` and `tracestate` of W3C Trace Context, as a caller sent them. */
export interface TraceContext {
  readonly traceparent: string;
  readonly tracestate?: string | undefined;
}

/** Settings of one question. */
export interface AuthorizeOptions extends CallOptions {
  /**
   * The trace that the question belongs to where there is no active span of OpenTelemetry: that of
   * the incoming request. One that is malformed is left out.
   */
  readonly traceContext?: TraceContext | undefined;
}

/**
 * The part of a client that an adapter uses. `CeibaRuntimeClient` and the fake client of
 * `@ceiba/sdk/testing` implement it.
 */
export interface AuthorizeClient {
  readonly projectId: string;
  authorize(input: AuthorizeInput, options?: AuthorizeOptions): Promise<Decision>;
}
