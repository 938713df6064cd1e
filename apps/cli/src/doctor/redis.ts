import {
  askSentinel,
  EPOCH_PROBLEMS,
  EPOCH_SAMPLES,
  EPOCH_SCRIPT,
  type HostAndPort,
  judgeEpochs,
  newestPrimary,
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
import { checkFacts, checkReplicas, type Facts, factsOf, isTrialServer } from './redis-facts.ts';

const CONNECT_TIMEOUT_MS = 10_000;

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
  return [...checkFacts(asked.facts, false), ...epoch];
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
      name: placeOf(node),
      ...(await askFacts(new Redis({ ...ONE_ATTEMPT, ...accessOptions(access), ...node }))),
    })),
  );
  const answering = asked.filter((node) => 'facts' in node);
  const silent = asked.filter((node) => 'reason' in node);
  const [first] = answering;
  if (first === undefined) return [unreachable(address, silent[0]?.reason)];
  const names = silent.map(({ name }) => name);
  return [checkNodes(nodes.length, names), ...checkFacts(first.facts, true)];
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
  redis: RedisSentinelAddress,
  password: string | undefined,
): Promise<Check[]> {
  const { primaryName, database, access } = redis;
  const asked = await askSentinels(redis, password);
  const named = asked.flatMap((it) => ('reply' in it ? [it.reply] : []));
  const primary = newestPrimary(named);
  if (primary === undefined) {
    const reasons = asked.flatMap((it) => ('reason' in it ? [it.reason] : []));
    const failure = reasons.find((reason) => !isUnknownName(reason));
    return [unreachable(address, failure ?? new Error(`no sentinel knows ${primaryName}`))];
  }
  const place = placeOf(primary);
  const { host, port } = primary;
  const options = { ...ONE_ATTEMPT, ...accessOptions(access), host, port, db: database };
  const connect = () => new Redis(options);
  const info = await askFacts(connect());
  if ('reason' in info) return [unreachable({ ...address, url: `redis://${place}` }, info.reason)];
  const agreeing = named.filter((it) => placeOf(it) === place).length;
  return [
    checkAgreement(place, agreeing, asked.length),
    checkReplicas(info.facts),
    ...checkFacts(info.facts, false),
    await checkEpoch(connect),
  ];
}

const askSentinels = (
  { sentinels, primaryName, access }: RedisSentinelAddress,
  password: string | undefined,
) =>
  Promise.all(
    sentinels.map((place) => {
      const sentinel = new Redis({
        ...ONE_ATTEMPT,
        ...place,
        ...(password !== undefined && { password }),
        ...(access.isTls && { tls: {} }),
      });
      return ask(sentinel, () => askSentinel(sentinel.call.bind(sentinel), primaryName));
    }),
  );

const isUnknownName = (reason: unknown) =>
  reason instanceof Error && reason.message.startsWith('ERR No such master');

const placeOf = ({ host, port }: HostAndPort) => `${host}:${port}`;

const checkAgreement = (place: string, agreeing: number, count: number): Check =>
  agreeing === count && agreeing >= FEWEST_SENTINELS
    ? ok('redis sentinels', `each of ${agreeing} names ${place}`)
    : warning(
        'redis sentinels',
        `${agreeing} of ${count} name ${place}`,
        `Run at least ${FEWEST_SENTINELS} sentinels, list them all, and find out why the others differ.`,
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
