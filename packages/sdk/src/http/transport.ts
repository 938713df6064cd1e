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
  /** An answer with a larger body is cut off there. */
  readonly maxResponseBytes: number;
  readonly signal: AbortSignal | undefined;
}

/** What came back. */
export interface HttpAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
  /** Why the body is not there as a whole, `text` being empty then; null when it is. */
  readonly cutOff: 'too_large' | 'broken' | null;
}

/**
 * Sends one call and never follows a redirect, because the secret must not travel elsewhere, and
 * never sends it twice, because it may carry a charge.
 *
 * @throws {RuntimeTransportError} when there is no answer: timeout, unreachable or aborted.
 */
export interface Transport {
  send(exchange: Exchange): Promise<HttpAnswer>;
  /** Closes the connections it holds. */
  close(): void;
}

/** The headers of every call, the secret among them. */
export type BaseHeaders = Readonly<Record<string, string>>;

/**
 * Watches for the two reasons to stop a call that is under way: its deadline and its signal.
 *
 * @returns ends the watch; to be called once the call is over, so that nothing is left behind.
 */
export function watchForStop(
  { timeoutMs, signal }: Exchange,
  stop: (error: RuntimeTransportError) => void,
): () => void {
  const onAbort = () => stop(cancelled());
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
 * Whether an answer whose body did not arrive whole still tells something: an error by its status
 * alone, and a broken-off body that this was no decision. A decision that is late is no answer.
 */
export function isAnswerEnough(status: number, { failure }: RuntimeTransportError): boolean {
  if (failure === 'aborted') return false;
  return failure === 'unreachable' || status < 200 || status > 299;
}
