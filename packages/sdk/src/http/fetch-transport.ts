import { RuntimeTransportError } from '../errors.ts';
import {
  type BaseHeaders,
  type Exchange,
  type HttpAnswer,
  isErrorStatus,
  type Transport,
} from './transport.ts';

/** The part of the Fetch API that the client uses. The global `fetch` is one. */
export type FetchLike = (url: string, init: RequestInit) => Promise<Response>;

/** Speaks through a `fetch` of the user's own, within the same bounds as the default transport. */
export function createFetchTransport(
  baseUrl: string,
  baseHeaders: BaseHeaders,
  fetch: FetchLike,
): Transport {
  async function send(exchange: Exchange): Promise<HttpAnswer> {
    const { method, body, signal, timeoutMs } = exchange;
    if (signal?.aborted) throw cancelled();
    const abort = new AbortController();
    let response: Response | undefined;
    const headers =
      body === undefined ? baseHeaders : { ...baseHeaders, 'content-type': 'application/json' };

    const exchanged = (async () => {
      response = await fetch(`${baseUrl}${exchange.path}`, {
        method,
        headers,
        redirect: 'manual',
        signal: abort.signal,
        ...(body === undefined ? {} : { body }),
      });
      return readAnswer(response, exchange.maxResponseBytes);
    })();
    // A fetch may ignore its signal, so the deadline is raced, not only signalled.
    const { promise: stopped, reject: stop } = deferred();
    const onAbort = () => stop(cancelled());
    const deadline = setTimeout(() => stop(timedOut(timeoutMs)), timeoutMs);
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      return await Promise.race([exchanged, stopped]);
    } catch (error) {
      exchanged.catch(() => undefined);
      abort.abort();
      return afterFailure(error, response);
    } finally {
      clearTimeout(deadline);
      signal?.removeEventListener('abort', onAbort);
    }
  }
  return { send, close: () => undefined };
}

function afterFailure(error: unknown, response: Response | undefined): HttpAnswer {
  const failure = RuntimeTransportError.is(error) ? error.failure : 'unreachable';
  const isCut = failure === 'unreachable';
  if (
    response !== undefined &&
    failure !== 'aborted' &&
    (isCut || isErrorStatus(response.status))
  ) {
    return { ...headOf(response), text: '', whole: false };
  }
  if (RuntimeTransportError.is(error)) throw error;
  throw new RuntimeTransportError('unreachable', 'The Runtime cannot be reached', undefined, {
    cause: error,
  });
}

async function readAnswer(response: Response, maxBytes: number): Promise<HttpAnswer> {
  const chunks: Uint8Array[] = [];
  let received = 0;
  if (response.body === null) return { ...headOf(response), text: '', whole: true };
  for await (const chunk of response.body) {
    received += chunk.byteLength;
    if (received > maxBytes) return { ...headOf(response), text: '', whole: false };
    chunks.push(chunk);
  }
  return {
    ...headOf(response),
    text: Buffer.concat(chunks, received).toString('utf8'),
    whole: true,
  };
}

function headOf(response: Response): { status: number; contentType: string } {
  return {
    status: response.status,
    contentType: response.headers.get('content-type') ?? '',
  };
}

function deferred(): { promise: Promise<never>; reject: (error: Error) => void } {
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<never>((_resolve, rejectPromise) => {
    reject = rejectPromise;
  });
  promise.catch(() => undefined);
  return { promise, reject };
}

const cancelled = () => new RuntimeTransportError('aborted', 'The call was cancelled');
const timedOut = (timeoutMs: number) =>
  new RuntimeTransportError('timeout', `The Runtime gave no answer within ${timeoutMs} ms`);
