import {
  askSentinel,
  type NamedPrimary,
  newestPrimary,
  type RedisSentinelAddress,
} from '@ceiba/domain';
import { Redis } from 'ioredis';

/** How long one sentinel may take, connecting included. */
const ANSWER_WITHIN_MS = 300;
const RECONNECT_AFTER_MS = 500;

/** The sentinels of one primary, each over a permanent connection. */
export class Sentinels {
  readonly #name: string;
  readonly #clients: readonly Redis[];

  /** @param password - Of the sentinels themselves, if they require one. */
  constructor({ sentinels, primaryName, access }: RedisSentinelAddress, password?: string) {
    this.#name = primaryName;
    this.#clients = sentinels.map((place) => {
      const client = new Redis({
        ...place,
        ...(password !== undefined && { password }),
        ...(access.isTls && { tls: {} }),
        lazyConnect: true,
        connectTimeout: ANSWER_WITHIN_MS,
        commandTimeout: ANSWER_WITHIN_MS,
        socketTimeout: 2 * ANSWER_WITHIN_MS,
        maxRetriesPerRequest: 0,
        retryStrategy: () => RECONNECT_AFTER_MS,
        enableReadyCheck: false,
        disableClientInfo: true,
      });
      // Without a listener ioredis prints errors; they reach us as rejections.
      client.on('error', () => {});
      return client;
    });
  }

  /**
   * Asks all at once.
   *
   * @throws Error if no sentinel names a primary
   */
  async primary(): Promise<NamedPrimary> {
    const outcomes = await Promise.allSettled(
      this.#clients.map((client) => askSentinel(client.call.bind(client), this.#name)),
    );
    const newest = newestPrimary(
      outcomes.flatMap((it) => (it.status === 'fulfilled' ? [it.value] : [])),
    );
    if (newest) return newest;
    const failed = outcomes.find((it) => it.status === 'rejected');
    throw new Error('no sentinel names the primary', { cause: failed?.reason });
  }

  close(): void {
    for (const client of this.#clients) client.disconnect();
  }
}
