import type { Logger } from '@ceiba/process/log';
import { UnavailableError } from '../unavailable.ts';
import { errorBody, TransportError, UNAVAILABLE_MESSAGE } from './errors.ts';
import { REQUEST_ID_HEADER } from './request-id.ts';

const NO_STORE = 'no-store';

/** JSON that is text already. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A JSON answer that no cache keeps. */
export function jsonReply(status: number, body: unknown, requestId: string): Response {
  return new Response(body instanceof JsonText ? body.text : JSON.stringify(body), {
    status,
    headers: {
      'content-type': 'application/json',
      'cache-control': NO_STORE,
      [REQUEST_ID_HEADER]: requestId,
    },
  });
}

/**
 * The answer to a fault. What is not ours to explain is `unavailable` or `internal`, and the fault
 * itself goes to the log alone (promise 3).
 */
export function faultReply(fault: unknown, requestId: string, faults: FaultLog): Response {
  if (fault instanceof TransportError) return errorReply(fault.code, fault.message, requestId);
  faults.tell(fault, requestId);
  return fault instanceof UnavailableError
    ? errorReply('unavailable', UNAVAILABLE_MESSAGE, requestId)
    : errorReply('internal', 'Something went wrong.', requestId);
}

function errorReply(code: TransportError['code'], message: string, requestId: string): Response {
  const { status, body } = errorBody(code, message, requestId);
  const reply = jsonReply(status, body, requestId);
  if (code === 'payload_too_large') reply.headers.set('connection', 'close');
  return reply;
}

/** One line of an outage a second is enough; the count says how many more there were. */
const QUIET_MS = 1_000;

/** Tells the log of faults: each internal one, and of an outage one line a second. */
export class FaultLog {
  readonly #log: Logger;
  readonly #last = new Map<string, { at: number; untold: number }>();

  constructor(log: Logger) {
    this.#log = log;
  }

  tell(fault: unknown, requestId: string): void {
    if (!(fault instanceof UnavailableError)) {
      this.#log.error({ err: fault, requestId }, 'internal fault');
      return;
    }
    if (fault.dependency === 'caller') {
      this.#log.debug({ requestId }, 'the body did not arrive in time');
      return;
    }
    const now = performance.now();
    const last = this.#last.get(fault.dependency);
    if (last !== undefined && now - last.at < QUIET_MS) {
      last.untold += 1;
      return;
    }
    this.#last.set(fault.dependency, { at: now, untold: 0 });
    this.#log.warn(
      { err: fault, requestId, dependency: fault.dependency, untold: last?.untold ?? 0 },
      'answered 503',
    );
  }
}
