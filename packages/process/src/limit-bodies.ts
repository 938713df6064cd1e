import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';

/** @see https://nodejs.org/api/diagnostics_channel.html#http */
const REQUEST_STARTS = 'http.server.request.start';

export interface BodyLimits {
  /** The most of one body, in bytes. Forms have less, and Next.js reads no more of an action. */
  bodyBytes: number;
  /** The most of all bodies that have not arrived completely, in bytes. */
  unfinishedBytes: number;
  /** How long a body may take to arrive, in ms. */
  arrivalMs: number;
}

const LIMITS: BodyLimits = {
  bodyBytes: 1024 * 1024,
  unfinishedBytes: 32 * 1024 * 1024,
  arrivalMs: 30_000,
};

/** How long the rest of a refused body is read and discarded before the answer, in ms. */
const DISCARD_MS = 250;

/**
 * Calls the request listeners of every HTTP server of this process only once the body has arrived, and
 * counts its bytes meanwhile: Next.js keeps whatever arrives of a chunked body for its proxy, up to
 * 10 MB each. A body that is too long, takes too long or holds too much memory is answered here; no
 * route, action or page sees its request.
 */
export function limitBodies(): void {
  const limited = new WeakSet<Server>();
  // Published before the first request of a server reaches its listeners.
  subscribe(REQUEST_STARTS, (message) => {
    const { server } = message as { server: Server };
    if (limited.has(server)) return;
    limited.add(server);
    const listeners = server.listeners('request') as RequestListener[];
    server.removeAllListeners('request');
    server.on(
      'request',
      withLimitedBodies((request, response) => {
        for (const listen of listeners) listen.call(server, request, response);
      }),
    );
  });
}

/** A request listener that gets requests with complete bodies, within the limits. */
export function withLimitedBodies(
  listen: RequestListener,
  limits: BodyLimits = LIMITS,
): RequestListener {
  const unfinished = new UnfinishedBodies(limits.unfinishedBytes);
  return (request, response) => {
    if (!hasBody(request)) return listen(request, response);
    if (Number(request.headers['content-length'] ?? 0) > limits.bodyBytes) {
      return refuse(request, response, 413);
    }
    hold(request, response, { ...limits, unfinished }, () => listen(request, response));
  };
}

const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

interface HeldBody {
  bytes: number;
  refuse(status: RefusalStatus): void;
}

/** What has arrived of all bodies that are not complete. */
class UnfinishedBodies {
  readonly #bodies = new Set<HeldBody>();
  #bytes = 0;

  constructor(readonly maxBytes: number) {}

  add(body: HeldBody, bytes: number): void {
    this.#bodies.add(body);
    body.bytes += bytes;
    this.#bytes += bytes;
    if (this.#bytes > this.maxBytes) this.#largest()?.refuse(503);
  }

  delete(body: HeldBody): void {
    if (this.#bodies.delete(body)) this.#bytes -= body.bytes;
  }

  /** A form is small: the memory goes to those who hold most of it last. */
  #largest(): HeldBody | undefined {
    let largest: HeldBody | undefined;
    for (const body of this.#bodies) if (body.bytes > (largest?.bytes ?? 0)) largest = body;
    return largest;
  }
}

/**
 * Keeps what arrives of a body until it is complete; then the request gets all of it, as if it had
 * arrived at once, and `ready` is called.
 */
function hold(
  request: IncomingMessage,
  response: ServerResponse,
  { bodyBytes, arrivalMs, unfinished }: BodyLimits & { unfinished: UnfinishedBodies },
  ready: () => void,
): void {
  // One buffer: a chunk of a byte would hold hundreds of bytes of its own.
  let kept = Buffer.alloc(0);
  let isRefused = false;
  const body: HeldBody = {
    bytes: 0,
    refuse(status) {
      if (isRefused) return;
      isRefused = true;
      release();
      refuse(request, response, status);
    },
  };
  const timer = setTimeout(() => body.refuse(408), arrivalMs);
  const release = () => {
    clearTimeout(timer);
    unfinished.delete(body);
    kept = Buffer.alloc(0);
  };
  response.once('close', release);
  // Node.js hands over what it reads from the connection by this method of the stream.
  request.push = (chunk: Buffer | null) => {
    if (chunk === null) {
      const complete = kept.subarray(0, body.bytes);
      release();
      Reflect.deleteProperty(request, 'push');
      if (complete.length > 0) request.push(complete);
      request.push(null);
      ready();
    } else if (body.bytes + chunk.length > bodyBytes) {
      body.refuse(413);
    } else {
      const size = body.bytes + chunk.length;
      if (size > kept.length) kept = Buffer.concat([kept], Math.max(size, 2 * kept.length, 4_096));
      chunk.copy(kept, body.bytes);
      unfinished.add(body, chunk.length);
    }
    return true;
  };
}

const REFUSALS = {
  408: ['request_timeout', 'The form did not arrive in time.'],
  413: ['payload_too_large', 'A form may have at most 1 MB.'],
  503: ['unavailable', 'Too many forms are arriving. Try again in a moment.'],
} as const;
type RefusalStatus = keyof typeof REFUSALS;

/** Programs get JSON, as from the routes below it; the others are forms. */
const FOR_PROGRAMS = '/api/manage/';

function answerTo(
  { url = '' }: IncomingMessage,
  status: RefusalStatus,
): [type: string, text: string] {
  const [error, text] = REFUSALS[status];
  if (!url.startsWith(FOR_PROGRAMS)) return ['text/plain', `${text}\n`];
  const message = text.replace('form', 'request');
  return ['application/json', JSON.stringify({ error, message, requestId: crypto.randomUUID() })];
}

/**
 * Answers and closes the connection. What is still arriving is read and discarded for a moment: closing
 * a socket with unread bytes resets the connection, and its client would lose the answer.
 */
function refuse(request: IncomingMessage, response: ServerResponse, status: RefusalStatus): void {
  const answer = () => {
    clearTimeout(timer);
    const [type, text] = answerTo(request, status);
    response.writeHead(status, { 'content-type': type, connection: 'close' });
    response.end(text);
  };
  const timer = setTimeout(answer, DISCARD_MS);
  request.push = (chunk: unknown) => {
    if (chunk === null) answer();
    return true;
  };
}
