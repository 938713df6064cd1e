import { RuntimeTransportError } from '../errors.ts';

/** One call to the Runtime, as a transport sends it. */
export interface Exchange {
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** Path below the base URL, already escaped. */
  readonly path: string;
  /** JSON text; undefined sends no body. */
  readonly body: string | undefined;
  /** Total deadline in milliseconds: connect, headers and body. */
  readonly timeoutMs: number;
  /** A larger body is cut off. */
  readonly maxResponseBytes: number;
  readonly signal: AbortSignal | undefined;
  /** Further headers, of a call that has a body: those of the trace that it belongs to. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** The answer to one call. */
export interface HttpAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
  /** Why the body is incomplete (then `text` is empty); null when it is complete. */
  readonly cutOff: 'too_large' | 'broken' | null;
}

/**
 * Sends one call. Never follows a redirect, because the secret must not go to another server. Never
 * sends the call twice, because it may have been charged.
 *
 * @throws {RuntimeTransportError} when there is no answer: timeout, unreachable or aborted.
 */
export interface Transport {
  send(exchange: Exchange): Promise<HttpAnswer>;
  /** Closes the open connections. */
  close(): void;
}

/** The headers of every call, including the secret. */
export type BaseHeaders = Readonly<Record<string, string>>;

/**
 * The reason of this package's own signals: the call stops with this error. A caller's signal always
 * cancels, whatever its reason.
 */
export class StopReason {
  readonly error: RuntimeTransportError;

  constructor(error: RuntimeTransportError) {
    this.error = error;
  }
}

/**
 * Watches for the two reasons to stop a call: its deadline and its signal.
 *
 * @returns a function that removes the timer and the listener; call it once the call is over.
 */
export function watchForStop(
  { timeoutMs, signal }: Pick<Exchange, 'timeoutMs' | 'signal'>,
  stop: (error: RuntimeTransportError) => void,
): () => void {
  const onAbort = () =>
    stop(signal?.reason instanceof StopReason ? signal.reason.error : cancelled());
  const deadline = setTimeout(() => {
    stop(new RuntimeTransportError('timeout', `The Runtime gave no answer within ${timeoutMs} ms`));
  }, timeoutMs);
  signal?.addEventListener('abort', onAbort, { once: true });
  return () => {
    clearTimeout(deadline);
    signal?.removeEventListener('abort', onAbort);
  };
}

export function cancelled(): RuntimeTransportError {
  return new RuntimeTransportError('aborted', 'The call was cancelled');
}

export function unreachable(cause: unknown): RuntimeTransportError {
  return new RuntimeTransportError('unreachable', 'The Runtime cannot be reached', undefined, {
    cause,
  });
}

/**
 * Whether an answer with an incomplete body is still usable: an error status needs no body, and a
 * body that broke off is not a decision. A decision that is late is not an answer.
 */
export function isAnswerEnough(status: number, { failure }: RuntimeTransportError): boolean {
  if (failure === 'aborted') return false;
  return failure === 'unreachable' || status < 200 || status > 299;
}
