import { RuntimeTransportError } from '../errors.ts';
import {
  type BaseHeaders,
  cancelled,
  type Exchange,
  type HttpAnswer,
  isAnswerEnough,
  type Transport,
  unreachable,
  watchForStop,
} from './transport.ts';

/** The part of the Fetch API that the client uses. The global `fetch` is one. */
export type FetchLike = (url: string, init: RequestInit) => Promise<Response>;

/**
 * Sends through a custom `fetch`, within the same bounds as the default transport. A framework may
 * answer a `fetch` from a cache by its address, headers and body (a route of Next.js with
 * `fetchCache`), so each call has an ID of its own.
 */
export function createFetchTransport(
  baseUrl: string,
  baseHeaders: BaseHeaders,
  fetch: FetchLike,
): Transport {
  function begin(
    { method, path, body, headers: own }: Exchange,
    signal: AbortSignal,
  ): Promise<Response> {
    const base = { ...baseHeaders, 'x-request-id': crypto.randomUUID() };
    const init = { method, headers: base, redirect: 'manual', signal } as const;
    if (body === undefined) return fetch(baseUrl + path, init);
    const headers = { ...base, ...own, 'content-type': 'application/json' };
    return fetch(baseUrl + path, { ...init, headers, body });
  }

  async function send(exchange: Exchange): Promise<HttpAnswer> {
    if (exchange.signal?.aborted) throw cancelled();
    const abort = new AbortController();
    let unwatch = () => {};
    const stopped = new Promise<never>((_resolve, reject) => {
      unwatch = watchForStop(exchange, reject);
    });
    let head: Head | undefined;
    try {
      // A custom fetch may ignore its signal, so the deadline is also raced.
      const response = await Promise.race([begin(exchange, abort.signal), stopped]);
      head = headOf(response);
      const body = readBody(response, exchange.maxResponseBytes);
      return { ...head, ...(await Promise.race([body, stopped])) };
    } catch (cause) {
      abort.abort();
      const error = RuntimeTransportError.is(cause) ? cause : unreachable(cause);
      if (head && isAnswerEnough(head.status, error)) {
        return { ...head, text: '', cutOff: 'broken' };
      }
      throw error;
    } finally {
      unwatch();
    }
  }
  return { send, close: () => undefined };
}

type Head = Pick<HttpAnswer, 'status' | 'contentType'>;

function headOf({ status, headers }: Response): Head {
  return { status, contentType: headers.get('content-type') ?? '' };
}

async function readBody(
  response: Response,
  maxBytes: number,
): Promise<Pick<HttpAnswer, 'text' | 'cutOff'>> {
  // Keeps a byte order mark, as Node's transport does: JSON has none.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let text = '';
  let received = 0;
  for await (const chunk of response.body ?? []) {
    received += chunk.byteLength;
    if (received > maxBytes) return { text: '', cutOff: 'too_large' };
    text += decoder.decode(chunk, { stream: true });
  }
  return { text: text + decoder.decode(), cutOff: null };
}
