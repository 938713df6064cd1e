import { parseRedisUrl, type RedisSentinelAddress } from './address.ts';
import type { NamedPrimary } from './ask-sentinel.ts';
import {
  createClusterClient,
  createPrimaryClient,
  createServerClient,
  type RedisClient,
} from './client.ts';
import { Sentinels } from './sentinels.ts';

export interface RedisSettings {
  /** In a form that `parseRedisUrl` accepts. */
  url: string;
  cluster: boolean;
  /** The password of the sentinels themselves, if they require one. */
  sentinelPassword?: string | undefined;
}

/** Makes clients for the kind of server that the address names. */
export interface ClientSource {
  /** A client that has not connected yet. @throws Error if the sentinels name no primary */
  create(): Promise<RedisClient>;
  /**
   * Whether another server has become the primary since the last client was made. Only for Sentinel,
   * because the nodes of a cluster redirect commands. Never rejects.
   */
  isReplaced?(): Promise<boolean>;
  close(): void;
}

/** @throws Error if the address is not valid */
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
  #used: NamedPrimary | null = null;

  constructor(address: RedisSentinelAddress, password: string | undefined) {
    this.#address = address;
    this.#sentinels = new Sentinels(address, password);
  }

  async create(): Promise<RedisClient> {
    this.#used = await this.#sentinels.primary();
    return createPrimaryClient(this.#used, this.#address);
  }

  /** False if no sentinel answers: that is not an outage of Redis. */
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
