import { dropNodeOf, type RedisClient } from '@ceiba/process/redis';
import { Cluster } from 'ioredis';
import { UnavailableError } from '../unavailable.ts';

type Fail = (error: unknown) => void;

/** Redis did not reply in time; the command may still run. */
export class NoReplyError extends Error {
  override readonly name = 'NoReplyError';
}

/** Replies of a server that cannot charge now, while another one, or the same one later, might. */
const WANTS_ANOTHER_CONNECTION = /^(READONLY|LOADING|MASTERDOWN|MISCONF|NOAUTH)\b/;

/**
 * One connected client, until its first error. Then all commands under way fail at once and the
 * client is never used again (rule charge-deadline). The client of a cluster stays in use: only the
 * connection to the failing node ends (rule cluster-nodes).
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
   * @param key - A key of the command: in a cluster, a timeout ends the connection to the key's node.
   *   Without it, a timeout in a cluster only fails the command.
   * @throws UnavailableError on any error; the command may still have run.
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
      // A busy event loop first reads replies that have already arrived.
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

  /** In a cluster only the projects of that node fail, until it can serve them again. */
  #wantsAnother(error: unknown): boolean {
    return !(this.#client instanceof Cluster) && isReply(error, WANTS_ANOTHER_CONNECTION);
  }

  #timedOut(fail: Fail, budgetMs: number, key: string | undefined): void {
    const error = new NoReplyError(`no reply within ${Math.round(budgetMs)} ms`);
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
