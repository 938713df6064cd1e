import { EventEmitter } from 'node:events';

interface App {
  fetch(request: { url: string; method: string }, bindings: object): Promise<Reply>;
}

type Reply = Pick<Response, 'status' | 'text'>;

/** A body that is complete at once. */
class Incoming extends EventEmitter {
  readonly complete = true;
  readonly socket = { remoteAddress: '127.0.0.1' };
  readonly headers: Record<string, string>;
  readonly #body: Buffer;

  constructor(headers: Record<string, string>, body: string) {
    super();
    this.headers = headers;
    this.#body = Buffer.from(body);
  }

  override once(event: string, listener: (...given: unknown[]) => void): this {
    if (event === 'end') {
      queueMicrotask(() => {
        this.emit('data', this.#body);
        this.emit('end');
      });
    }
    return super.once(event, listener);
  }
}

/** Replaces the HTTP server: the app, and the calls that it has not answered. */
export class SimulatedServer {
  readonly #app: App;
  #open = 0;
  #onDrained: (() => void) | null = null;

  constructor(app: App) {
    this.#app = app;
  }

  async post(path: string, headers: Record<string, string>, body: string): Promise<Reply> {
    this.#open += 1;
    try {
      const request = { url: `http://runtime${path}`, method: 'POST' };
      return await this.#app.fetch(request, { incoming: new Incoming(headers, body) });
    } finally {
      this.#open -= 1;
      if (this.#open === 0) this.#onDrained?.();
    }
  }

  /** Resolves when every call is answered. */
  drained(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#open === 0) resolve();
      else this.#onDrained = resolve;
    });
  }
}

export const createHttpServer = (app: App) => new SimulatedServer(app);
export const createDrain = (server: SimulatedServer) => () => server.drained();
