import {
  type DenialReason,
  HOST_ERROR_FOR_DENIAL,
  type HostErrorCode,
  HTTP_STATUS_FOR_DENIAL,
} from '@ceiba/contract/sets';

/** Why a call to the Runtime brought no usable answer. */
export type TransportFailure =
  /** The Runtime answered with a status other than 2xx; `status` and `body` hold the answer. */
  | 'error_status'
  /** The answer was no JSON of the expected shape, or too large. */
  | 'invalid_answer'
  /** The deadline passed. */
  | 'timeout'
  /** No connection, or it broke before an answer came. */
  | 'unreachable'
  /** The caller's `AbortSignal` fired. */
  | 'aborted'
  /** The circuit breaker is open: the question was not asked. */
  | 'circuit_open';

const BRAND = Symbol.for('ceiba.RuntimeTransportError');

/**
 * The Runtime gave no usable answer. This is never an access denial: the caller's key was not
 * judged, or the judgement did not arrive. A request that failed this way may have been charged.
 */
export class RuntimeTransportError extends Error {
  override readonly name = 'RuntimeTransportError';
  /** Status of the Runtime's answer; null when there was none. */
  readonly status: number | null;
  /** Body of the answer: parsed where it was JSON, else its text; null when there was none. */
  readonly body: unknown;
  readonly failure: TransportFailure;

  constructor(
    failure: TransportFailure,
    message: string,
    answer: { readonly status: number | null; readonly body: unknown } = NO_ANSWER,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.failure = failure;
    this.status = answer.status;
    this.body = answer.body;
    Object.defineProperty(this, BRAND, { value: true });
  }

  /** Works across copies of this package (ESM beside CommonJS), where `instanceof` does not. */
  static is(error: unknown): error is RuntimeTransportError {
    return typeof error === 'object' && error !== null && BRAND in error;
  }
}

const NO_ANSWER = { status: null, body: null } as const;

/** The `error` of a host's reply when no verdict could be had. */
export type HostFailureCode = 'service_unavailable';

/** Every `error` that a host's reply can carry. */
export type HostReplyCode = HostErrorCode | HostFailureCode;

function isKnown(reason: string): reason is DenialReason {
  return Object.hasOwn(HTTP_STATUS_FOR_DENIAL, reason);
}

/**
 * The HTTP status with which a host answers a denial: 401, 403 or 429.
 * A reason that this version does not know is a denial still: 403.
 */
export function httpStatusForDenial(reason: DenialReason | (string & {})): 401 | 403 | 429 {
  return isKnown(reason) ? HTTP_STATUS_FOR_DENIAL[reason] : 403;
}

/**
 * The `error` code with which a host answers a denial.
 * A reason that this version does not know reads `service_forbidden`.
 */
export function ceibaErrorCodeForDenial(reason: DenialReason | (string & {})): HostErrorCode {
  return isKnown(reason) ? HOST_ERROR_FOR_DENIAL[reason] : 'service_forbidden';
}

/**
 * The HTTP status with which a host answers when the Runtime failed.
 *
 * @param status what the Runtime answered with, or null when no answer came at all.
 * @returns 503 for no answer, 401 and 403 (the caller's key was not the problem); 500 and above
 * as it is; 502 for everything else.
 */
export function httpStatusForRuntimeTransport(status: number | null): number {
  if (status === null || status === 401 || status === 403) return 503;
  return status >= 500 ? status : 502;
}
