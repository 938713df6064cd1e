import type {
  HostAndPort,
  RedisAccess,
  RedisClusterAddress,
  RedisSentinelAddress,
} from '@ceiba/domain';
import { Cluster, Command, Redis, type RedisOptions } from 'ioredis';

export type RedisClient = Redis | Cluster;

const CONNECT_TIMEOUT_MS = 1000;

/** How long a cluster node may leave a fresh connection, or the sweep, without any answer. */
const NODE_TIMEOUT_MS = 1000;

/**
 * A charge that meets a moving slot fails well within its budget: a timeout would look like a
 * silent node.
 */
const REDIRECTIONS = { maxRedirections: 6, retryDelayOnTryAgain: 20 } as const;

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

const ONE_SERVER = {
  ...NOTHING_TWICE,
  enableOfflineQueue: false,
  retryStrategy: null,
} as const satisfies RedisOptions;

/** Each of these has not connected yet. */
export const createServerClient = (url: string): Redis => new Redis(url, ONE_SERVER);

export function createPrimaryClient(
  { host, port }: HostAndPort,
  { database, access }: RedisSentinelAddress,
): Redis {
  return new Redis({ ...ONE_SERVER, ...accessOptions(access), host, port, db: database });
}

/**
 * A cluster has a connection for each node, and each is as strict as that of a single server
 * (consistency rule 30): a fresh one carries nothing until its node has answered, and one that
 * ends is replaced by the next command that needs it. What may be sent again is what no node has
 * run: MOVED, ASK and TRYAGAIN.
 */
export function createClusterClient({ nodes, access }: RedisClusterAddress): Cluster {
  const cluster = new Cluster([...nodes], {
    lazyConnect: true,
    enableOfflineQueue: false,
    enableReadyCheck: false,
    clusterRetryStrategy: () => null,
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    ...REDIRECTIONS,
    slotsRefreshTimeout: CONNECT_TIMEOUT_MS,
    // A node whose connection ended comes back by this, also where no command asks for it.
    slotsRefreshInterval: 2_000,
    redisOptions: {
      ...NOTHING_TWICE,
      ...accessOptions(access),
      enableReadyCheck: true,
      socketTimeout: NODE_TIMEOUT_MS,
    },
  });
  // All slots of a range share one array, and the driver writes the answer MOVED, which is about one
  // slot, into it. A slot of its own array keeps the others where they are.
  cluster.on('refresh', () => {
    cluster.slots = cluster.slots.map((owners) => [...owners]);
  });
  return cluster;
}

const accessOptions = ({ username, password, isTls }: RedisAccess): RedisOptions => ({
  ...(username !== null && { username }),
  ...(password !== null && { password }),
  ...(isTls && { tls: {} }),
});

/**
 * Ends the connection to the node that holds a key. What is under way there fails at once; the next
 * command that needs the node makes a fresh connection.
 */
export function dropNodeOf(cluster: Cluster, key: string): void {
  const owner = cluster.slots[new Command('get', [key]).getSlot()]?.[0];
  const node = cluster.nodes().find((candidate) => addressOf(candidate) === owner);
  const isDropped = node?.stream?.writableEnded ?? false;
  if (!isDropped) node?.disconnect();
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
