import {
  EPOCH_PROBLEMS,
  EPOCH_SAMPLES,
  EPOCH_SCRIPT,
  judgeEpochs,
  parseRedisUrl,
  type RedisAccess,
  type RedisClusterAddress,
  type RedisSentinelAddress,
  sampleEpochs,
} from '@ceiba/domain';
import { withPatience } from '@ceiba/schema';
import { Redis, type RedisOptions } from 'ioredis';
import { hostOf } from '../database.ts';
import type { Address } from '../env.ts';
import { type Check, error, ok, warning } from './check.ts';

const OLDEST_MAJOR = 7;
const CONNECT_TIMEOUT_MS = 2_000;

/** Checks Redis or Valkey: reachability, version, role, mode and durability. */
export async function checkRedis(
  address: Address,
  isCluster: boolean,
  sentinelPassword?: string,
): Promise<Check[]> {
  const redis = parseRedisUrl(address.url, isCluster);
  switch (redis.kind) {
    case 'invalid':
      return [error('redis', `REDIS_URL ${redis.reason}`, 'Fix the setting and run this again.')];
    case 'server':
      return checkServer(address);
    case 'cluster':
      return checkCluster(address, redis);
    case 'sentinel':
      return checkSentinel(address, redis, sentinelPassword);
  }
}

async function checkServer(address: Address): Promise<Check[]> {
  const connect = () => new Redis(address.url, ONE_ATTEMPT);
  const asked = await askFacts(connect());
  if ('reason' in asked) return [unreachable(address, asked.reason)];
  const epoch = isTrialServer(asked.facts) ? [] : [await checkEpoch(connect)];
  return [...checksOf(asked.facts, false), ...epoch];
}

/** Checks that all connections reach the same server, and that it reports its epoch. */
async function checkEpoch(connect: () => Redis): Promise<Check> {
  const name = 'redis epoch';
  const connections = Array.from({ length: EPOCH_SAMPLES.connections }, connect);
  try {
    for (const redis of connections) redis.on('error', () => {}); // errors also arrive as rejections
    const epochs = await withPatience(
      sampleEpochs(connections.map((redis) => () => redis.eval(EPOCH_SCRIPT, 0))),
    );
    const verdict = judgeEpochs(epochs);
    return verdict === 'steady'
      ? ok(name, `the same in ${epochs.length} answers over ${connections.length} connections`)
      : error(
          name,
          `the server ${EPOCH_PROBLEMS[verdict]}`,
          'Point REDIS_URL at one server that reports both, not at a proxy.',
        );
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    return error(name, `cannot be read: ${reason}`, 'Permit the user to run EVAL and INFO.');
  } finally {
    for (const redis of connections) redis.disconnect();
  }
}

/** A Runtime starts if one of the nodes answers, so the others are only a warning. */
async function checkCluster(
  address: Address,
  { nodes, access }: RedisClusterAddress,
): Promise<Check[]> {
  const asked = await Promise.all(
    nodes.map(async (node) => ({
      name: `${node.host}:${node.port}`,
      ...(await askFacts(new Redis({ ...ONE_ATTEMPT, ...accessOptions(access), ...node }))),
    })),
  );
  const answering = asked.filter((node) => 'facts' in node);
  const silent = asked.filter((node) => 'reason' in node);
  const [first] = answering;
  if (first === undefined) return [unreachable(address, silent[0]?.reason)];
  const names = silent.map(({ name }) => name);
  return [checkNodes(nodes.length, names), ...checksOf(first.facts, true)];
}

const checkNodes = (count: number, silent: readonly string[]): Check =>
  silent.length === 0
    ? ok('redis nodes', `each of the ${count} in REDIS_URL answers`)
    : warning(
        'redis nodes',
        `${silent.length} of ${count} cannot be used: ${silent.join(', ')}`,
        'Start them, or list others: a Runtime needs one of them to start.',
      );

/** A failover needs a majority of the sentinels, which two no longer have once one is lost. */
const FEWEST_SENTINELS = 3;

async function checkSentinel(
  address: Address,
  { sentinels, primaryName, database, access }: RedisSentinelAddress,
  password: string | undefined,
): Promise<Check[]> {
  const asked = await Promise.all(
    sentinels.map(async (place) => {
      const redis = new Redis({
        ...ONE_ATTEMPT,
        ...place,
        ...(password !== undefined && { password }),
        ...(access.isTls && { tls: {} }),
      });
      const answer = await ask(redis, () =>
        redis.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', primaryName),
      );
      return { name: `${place.host}:${place.port}`, ...answer };
    }),
  );
  const named = asked.flatMap((it) => {
    const [host, port] = 'reply' in it && Array.isArray(it.reply) ? it.reply.map(String) : [];
    return host !== undefined && port !== undefined ? [{ host, port: Number(port) }] : [];
  });
  const [primary] = named;
  if (primary === undefined) {
    const failed = asked.find((it) => 'reason' in it);
    const reason = failed?.reason ?? new Error(`no sentinel knows ${primaryName}`);
    return [unreachable(address, reason)];
  }
  const options = { ...ONE_ATTEMPT, ...accessOptions(access), ...primary, db: database };
  const primaryPlace = `${primary.host}:${primary.port}`;
  const connect = () => new Redis(options);
  const info = await askFacts(connect());
  if ('reason' in info) {
    return [unreachable({ ...address, url: `redis://${primaryPlace}` }, info.reason)];
  }
  const agreeing = named.filter((it) => `${it.host}:${it.port}` === primaryPlace).length;
  return [
    agreeing === sentinels.length && agreeing >= FEWEST_SENTINELS
      ? ok('redis sentinels', `each of ${agreeing} names ${primaryPlace}`)
      : warning(
          'redis sentinels',
          `${agreeing} of ${sentinels.length} name ${primaryPlace}`,
          `Run at least ${FEWEST_SENTINELS} sentinels, list them all, and find out why the others differ.`,
        ),
    checkReplicas(info.facts),
    ...checksOf(info.facts, false),
    await checkEpoch(connect),
  ];
}

/** INFO has this line only if `min-replicas-to-write` is set. */
const checkReplicas = (facts: Facts): Check =>
  facts.has('min_slaves_good_slaves')
    ? ok('redis min-replicas-to-write', 'set')
    : warning(
        'redis min-replicas-to-write',
        'not set: a primary that loses its replicas and sentinels continues to count',
        'Set min-replicas-to-write 1 and min-replicas-max-lag 10 on every server.',
      );

const accessOptions = ({ username, password, isTls }: RedisAccess): RedisOptions => ({
  ...(username !== null && { username }),
  ...(password !== null && { password }),
  ...(isTls && { tls: {} }),
});

const ONE_ATTEMPT = {
  lazyConnect: true,
  connectTimeout: CONNECT_TIMEOUT_MS,
  retryStrategy: null,
  maxRetriesPerRequest: 0,
  enableReadyCheck: false,
  disableClientInfo: true,
} as const satisfies RedisOptions;

/** Reads what the server reports about itself, or the reason why it cannot be used. */
async function askFacts(redis: Redis): Promise<{ facts: Facts } | { reason: unknown }> {
  const answer = await ask(redis, () => sectionsOf(redis));
  return 'reply' in answer ? { facts: factsOf(answer.reply) } : answer;
}

/** Runs the command, then closes the connection. */
async function ask<T>(
  redis: Redis,
  command: () => Promise<T>,
): Promise<{ reply: T } | { reason: unknown }> {
  // The reason for a failed connection arrives as an event; the rejection says only that it closed.
  let reason: Error | undefined;
  redis.on('error', (error: Error) => {
    reason = error;
  });
  try {
    return { reply: await withPatience(command()) };
  } catch (error) {
    return { reason: reason ?? error };
  } finally {
    redis.disconnect();
  }
}

/** Reads one section per command: some managed servers allow only one, and refuse some sections. */
async function sectionsOf(redis: Redis): Promise<string> {
  const server = await redis.info('server');
  const others = ['replication', 'persistence', 'memory'].map((section) =>
    redis.info(section).catch((error: Error) => {
      if (error.name === 'ReplyError') return ''; // the server refuses this section
      throw error;
    }),
  );
  return [server, ...(await Promise.all(others))].join('\r\n');
}

function unreachable({ url, source }: Address, cause: unknown): Check {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return error(
    'redis',
    `Redis at ${hostOf(url)} cannot be used: ${reason} (address from ${source}).`,
    'Fix the connection; then Redis can be checked.',
  );
}

/** Parses the lines `name:value` of INFO. @see https://redis.io/docs/latest/commands/info/ */
function factsOf(info: string): ReadonlyMap<string, string> {
  return new Map(
    info
      .split(/\r?\n/)
      .filter((line) => !line.startsWith('#') && line.includes(':'))
      .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]),
  );
}

type Facts = ReadonlyMap<string, string>;

function checksOf(facts: Facts, isCluster: boolean): Check[] {
  if (isTrialServer(facts)) return [checkVersion(facts), TRIAL_SERVER];
  return [
    checkVersion(facts),
    ...(isCluster ? [] : [checkRole(facts)]),
    checkMode(facts, isCluster),
    checkPersistence(facts),
    checkEviction(facts),
  ];
}

/** The server written in JavaScript, which `npm start` uses when no Redis is installed. */
const isTrialServer = (facts: Facts) => facts.get('os') === 'mocked redis';

const TRIAL_SERVER = warning(
  'redis persistence',
  'the JavaScript server that npm start uses when no Redis is installed: it stores nothing on disk',
  'Fine for a trial. In production, set REDIS_URL to Redis or Valkey 7 or newer.',
);

function checkVersion(facts: Facts): Check {
  const valkey = facts.get('valkey_version');
  const version = valkey ?? facts.get('redis_version') ?? '0';
  const name = `${valkey === undefined ? 'Redis' : 'Valkey'} ${version}`;
  return Number.parseInt(version, 10) >= OLDEST_MAJOR
    ? ok('redis version', name)
    : error('redis version', name, 'Upgrade to Redis or Valkey 7 or newer.');
}

const checkRole = (facts: Facts) =>
  facts.get('role') === 'master'
    ? ok('redis role', 'primary')
    : error('redis role', 'a replica, which cannot charge', 'Point REDIS_URL at the primary.');

function checkMode(facts: Facts, isCluster: boolean): Check {
  const serverIsCluster = facts.get('redis_mode') === 'cluster';
  const mode = serverIsCluster ? 'a node of a cluster' : 'a single server';
  if (serverIsCluster === isCluster) return ok('redis mode', mode);
  return error(
    'redis mode',
    `${mode}, but REDIS_CLUSTER is ${isCluster ? 'true' : 'not set'}`,
    `Set REDIS_CLUSTER=${serverIsCluster}, for the Runtime too.`,
  );
}

function checkPersistence(facts: Facts): Check {
  const name = 'redis persistence';
  const isEnabled = facts.get('aof_enabled');
  if (isEnabled === '1') return ok(name, 'append-only file');
  const remedy = `Run CONFIG SET appendonly yes, and set it in redis.conf${OR_AT_PROVIDER}.`;
  return isEnabled === undefined
    ? warning(name, 'the server does not report whether it has an append-only file', remedy)
    : error(
        name,
        'no append-only file: a restart loses the counts of this minute and unflushed usage',
        remedy,
      );
}

function checkEviction(facts: Facts): Check {
  const name = 'redis maxmemory-policy';
  const policy = facts.get('maxmemory_policy');
  if (policy === 'noeviction') return ok(name, policy);
  const remedy = `Run CONFIG SET maxmemory-policy noeviction, and set it in redis.conf${OR_AT_PROVIDER}.`;
  return policy === undefined
    ? warning(name, 'the server does not report what it does when it is full', remedy)
    : error(name, `${policy}: a full server evicts counters`, remedy);
}

/** Managed servers often refuse CONFIG. */
const OR_AT_PROVIDER = "; for a managed server, use the provider's settings";
