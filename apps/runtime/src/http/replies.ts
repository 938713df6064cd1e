import type { ServerResponse } from 'node:http';
import type { Logger } from '@ceiba/process/log';
import { UnavailableError } from '../unavailable.ts';
import { errorBody, TransportError, UNAVAILABLE_MESSAGE } from './errors.ts';
import { REQUEST_ID_HEADER } from './request-id.ts';

/** JSON that is already serialised. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** An answer with a JSON body, before it is written. */
export interface Reply {
  readonly status: number;
  readonly text: string;
  readonly headers: Record<string, string>;
}

/** A JSON answer that must not be cached. */
export function jsonReply(status: number, body: unknown, requestId: string): Reply {
  const text = body instanceof JsonText ? body.text : JSON.stringify(body);
  const headers = {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    [REQUEST_ID_HEADER]: requestId,
  };
  return { status, text, headers };
}

export const toResponse = ({ text, status, headers }: Reply) =>
  new Response(text, { status, headers });

/** Writes an answer without Hono. Node takes a third of the time for a flat list of headers. */
export function send(outgoing: ServerResponse, { status, text, headers }: Reply): void {
  const list = ['content-length', String(Buffer.byteLength(text))];
  for (const name in headers) list.push(name, headers[name] ?? '');
  outgoing.writeHead(status, list).end(text);
}

/**
 * The answer to an error. An outage or a bug is only logged; the caller gets no details (promise:
 * fail closed).
 */
export function errorReply(error: unknown, requestId: string, errors: ErrorLog): Reply {
  if (error instanceof TransportError) {
    if (error.code === 'unauthorized') errors.reportRefusal(requestId);
    return transportReply(error, requestId);
  }
  errors.report(error, requestId);
  return transportReply(error instanceof UnavailableError ? UNAVAILABLE : INTERNAL, requestId);
}

const UNAVAILABLE = new TransportError('unavailable', UNAVAILABLE_MESSAGE);
const INTERNAL = new TransportError('internal', 'Something went wrong.');

function transportReply({ code, message }: TransportError, requestId: string): Reply {
  const { status, body } = errorBody(code, message, requestId);
  const reply = jsonReply(status, body, requestId);
  if (code === 'payload_too_large') reply.headers.connection = 'close';
  return reply;
}

/** A line of one kind is logged once per interval, in ms, with the number of suppressed ones. */
const INTERVAL_MS = 1_000;

/** Counts mistakes in the settings of hosts and gateways, of which the log shows only some. */
export interface MistakeCounter {
  refusedSecret(): void;
  unclearRequest(): void;
}

/** Logs every internal error, and each outage and refused secrets at most once per second. */
export class ErrorLog {
  readonly #log: Logger;
  readonly #mistakes: MistakeCounter | undefined;
  readonly #last = new Map<string, { at: number; suppressed: number }>();

  constructor(log: Logger, mistakes?: MistakeCounter) {
    this.#log = log;
    this.#mistakes = mistakes;
  }

  report(error: unknown, requestId: string): void {
    if (!(error instanceof UnavailableError)) {
      this.#log.error({ err: error, requestId }, 'internal error');
      return;
    }
    const { dependency } = error;
    if (dependency === 'caller') {
      this.#log.debug({ requestId }, 'the body did not arrive in time');
      return;
    }
    const suppressed = this.#suppressedOf(dependency);
    if (suppressed === null) return;
    this.#log.warn({ err: error, requestId, dependency, suppressed }, 'answered 503');
  }

  /** A secret that is missing or wrong, which is a mistake in the settings of a host. */
  reportRefusal(requestId: string): void {
    this.#mistakes?.refusedSecret();
    const suppressed = this.#suppressedOf('project secret');
    if (suppressed === null) return;
    this.#log.info({ requestId, suppressed }, 'refused a project secret');
  }

  /**
   * A gateway's question that says not, or in two ways, which request it is about: a mistake in its
   * configuration, or a caller who tries to be judged by another request than the one that is served.
   *
   * @param problem completes the sentence "the gateway …"
   */
  reportUnclearRequest(problem: string, requestId: string): void {
    this.#mistakes?.unclearRequest();
    const suppressed = this.#suppressedOf('unclear request');
    if (suppressed === null) return;
    this.#log.info(
      { requestId, problem: `the gateway ${problem}`, suppressed },
      'denied a request that its gateway did not name; compare the gateway with examples/gateways',
    );
  }

  /** How many lines were suppressed since the last one; null where this one is too. */
  #suppressedOf(kind: string): number | null {
    const now = performance.now();
    const last = this.#last.get(kind);
    if (last !== undefined && now - last.at < INTERVAL_MS) {
      last.suppressed += 1;
      return null;
    }
    this.#last.set(kind, { at: now, suppressed: 0 });
    return last?.suppressed ?? 0;
  }
}
