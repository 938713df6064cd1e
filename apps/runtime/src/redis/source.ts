import { parseRedisUrl, type RedisSentinelAddress } from '@ceiba/domain';
import {
  createClusterClient,
  createPrimaryClient,
  createServerClient,
  type RedisClient,
} from './client.ts';
import { type Primary, Sentinels } from './sentinels.ts';

export interface RedisSettings {
  /** As `parseRedisUrl` reads it. */
  url: string;
  cluster: boolean;
  /** Of the sentinels themselves, where they ask for one. */
  sentinelPassword?: string | undefined;
}

/** Makes clients, by what the address says. */
export interface ClientSource {
  /** A client that has not connected yet. @throws Error where no server can be named just now */
  create(): Promise<RedisClient>;
  /**
   * Whether another server has become the primary since this client, the latest, was made. Only
   * Sentinel can say; a cluster's nodes say it themselves. Never rejects.
   */
  isReplaced?(): Promise<boolean>;
  close(): void;
}

/** @throws Error where the address cannot be read */
export function createSource({ url, cluster, sentinelPassword }: RedisSettings): ClientSource {
  const address = parseRedisUrl(url, cluster);
  switch (address.kind) {
    case 'server':
      return { create: async () => createServerClient(address.url), close() {} };
    case 'cluster':
      return { create: async () => createClusterClient(address), close() {} };
    case 'sentinel':
      return new SentinelSource(address, sentinelPassword);
    case 'invalid':
      throw new Error(`the address of Redis ${address.reason}`);
  }
}

class SentinelSource implements ClientSource {
  readonly #address: RedisSentinelAddress;
  readonly #sentinels: Sentinels;
  #used: Primary | null = null;

  constructor(address: RedisSentinelAddress, password: string | undefined) {
    this.#address = address;
    this.#sentinels = new Sentinels(address, password);
  }

  async create(): Promise<RedisClient> {
    this.#used = await this.#sentinels.primary();
    return createPrimaryClient(this.#used, this.#address);
  }

  /** Sentinels that cannot be asked are no outage of Redis. */
  async isReplaced(): Promise<boolean> {
    const used = this.#used;
    const named = await this.#sentinels.primary().catch(() => null);
    if (used === null || named === null) return false;
    return named.epoch > used.epoch && (named.host !== used.host || named.port !== used.port);
  }

  close(): void {
    this.#sentinels.close();
  }
}
