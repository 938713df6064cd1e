import type { Redis } from 'ioredis';
import type { RedisAccess, RedisSentinelAddress } from './address.ts';
import { askSentinel, type NamedPrimary, newestPrimary } from './ask-sentinel.ts';
import { createNodeClient } from './client.ts';
import { connectionError } from './connector.ts';

/** How long one sentinel may take, connecting included. */
const ANSWER_WITHIN_MS = 300;
const RECONNECT_AFTER_MS = 500;

/** Sentinels have a password of their own, and no user. */
export const sentinelAccess = ({ isTls }: RedisAccess, password?: string): RedisAccess => ({
  username: null,
  password: password ?? null,
  isTls,
});

/** The sentinels of one primary, each over a permanent connection. */
export class Sentinels {
  readonly #name: string;
  readonly #clients: readonly Redis[];

  /** @param password - Of the sentinels themselves, if they require one. */
  constructor({ sentinels, primaryName, access }: RedisSentinelAddress, password?: string) {
    this.#name = primaryName;
    this.#clients = sentinels.map((place) => {
      const client = createNodeClient(place, sentinelAccess(access, password), sentinels, {
        enableOfflineQueue: true,
        connectTimeout: ANSWER_WITHIN_MS,
        commandTimeout: ANSWER_WITHIN_MS,
        socketTimeout: 2 * ANSWER_WITHIN_MS,
        retryStrategy: () => RECONNECT_AFTER_MS,
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
      this.#clients.map((client) =>
        askSentinel(client.call.bind(client), this.#name).catch((error: unknown) => {
          throw connectionError(client, error);
        }),
      ),
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
