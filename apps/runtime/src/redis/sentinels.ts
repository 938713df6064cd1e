import type { HostAndPort, RedisSentinelAddress } from '@ceiba/domain';
import { Redis } from 'ioredis';

/** The primary that the sentinels name; each failover raises the epoch. */
export interface Primary extends HostAndPort {
  epoch: number;
}

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
   * Asks all at once. After a failover some still name the old primary, so the newest epoch counts.
   *
   * @throws Error if no sentinel names a primary
   */
  async primary(): Promise<Primary> {
    const outcomes = await Promise.allSettled(this.#clients.map((client) => this.#ask(client)));
    const answers = outcomes.flatMap((it) => (it.status === 'fulfilled' ? [it.value] : []));
    const [newest] = answers.sort((one, other) => other.epoch - one.epoch);
    if (newest) return newest;
    const failed = outcomes.find((it) => it.status === 'rejected');
    throw new Error('no sentinel names the primary', { cause: failed?.reason });
  }

  close(): void {
    for (const client of this.#clients) client.disconnect();
  }

  /** The epoch is read first: a failover in between makes it too low for the address, never too high. */
  async #ask(client: Redis): Promise<Primary> {
    const [facts, address] = await Promise.all([
      client.call('SENTINEL', 'MASTER', this.#name),
      client.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', this.#name),
    ]);
    const [host, port] = textsOf(address);
    const epoch = Number(textsOf(facts)[textsOf(facts).indexOf('config-epoch') + 1]);
    if (!host || !port || !Number.isInteger(epoch))
      throw new Error('the sentinel knows no primary');
    return { host, port: Number(port), epoch };
  }
}

const textsOf = (reply: unknown): string[] => (Array.isArray(reply) ? reply.map(String) : []);
