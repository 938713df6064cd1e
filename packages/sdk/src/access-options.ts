import type { HostReplyCode } from './errors.ts';
import type { AuthorizeClient, RequestAccess } from './types.ts';

/** The outcome of one request. */
export type AccessOutcome =
  | { readonly outcome: 'allowed'; readonly access: RequestAccess }
  | DeniedOutcome
  | FailedOutcome;

/** The Runtime denied the request, or the guard denied it without asking. */
export interface DeniedOutcome {
  readonly outcome: 'denied';
  readonly denialReason: string;
  /** Null when the guard denied the request without asking the Runtime. */
  readonly decisionId: string | null;
  readonly httpStatus: number;
}

/** There was no verdict, so the request was rejected. */
export interface FailedOutcome {
  readonly outcome: 'failed';
  /** A `RuntimeTransportError`, unless the client is a custom one. */
  readonly error: unknown;
  readonly httpStatus: number;
}

/** The argument of {@link AccessOptions.onDecision}. */
export type AccessEvent = AccessOutcome & {
  readonly method: string;
  /** The path that was judged: the request target without its query. */
  readonly path: string;
  /** Milliseconds from the question to the verdict. */
  readonly durationMs: number;
};

/** The body of a reply that rejects a request. */
export interface HostReplyBody {
  readonly error: HostReplyCode;
  readonly message: string;
  /** Only with {@link AccessOptions.exposeDenialReason}. */
  readonly denialReason?: string;
}

/** A reply that rejects a request. */
export interface HostReply<Body = unknown> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body: Body;
}

/** The changes that {@link AccessOptions.customizeReply} may make. */
export interface CustomReply {
  /** Replaces the body; sent as JSON. */
  readonly body?: unknown;
  /** Added to the default headers; replaces headers of the same name. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * What a request costs, from the request as the adapter has it. A method, so that a host may name a
 * narrower type of request.
 */
interface CostOf<Request> {
  of(request: Request): number;
}

/** The options of every adapter. */
export interface AccessOptions<Request = unknown> {
  /** A `CeibaRuntimeClient`, or the fake of `@ceiba/sdk/testing`. */
  readonly client: AuthorizeClient;
  /** The client's by default. Where it is given, it must be the same: another one throws at start. */
  readonly projectId?: string | undefined;
  /**
   * What a request takes of quotas, in place of the cost of its policy: a whole number from 0 to
   * 1,000,000, or a function of the request that returns one. Where it throws or returns anything
   * else, the request is rejected with 503. Take nothing from it that the caller may choose freely.
   */
  readonly cost?: number | CostOf<Request>['of'] | undefined;
  /**
   * Adds `denialReason` to the body of a denial. Off by default, so that a caller cannot
   * distinguish a revoked key from an unknown one.
   */
  readonly exposeDenialReason?: boolean | undefined;
  /**
   * Changes the body and headers of a reply that rejects a request; the contract fixes the status.
   * When it throws, the default reply is sent.
   */
  readonly customizeReply?:
    | ((
        reply: HostReply<HostReplyBody>,
        outcome: DeniedOutcome | FailedOutcome,
      ) => CustomReply | undefined)
    | undefined;
  /** Receives every verdict, for logs and metrics, and cannot change it. Its errors become warnings. */
  readonly onDecision?: ((event: AccessEvent) => void | Promise<void>) | undefined;
}
