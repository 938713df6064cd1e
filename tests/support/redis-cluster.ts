import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '@ceiba/devstack/ports';
import { Command } from 'ioredis';
import { type RedisServer, startRedisServer } from './redis.ts';
import { until } from './until.ts';

const SLOTS = 16_384;
/** How long a node is silent before the others mark it as failed and its replica takes over. */
const NODE_TIMEOUT_MS = 1500;
/** How long a slot stays in each state of its move, so that a load meets every state. */
const STEP_MS = 200;

/** A cluster for one test, with a replica per primary, into which the test injects faults. */
export interface RedisCluster {
  /** A `REDIS_URL` that lists some of the nodes. */
  readonly url: string;
  /** The owner of a key's slot, as seen by a majority of the running nodes. */
  ownerOf(key: string): Promise<RedisServer>;
  /** A primary that does not own the slot of the key. */
  nonOwnerOf(key: string): Promise<RedisServer>;
  /** Moves the slot of a key with its data, as `redis-cli --cluster reshard` does. */
  moveSlot(key: string, to: RedisServer): Promise<void>;
  /** Adds an empty primary. */
  addPrimary(): Promise<RedisServer>;
  /** Resolves once all nodes agree that every slot has a primary with a replica in sync. */
  isWhole(): Promise<void>;
  dispose(): Promise<void>;
}

export const slotOf = (key: string) => new Command('get', [key]).getSlot();

interface NodeRow {
  id: string;
  port: number;
  isPrimary: boolean;
  isFailed: boolean;
  primaryId: string;
  isConnected: boolean;
  slots: [from: number, to: number][];
}

/** A node's view of the cluster. @see https://redis.io/docs/latest/commands/cluster-nodes/ */
async function viewOf(server: RedisServer): Promise<NodeRow[]> {
  const text = String(await server.admin.cluster('NODES'));
  return text
    .trim()
    .split('\n')
    .map((line) => {
      const [id = '', address = '', flags = '', primaryId = '', , , , link, ...slots] =
        line.split(' ');
      return {
        id,
        port: Number(/:(\d+)/.exec(address)?.[1]),
        isPrimary: flags.includes('master'),
        isFailed: flags.includes('fail'),
        primaryId,
        isConnected: link === 'connected',
        slots: slots
          .filter((range) => /^\d/.test(range))
          .map((range) => {
            const [from = 0, to = from] = range.split('-').map(Number);
            return [from, to];
          }),
      };
    });
}

const owns = ({ isPrimary, slots }: NodeRow, slot: number) =>
  isPrimary && slots.some(([from, to]) => slot >= from && slot <= to);

async function startNode(): Promise<RedisServer> {
  return startRedisServer([
    ...['--appendonly', 'yes', '--cluster-enabled', 'yes'],
    ...['--cluster-port', `${await freePort()}`, '--cluster-announce-ip', '127.0.0.1'],
    ...['--cluster-node-timeout', `${NODE_TIMEOUT_MS}`],
    ...['--cluster-require-full-coverage', 'no', '--cluster-replica-validity-factor', '0'],
    ...['--cluster-migration-barrier', '5', '--enable-protected-configs', 'yes'],
  ]);
}

/** If one does not start, none is left running. */
async function startAll(count: number): Promise<RedisServer[]> {
  const starts = await Promise.allSettled(Array.from({ length: count }, startNode));
  const servers = starts.flatMap((start) => (start.status === 'fulfilled' ? start.value : []));
  const failure = starts.find((start) => start.status === 'rejected');
  if (!failure) return servers;
  await Promise.all(servers.map((server) => server.dispose()));
  throw failure.reason;
}

const idOf = async (server: RedisServer) => String(await server.admin.cluster('MYID'));

async function busPortOf(server: RedisServer): Promise<string> {
  const text = String(await server.admin.cluster('NODES'));
  return /@(\d+)[^\n]*myself/.exec(text)?.[1] ?? '';
}

async function meet(server: RedisServer, other: RedisServer): Promise<void> {
  await server.admin.call(
    ...(['CLUSTER', 'MEET', '127.0.0.1', `${other.port}`, await busPortOf(other)] as const),
  );
}

/** @param primaries the number of primaries; each gets a replica */
export async function startRedisCluster(primaries = 3): Promise<RedisCluster> {
  const servers = await startAll(2 * primaries);
  const [first] = servers;
  if (!first) throw new Error('a cluster needs at least one node');
  for (const [index, server] of servers.entries()) {
    await server.admin.call('CLUSTER', 'SET-CONFIG-EPOCH', `${index + 1}`);
    if (index >= primaries) continue;
    const from = Math.floor((index * SLOTS) / primaries);
    const to = Math.floor(((index + 1) * SLOTS) / primaries) - 1;
    await server.admin.call('CLUSTER', 'ADDSLOTSRANGE', `${from}`, `${to}`);
  }
  for (const server of servers.slice(1)) await meet(first, server);
  const allKnow = () =>
    until('each node knows every other', async () => {
      const views = await Promise.all(servers.map(viewOf));
      // On a busy machine a handshake can time out, and the node forgets it.
      const known = new Set(views[0]?.map(({ port }) => port));
      for (const server of servers) if (!known.has(server.port)) await meet(first, server);
      return views.every((view) => view.length === servers.length);
    });
  await allKnow();
  for (const [index, server] of servers.slice(primaries).entries()) {
    const primary = servers[index];
    if (primary) await server.admin.call('CLUSTER', 'REPLICATE', await idOf(primary));
  }

  const majorityOf = async (find: (view: NodeRow[]) => NodeRow | undefined) => {
    const views = await Promise.all(
      servers.map((server) =>
        Promise.race([
          viewOf(server),
          new Promise<never>((_, reject) => {
            setTimeout(() => reject(new Error('the node does not answer')), 300);
          }),
        ]).catch(() => null),
      ),
    );
    const found = views.flatMap((view) => (view === null ? [] : [find(view)?.port]));
    const server = servers.find(
      ({ port }) => found.filter((it) => it === port).length * 2 > servers.length,
    );
    if (!server) throw new Error('the nodes do not agree');
    return server;
  };
  const ownerOf = (key: string) => majorityOf((view) => view.find((row) => owns(row, slotOf(key))));

  const cluster: RedisCluster = {
    url: `redis://${servers.map(({ port }) => `127.0.0.1:${port}`).join(',')}`,
    ownerOf,
    nonOwnerOf: (key) =>
      majorityOf((view) =>
        view
          .sort((one, other) => one.port - other.port)
          .find((row) => row.isPrimary && !row.isFailed && !owns(row, slotOf(key))),
      ),
    async moveSlot(key, to) {
      const slot = `${slotOf(key)}`;
      const from = await ownerOf(key);
      const [fromId, toId] = [await idOf(from), await idOf(to)];
      await to.admin.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', fromId);
      await from.admin.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', toId);
      for (;;) {
        await pause(STEP_MS);
        const keys = await from.admin.call('CLUSTER', 'GETKEYSINSLOT', slot, '1');
        const [next] = Array.isArray(keys) ? keys.map(String) : [];
        if (next === undefined) break;
        await from.admin.call('MIGRATE', '127.0.0.1', `${to.port}`, next, '0', '5000');
      }
      await to.admin.call('CLUSTER', 'SETSLOT', slot, 'NODE', toId);
      await from.admin.call('CLUSTER', 'SETSLOT', slot, 'NODE', toId);
      await until('the others know', async () => (await ownerOf(key)) === to);
    },
    async addPrimary() {
      const server = await startNode();
      servers.push(server);
      await meet(first, server);
      await allKnow();
      await until('the cluster state is ok', async () =>
        /^cluster_state:ok/m.test(String(await server.admin.cluster('INFO'))),
      );
      return server;
    },
    isWhole: () =>
      until(
        'every slot has a primary, and every primary with slots a replica in sync',
        async () => {
          const views = await Promise.all(servers.map(viewOf));
          const isSound = views.every((view) => {
            const holders = view.filter((row) => row.isPrimary && row.slots.length > 0);
            const slots = holders.flatMap((row) => row.slots);
            const covered = slots.reduce((sum, [from, to]) => sum + to - from + 1, 0);
            const isReplicated = (id: string) => view.some((row) => row.primaryId === id);
            return (
              covered === SLOTS &&
              view.every((row) => !row.isFailed) &&
              holders.filter((row) => isReplicated(row.id)).length >= primaries
            );
          });
          if (!isSound) return false;
          const infos = await Promise.all(servers.map(({ admin }) => admin.info('replication')));
          return infos.every(
            (info) => /^role:master/m.test(info) || /^master_link_status:up/m.test(info),
          );
        },
        60_000,
      ),
    dispose: async () => void (await Promise.all(servers.map((server) => server.dispose()))),
  };
  await cluster.isWhole();
  return cluster;
}
