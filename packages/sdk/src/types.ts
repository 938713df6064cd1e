import type * as sets from '@ceiba/contract/sets';

/** The states of a key. A new key is active; revoked and archived are final. */
export type ApiKeyStatus = sets.ApiKeyStatus;

/** The nine denial reasons. */
export type DenialReason = sets.DenialReason;

/** The `error` of a host's reply to a denial. */
export type HostErrorCode = sets.HostErrorCode;

/** A key, as list, get and expiry update return it. Times are ISO 8601. */
export interface ApiKeySummary {
  readonly apiKeyId: string;
  readonly displayName: string;
  /** The start of the key, for recognising it; safe to store and show. */
  readonly keyPrefix: string;
  /** An expired key stays `active`: each decision checks the expiry. */
  readonly status: ApiKeyStatus;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  readonly archivedAt: string | null;
  /** Null until the first allowed request. */
  readonly lastUsedAt: string | null;
}

/** Every key of the project, newest first, including revoked and archived ones. */
export interface ApiKeyListResult {
  readonly apiKeys: ApiKeySummary[];
}

/** The only answer with the plaintext of a key, which cannot be retrieved again. */
export interface ApiKeyCreateResult {
  readonly apiKeyId: string;
  readonly displayName: string;
  readonly keyPrefix: string;
  readonly plaintextKey: string;
}

/** The result of revoke and archive. */
export interface ApiKeyLifecycleResult {
  readonly apiKeyId: string;
  readonly status: 'revoked' | 'archived';
}

/** The key, policy and plan that an allowed request matched. */
export interface AccessContext {
  readonly projectId: string;
  readonly apiKey: {
    readonly apiKeyId: string;
    readonly displayName: string;
    readonly keyPrefix: string;
  };
  readonly policy: {
    readonly policyId: string;
    readonly method: string;
    readonly pathPattern: string;
  };
  readonly plan: { readonly planId: string; readonly name: string };
}

/** The limits in requests: for the minute and for the month, the counter with the least left. */
export interface Limits {
  readonly rateLimitPerMinute: number;
  readonly monthlyQuota: number;
  readonly remainingThisMinute: number;
  readonly remainingThisMonth: number;
}

/** Seconds until the minute and the month of `limits` end. */
export interface ResetAfterSeconds {
  readonly minute: number;
  readonly month: number;
}

/** The question that a host asks for each request. */
export interface AuthorizeInput {
  /** The key that the caller sent, unchanged; null without one. */
  readonly apiKey: string | null;
  /** The HTTP method that the caller sent; HEAD stays HEAD. */
  readonly method: string;
  /** The request target as it was sent, without its query. */
  readonly path: string;
}

/*
 * Each half of a decision names the fields of the other, because TypeScript does not narrow by
 * `!decision.allowed` where `strict` is off.
 */

/** The request may proceed, and has been charged. */
export interface AllowDecision {
  readonly allowed: true;
  readonly decisionId: string;
  readonly access: AccessContext;
  readonly limits: Limits;
  readonly resetAfterSeconds?: ResetAfterSeconds | undefined;
  readonly denialReason?: undefined;
  readonly retryAfterSeconds?: undefined;
}

/** The request must not proceed; nothing was charged. */
export interface DenyDecision {
  readonly allowed: false;
  readonly decisionId: string | null;
  /** One of the nine reasons, or a reason of a newer Runtime. */
  readonly denialReason: DenialReason | (string & {});
  /** Seconds until a retry can succeed; only where waiting helps. */
  readonly retryAfterSeconds?: number | undefined;
  readonly access?: undefined;
  readonly limits?: Limits | undefined;
  readonly resetAfterSeconds?: ResetAfterSeconds | undefined;
}

/** The Runtime's verdict on one request. */
export type Decision = AllowDecision | DenyDecision;

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
