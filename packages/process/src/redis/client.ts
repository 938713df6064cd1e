import { Cluster, type ClusterOptions, Command, Redis, type RedisOptions } from 'ioredis';
import type {
  HostAndPort,
  RedisAccess,
  RedisClusterAddress,
  RedisSentinelAddress,
} from './address.ts';
import { connectorFor, type Failures, withFailures } from './connector.ts';

export type RedisClient = Redis | Cluster;

const CONNECT_TIMEOUT_MS = 1000;

/** How long a cluster node may take to answer on a new connection, or to the sweep. */
const NODE_TIMEOUT_MS = 1000;

/**
 * A charge on a moving slot fails well within its budget: a timeout would look like a node that does
 * not answer.
 */
const REDIRECTIONS = { maxRedirections: 6, retryDelayOnTryAgain: 20 } as const;

/**
 * The driver neither queues nor resends commands nor reconnects: a charge that timed out must not
 * run later (rule charge-deadline).
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

/** Like the clients below, not connected yet. */
export function createServerClient(url: string, options: RedisOptions = {}): Redis {
  const { hostname, port } = new URL(url);
  // An IPv6 address without its brackets, as the driver itself reads it.
  const host = hostname.replace(/^\[|\]$/g, '');
  return connecting([{ host, port: Number(port || 6379) }], (connector) => {
    return new Redis(url, { ...ONE_SERVER, ...connector, ...options });
  });
}

/**
 * A client of one server of a cluster or of sentinels.
 *
 * @param configured the servers of `REDIS_URL`, whose names a server with an IP address may prove
 */
export const createNodeClient = (
  { host, port }: HostAndPort,
  access: RedisAccess,
  configured: readonly HostAndPort[],
  options: RedisOptions = {},
): Redis =>
  connecting(configured, (connector) => {
    return new Redis({
      ...ONE_SERVER,
      ...accessOptions(access),
      ...connector,
      host,
      port,
      ...options,
    });
  });

export const createPrimaryClient = (
  primary: HostAndPort,
  { database, access, sentinels }: RedisSentinelAddress,
  options: RedisOptions = {},
): Redis => createNodeClient(primary, access, sentinels, { db: database, ...options });

function connecting<Client extends RedisClient>(
  configured: readonly HostAndPort[],
  create: (connector: Pick<RedisOptions, 'Connector'>) => Client,
): Client {
  const failures: Failures = { last: null };
  return withFailures(create({ Connector: connectorFor(configured, failures) }), failures);
}

/**
 * A cluster has one connection per node, each as strict as that of a single server (rule
 * cluster-nodes): a new connection carries no command until its node has answered, and a closed one
 * is replaced by the next command that needs it. Only commands that no node has run are sent again:
 * after MOVED, ASK and TRYAGAIN.
 */
export function createClusterClient({ nodes, access }: RedisClusterAddress): Cluster {
  const cluster = connecting(
    nodes,
    (connector) => new Cluster([...nodes], clusterOptions(access, connector)),
  );
  // The slots of a range share one array, and the driver writes a MOVED reply for one slot into it.
  // A copy per slot keeps the other slots unchanged.
  cluster.on('refresh', () => {
    cluster.slots = cluster.slots.map((owners) => [...owners]);
  });
  return cluster;
}

const clusterOptions = (
  access: RedisAccess,
  connector: Pick<RedisOptions, 'Connector'>,
): ClusterOptions => ({
  lazyConnect: true,
  // A name stays a name until the connection is made: the certificate has to show it.
  dnsLookup: (name, callback) => callback(null, name),
  enableOfflineQueue: false,
  enableReadyCheck: false,
  clusterRetryStrategy: () => null,
  retryDelayOnFailover: 0,
  retryDelayOnClusterDown: 0,
  ...REDIRECTIONS,
  slotsRefreshTimeout: CONNECT_TIMEOUT_MS,
  // Reconnects to a node whose connection ended, even if no command needs it.
  slotsRefreshInterval: 2_000,
  redisOptions: {
    ...NOTHING_TWICE,
    ...accessOptions(access),
    ...connector,
    enableReadyCheck: true,
    socketTimeout: NODE_TIMEOUT_MS,
  },
});

export const accessOptions = ({ username, password, isTls }: RedisAccess): RedisOptions => ({
  ...(username !== null && { username }),
  ...(password !== null && { password }),
  ...(isTls && { tls: {} }),
});

/**
 * Ends the connection to the node that holds a key. Commands under way there fail at once; the next
 * command for that node opens a new connection.
 */
export function dropNodeOf(cluster: Cluster, key: string): void {
  const owner = ownerOf(cluster, key);
  const node = cluster.nodes().find((candidate) => addressOf(candidate) === owner);
  const isDropped = node?.stream?.writableEnded ?? false;
  if (!isDropped) node?.disconnect();
}

const ownerOf = (cluster: Cluster, key: string): string | undefined =>
  cluster.slots[new Command('get', [key]).getSlot()]?.[0];

/** A server that holds data: the one server, or a primary of a cluster. */
export interface DataServer {
  /** `host:port`, for the log. */
  address: string;
  /** @throws Error where the node of a cluster has no connection at the moment */
  connection(): Redis;
  /**
   * A hash tag, which is a number and so no project's, whose keys are on this server.
   *
   * @throws Error where its slots have moved to others since
   */
  hashTag(): string;
}

export function dataServersOf(client: RedisClient): DataServer[] {
  if (!(client instanceof Cluster)) {
    return [{ address: addressOf(client), connection: () => client, hashTag: () => '0' }];
  }
  const connected = new Map(client.nodes('master').map((node) => [addressOf(node), node]));
  const owners = new Set(client.slots.flatMap(([primary]) => primary ?? []));
  return [...owners].map((address) => ({
    address,
    connection() {
      const node = connected.get(address);
      if (!node) throw new Error('no connection');
      return node;
    },
    hashTag() {
      // Slots may have moved since; without one the search would have no end.
      if (!client.slots.some(([primary]) => primary === address)) throw new Error('no slot');
      let tag = 0;
      while (ownerOf(client, `{${tag}}`) !== address) tag += 1;
      return `${tag}`;
    },
  }));
}

const addressOf = ({ options }: Redis) => `${options.host}:${options.port}`;
