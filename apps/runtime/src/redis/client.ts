import { Cluster, Redis, type RedisOptions } from 'ioredis';

export type RedisClient = Redis | Cluster;

export interface RedisAddress {
  /** `redis://` or, with TLS, `rediss://`; for a cluster the address of any one node. */
  url: string;
  cluster: boolean;
}

const CONNECT_TIMEOUT_MS = 1000;

/** How long a cluster node may leave a command unanswered before its connection is dropped. */
const NODE_TIMEOUT_MS = 1000;

/**
 * Nothing is queued for later, sent twice or reconnected behind our back: a charge that was given
 * up must not run when Redis wakes (consistency rule 14).
 */
const NOTHING_TWICE = {
  lazyConnect: true,
  connectTimeout: CONNECT_TIMEOUT_MS,
  disconnectTimeout: 0,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  enableReadyCheck: false,
  disableClientInfo: true,
} as const satisfies RedisOptions;

/** A client that has not connected yet. */
export function createClient({ url, cluster }: RedisAddress): RedisClient {
  return cluster
    ? createCluster(new URL(url))
    : new Redis(url, { ...NOTHING_TWICE, enableOfflineQueue: false, retryStrategy: null });
}

/**
 * A cluster keeps a connection per node and drops the one that does not answer, so that a frozen
 * node costs the projects of the others nothing. What it may send again is what no node has run:
 * MOVED, ASK and TRYAGAIN.
 */
function createCluster(url: URL): Cluster {
  const node = { host: url.hostname, port: Number(url.port || 6379) };
  return new Cluster([node], {
    lazyConnect: true,
    enableOfflineQueue: false,
    clusterRetryStrategy: () => null,
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    slotsRefreshTimeout: CONNECT_TIMEOUT_MS,
    redisOptions: {
      ...NOTHING_TWICE,
      socketTimeout: NODE_TIMEOUT_MS,
      ...(url.username && { username: decodeURIComponent(url.username) }),
      ...(url.password && { password: decodeURIComponent(url.password) }),
      ...(url.protocol === 'rediss:' && { tls: {} }),
    },
  });
}

/**
 * The servers that hold the data: the one server, or every primary of a cluster.
 *
 * @throws Error where a primary of the cluster has no connection just now
 */
export function primariesOf(client: RedisClient): Redis[] {
  if (!(client instanceof Cluster)) return [client];
  const connected = new Map(client.nodes('master').map((node) => [addressOf(node), node]));
  const owners = new Set(client.slots.flatMap(([primary]) => primary ?? []));
  return [...owners].map((owner) => {
    const node = connected.get(owner);
    if (!node) throw new Error(`no connection to ${owner}`);
    return node;
  });
}

const addressOf = ({ options }: Redis) => `${options.host}:${options.port}`;
