import type { HostReplyCode } from './errors.ts';
import type { AuthorizeClient, RequestAccess } from './types.ts';

/** How one request came out. */
export type AccessOutcome =
  | { readonly outcome: 'allowed'; readonly access: RequestAccess }
  | DeniedOutcome
  | FailedOutcome;

/** The Runtime said no, or the request carried two credentials. */
export interface DeniedOutcome {
  readonly outcome: 'denied';
  readonly denialReason: string;
  /** Null when the request was turned away without asking the Runtime. */
  readonly decisionId: string | null;
  readonly httpStatus: number;
}

/** No verdict could be had; the request was turned away. */
export interface FailedOutcome {
  readonly outcome: 'failed';
  /** A `RuntimeTransportError`, unless the client is not this package's. */
  readonly error: unknown;
  readonly httpStatus: number;
}

/** What {@link AccessOptions.onDecision} sees. */
export type AccessEvent = AccessOutcome & {
  readonly method: string;
  /** The path that was judged: the request target without its query. */
  readonly path: string;
  /** Milliseconds from question to verdict. */
  readonly durationMs: number;
};

/** The body of a reply that turns a request away. */
export interface HostReplyBody {
  readonly error: HostReplyCode;
  readonly message: string;
  /** Only with {@link AccessOptions.exposeDenialReason}. */
  readonly denialReason?: string;
}

/** A reply that turns a request away. */
export interface HostReply<Body = unknown> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body: Body;
}

/** What {@link AccessOptions.customizeReply} may change. */
export interface CustomReply {
  /** Replaces the body; sent as JSON. */
  readonly body?: unknown;
  /** Added to the default headers, in place of those of the same name. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What every adapter takes. */
export interface AccessOptions {
  /** A `CeibaRuntimeClient`, or the fake of `@ceiba/sdk/testing`. */
  readonly client: AuthorizeClient;
  /** Must be the client's own project; a mismatch throws at start. */
  readonly projectId: string;
  /**
   * Adds `denialReason` to the body of a denial. Off by default, so that a caller cannot tell a
   * revoked key from an unknown one.
   */
  readonly exposeDenialReason?: boolean | undefined;
  /**
   * Changes body and headers of a reply that turns a request away. The status stays the
   * contract's. When it throws, the default reply is sent.
   */
  readonly customizeReply?:
    | ((
        reply: HostReply<HostReplyBody>,
        outcome: DeniedOutcome | FailedOutcome,
      ) => CustomReply | undefined)
    | undefined;
  /** Sees every verdict, for logs and metrics. It cannot change one; what it throws is a warning. */
  readonly onDecision?: ((event: AccessEvent) => void | Promise<void>) | undefined;
}
