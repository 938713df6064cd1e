import {
  type DenialReason,
  HOST_ERROR_FOR_DENIAL,
  type HostErrorCode,
  HTTP_STATUS_FOR_DENIAL,
} from '@ceiba/contract/sets';

/** Why a call to the Runtime returned no usable answer. */
export type TransportFailure =
  /** The Runtime answered with a status other than 2xx; `status` and `body` hold the answer. */
  | 'error_status'
  /** The answer was not JSON of the expected shape, or too large. */
  | 'invalid_answer'
  /** The deadline passed. */
  | 'timeout'
  /** There was no connection, or it broke before the answer. */
  | 'unreachable'
  /** The caller's `AbortSignal` fired. */
  | 'aborted'
  /** The circuit breaker is open: the question was not sent. */
  | 'circuit_open';

const BRAND = Symbol.for('ceiba.RuntimeTransportError');

/**
 * The Runtime gave no usable answer. This is never an access denial: the caller's key was not
 * judged, or the verdict did not arrive. A request that failed this way may have been charged.
 */
export class RuntimeTransportError extends Error {
  override readonly name = 'RuntimeTransportError';
  /** Status of the Runtime's answer; null when there was none. */
  readonly status: number | null;
  /** Body of the answer: parsed if it was JSON, otherwise its text; null when there was none. */
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

  /** Works across copies of this package (ESM and CommonJS), where `instanceof` does not. */
  static is(error: unknown): error is RuntimeTransportError {
    return typeof error === 'object' && error !== null && BRAND in error;
  }
}

const EXPECTED = Symbol.for('ceiba.expectedFailure');

/** Marks a failure that the test of a host asked for, so that no warning reports it. */
export const expected = (error: RuntimeTransportError): RuntimeTransportError =>
  Object.defineProperty(error, EXPECTED, { value: true });

/** Whether a test asked for the failure. */
export const isExpected = (error: RuntimeTransportError): boolean => EXPECTED in error;

const NO_ANSWER = { status: null, body: null } as const;

/** The `error` of a host's reply when there was no verdict. */
export type HostFailureCode = 'service_unavailable';

/** Every possible `error` of a host's reply. */
export type HostReplyCode = HostErrorCode | HostFailureCode;

function isKnown(reason: string): reason is DenialReason {
  return Object.hasOwn(HTTP_STATUS_FOR_DENIAL, reason);
}

/**
 * The HTTP status of a host's reply to a denial: 401, 403 or 429; 403 for a reason that this version
 * does not know.
 */
export function httpStatusForDenial(reason: DenialReason | (string & {})): 401 | 403 | 429 {
  return isKnown(reason) ? HTTP_STATUS_FOR_DENIAL[reason] : 403;
}

/**
 * The `error` code of a host's reply to a denial; `service_forbidden` for a reason that this version
 * does not know.
 */
export function ceibaErrorCodeForDenial(reason: DenialReason | (string & {})): HostErrorCode {
  return isKnown(reason) ? HOST_ERROR_FOR_DENIAL[reason] : 'service_forbidden';
}

/**
 * The HTTP status of a host's reply when the Runtime failed.
 *
 * @param status the status of the Runtime's answer, or null when there was no answer.
 * @returns 503 for no answer, 401 and 403 (the caller's key was not the problem); 500 and above
 * unchanged; 502 for everything else.
 */
export function httpStatusForRuntimeTransport(status: number | null): number {
  if (status === null || status === 401 || status === 403) return 503;
  return status >= 500 ? status : 502;
}
