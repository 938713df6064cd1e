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

/** What came back. A body that was cut off (too large, broken connection) is not `whole`. */
export interface HttpAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
  readonly whole: boolean;
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

/** A failed call is worth its status alone: the body of an error is a courtesy. */
export function isErrorStatus(status: number): boolean {
  return status < 200 || status > 299;
}
