import { Cluster } from 'ioredis';
import { UnavailableError } from '../unavailable.ts';
import { dropNodeOf, type RedisClient } from './client.ts';

type Fail = (error: unknown) => void;

/** Replies that say that this server cannot charge now, while another or a later one might. */
const WANTS_ANOTHER_CONNECTION = /^(READONLY|LOADING|MASTERDOWN|MISCONF|NOAUTH)\b/;

/**
 * One client, from the moment that it has proved itself until the first thing that goes wrong.
 * Then everything under way fails at once and the client is gone for good (consistency rule 14).
 * The client of a cluster stays: there the connection to the one node ends (rule 30).
 */
export class Connection {
  readonly #client: RedisClient;
  readonly #onLost: (error: unknown) => void;
  readonly #pending = new Set<Fail>();
  #lost: { error: unknown } | null = null;

  constructor(client: RedisClient, onLost: (error: unknown) => void) {
    this.#client = client;
    this.#onLost = onLost;
    client.once('close', () => this.discard(new Error('the connection was closed')));
    if (client.status !== 'ready') this.discard(new Error('the connection was closed'));
  }

  get isLost(): boolean {
    return this.#lost !== null;
  }

  /**
   * @param budgetMs - How long to wait for the reply.
   * @param key - Lies on the node that is asked, whose connection the first timeout ends. Without
   *   it a timeout fails its command alone where the client is that of a cluster.
   * @throws UnavailableError on any error; the command may have run all the same.
   */
  send<T>(budgetMs: number, run: (client: RedisClient) => Promise<T>, key?: string): Promise<T> {
    if (this.#lost) return Promise.reject(unavailable(this.#lost.error));
    return new Promise<T>((resolve, reject) => {
      const settle = () => {
        clearTimeout(timer);
        return this.#pending.delete(fail);
      };
      const fail: Fail = (error) => {
        if (settle()) reject(unavailable(error));
      };
      const expire = () => {
        if (this.#pending.has(fail)) this.#timedOut(fail, budgetMs, key);
      };
      // A reply that already lies in the socket is no timeout: a busy event loop reads it first.
      const timer = setTimeout(() => setImmediate(expire), budgetMs);
      this.#pending.add(fail);
      run(this.#client).then(
        (value) => {
          if (settle()) resolve(value);
        },
        (error) => {
          fail(error);
          if (this.#wantsAnother(error)) this.discard(error);
        },
      );
    });
  }

  /** Fails everything under way and ends the client. */
  discard(error: unknown): void {
    if (this.#lost) return;
    this.#lost = { error };
    for (const fail of [...this.#pending]) fail(error);
    this.#client.disconnect();
    this.#onLost(error);
  }

  /** A cluster's node costs its own projects alone, and answers for itself whenever it can again. */
  #wantsAnother(error: unknown): boolean {
    return !(this.#client instanceof Cluster) && isReply(error, WANTS_ANOTHER_CONNECTION);
  }

  #timedOut(fail: Fail, budgetMs: number, key: string | undefined): void {
    const error = new Error(`no reply within ${Math.round(budgetMs)} ms`);
    if (this.#client instanceof Cluster) {
      fail(error);
      if (key !== undefined) dropNodeOf(this.#client, key);
    } else {
      this.discard(error);
    }
  }
}

function isReply(error: unknown, pattern: RegExp): boolean {
  return error instanceof Error && pattern.test(error.message);
}

export function unavailable(error: unknown): UnavailableError {
  if (error instanceof UnavailableError) return error;
  const reason = error instanceof Error ? error.message : 'unknown error';
  return new UnavailableError('redis', reason, { cause: error });
}
