import { Cluster } from 'ioredis';
import { UnavailableError } from '../unavailable.ts';
import type { RedisClient } from './client.ts';

type Fail = (fault: unknown) => void;

/** Replies that say that this server cannot charge now, while another or a later one might. */
const WANTS_ANOTHER_CONNECTION = /^(READONLY|LOADING|MASTERDOWN|MISCONF|NOAUTH)\b/;

/**
 * One client, from the moment that it has proved itself until the first thing that goes wrong.
 * Then everything under way fails at once and the client is gone for good (consistency rule 14).
 */
export class Connection {
  readonly #client: RedisClient;
  readonly #onLost: (fault: unknown) => void;
  readonly #pending = new Set<Fail>();
  #lost: { fault: unknown } | null = null;

  constructor(client: RedisClient, onLost: (fault: unknown) => void) {
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
   * @throws UnavailableError on any fault; the command may have run all the same.
   */
  send<T>(budgetMs: number, run: (client: RedisClient) => Promise<T>): Promise<T> {
    if (this.#lost) return Promise.reject(unavailable(this.#lost.fault));
    return new Promise<T>((resolve, reject) => {
      const settle = () => {
        clearTimeout(timer);
        return this.#pending.delete(fail);
      };
      const fail: Fail = (fault) => {
        if (settle()) reject(unavailable(fault));
      };
      const expire = () => {
        if (this.#pending.has(fail)) this.#timedOut(fail, budgetMs);
      };
      // A reply that already lies in the socket is no timeout: a busy event loop reads it first.
      const timer = setTimeout(() => setImmediate(expire), budgetMs);
      this.#pending.add(fail);
      run(this.#client).then(
        (value) => {
          if (settle()) resolve(value);
        },
        (fault) => {
          fail(fault);
          if (isReply(fault, WANTS_ANOTHER_CONNECTION)) this.discard(fault);
        },
      );
    });
  }

  /** Fails everything under way and ends the client. */
  discard(fault: unknown): void {
    if (this.#lost) return;
    this.#lost = { fault };
    for (const fail of [...this.#pending]) fail(fault);
    this.#client.disconnect();
    this.#onLost(fault);
  }

  /** The first timeout ends the connection; of a cluster, only that of the node that is silent. */
  #timedOut(fail: Fail, budgetMs: number): void {
    const fault = new Error(`no reply within ${Math.round(budgetMs)} ms`);
    if (this.#client instanceof Cluster) fail(fault);
    else this.discard(fault);
  }
}

function isReply(fault: unknown, pattern: RegExp): boolean {
  return fault instanceof Error && pattern.test(fault.message);
}

export function unavailable(fault: unknown): UnavailableError {
  if (fault instanceof UnavailableError) return fault;
  const reason = fault instanceof Error ? fault.message : 'unknown fault';
  return new UnavailableError('redis', reason, { cause: fault });
}
