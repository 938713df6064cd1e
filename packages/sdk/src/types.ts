import type * as sets from '@ceiba/contract/sets';

/** The states of a key. A new key is active; revoked and archived are for good. */
export type ApiKeyStatus = sets.ApiKeyStatus;

/** The nine reasons for which a decision denies. */
export type DenialReason = sets.DenialReason;

/** The `error` of a host's reply to a denial. */
export type HostErrorCode = sets.HostErrorCode;

/** A downstream key as list, get and expiry update return it. Times are ISO 8601. */
export interface ApiKeySummary {
  readonly apiKeyId: string;
  readonly displayName: string;
  /** Safe to store and show; lets a person recognise the key. */
  readonly keyPrefix: string;
  /** An expired key still reads `active`: expiry is enforced when a request is judged. */
  readonly status: ApiKeyStatus;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  readonly archivedAt: string | null;
  /** Null until the key has let its first request through. */
  readonly lastUsedAt: string | null;
}

/** Every key of the project, newest first, revoked and archived ones included. */
export interface ApiKeyListResult {
  readonly apiKeys: ApiKeySummary[];
}

/** The only answer that holds a key in plain text, exactly once. Lose it and it is gone. */
export interface ApiKeyCreateResult {
  readonly apiKeyId: string;
  readonly displayName: string;
  readonly keyPrefix: string;
  readonly plaintextKey: string;
}

/** What revoke and archive return. */
export interface ApiKeyLifecycleResult {
  readonly apiKeyId: string;
  readonly status: 'revoked' | 'archived';
}

/** Which key, which policy and which plan an allowed request matched. */
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

/** The limits in force, in requests: for the minute and for the month, the counter with least left. */
export interface Limits {
  readonly rateLimitPerMinute: number;
  readonly monthlyQuota: number;
  readonly remainingThisMinute: number;
  readonly remainingThisMonth: number;
}

/** Seconds until the minute and the month that `limits` speaks of are over. */
export interface ResetAfterSeconds {
  readonly minute: number;
  readonly month: number;
}

/** The question a host asks for each request. */
export interface AuthorizeInput {
  /** The caller's key as it was presented, or null when none was. */
  readonly apiKey: string | null;
  /** The HTTP method on the wire; HEAD stays HEAD. */
  readonly method: string;
  /** The request target as it was sent, without its query. */
  readonly path: string;
}

/** The request may proceed, and has been charged. */
export interface AllowDecision {
  readonly allowed: true;
  readonly decisionId: string;
  readonly access: AccessContext;
  readonly limits: Limits;
  readonly resetAfterSeconds?: ResetAfterSeconds | undefined;
}

/** The request must not proceed; nothing was charged. */
export interface DenyDecision {
  readonly allowed: false;
  readonly decisionId: string | null;
  /** One of the nine reasons, or one that a newer Runtime knows and this library does not. */
  readonly denialReason: DenialReason | (string & {});
  /** Seconds until a retry can succeed; only where waiting helps. */
  readonly retryAfterSeconds?: number | undefined;
  readonly limits?: Limits | undefined;
  readonly resetAfterSeconds?: ResetAfterSeconds | undefined;
}

/** The Runtime's verdict on one request. */
export type Decision = AllowDecision | DenyDecision;

/** What an adapter attaches to an allowed request (`req.access`, `request.access`). */
export interface RequestAccess {
  /** Which key, policy and plan matched. */
  readonly access: AccessContext;
  /** What is left after this request was charged. */
  readonly limits: Limits;
  /** Names this decision in the Runtime's log: a line each at `LOG_LEVEL=debug`, none at `info`. */
  readonly decisionId: string;
}

/** Settings of one call. */
export interface CallOptions {
  /** Cancels the call. A charge that is already on its way may still be made. */
  readonly signal?: AbortSignal | undefined;
  /** Total deadline of this call in milliseconds; the config's by default. */
  readonly timeoutMs?: number | undefined;
}

/**
 * What an adapter needs of a client. `CeibaRuntimeClient` is one; the fake client of
 * `@ceiba/sdk/testing` is another.
 */
export interface AuthorizeClient {
  readonly projectId: string;
  authorize(input: AuthorizeInput, options?: CallOptions): Promise<Decision>;
}
