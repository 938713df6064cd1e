import {
  askSentinel,
  connectionError,
  createClusterClient,
  createNodeClient,
  createPrimaryClient,
  createServerClient,
  type DataServer,
  dataServersOf,
  EPOCH_PROBLEMS,
  EPOCH_SAMPLES,
  EPOCH_SCRIPT,
  type HostAndPort,
  judgeEpochs,
  newestPrimary,
  parseRedisUrl,
  type RedisClient,
  type RedisClusterAddress,
  type RedisSentinelAddress,
  rehearseCharge,
  sampleEpochs,
  sentinelAccess,
  whatToChangeInRedis,
} from '@ceiba/process/redis';
import { withPatience } from '@ceiba/schema';
import type { Redis } from 'ioredis';
import { hostOf } from '../database.ts';
import type { Address } from '../env.ts';
import { type Check, error, ok, warning } from './check.ts';
import { checkInfo, checkReplicas, type Info, infoOf, isTrialServer } from './redis-info.ts';

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
  const connect = () => createServerClient(address.url, PATIENT);
  const asked = await askInfo(connect());
  if ('reason' in asked) return [unreachable(address, asked.reason)];
  const epoch = isTrialServer(asked.info) ? [] : [await checkEpoch(connect)];
  return [...checkInfo(asked.info, false), ...epoch, await checkCharge(connect())];
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
    const state = judgeEpochs(epochs);
    return state === 'steady'
      ? ok(name, `the same in ${epochs.length} answers over ${connections.length} connections`)
      : error(
          name,
          `the server ${EPOCH_PROBLEMS[state]}`,
          'Point REDIS_URL at one server that reports both, not at a proxy.',
        );
  } catch (cause) {
    return error(
      name,
      `cannot be read: ${reasonOf(cause)}`,
      'Permit the user to run EVAL and INFO.',
    );
  } finally {
    for (const redis of connections) redis.disconnect();
  }
}

/** Runs what a charge runs on each server, with one small write, and closes the connection. */
async function checkCharge(client: RedisClient): Promise<Check> {
  const name = 'redis charge';
  client.on('error', () => {}); // errors also arrive as rejections
  try {
    await withPatience(
      client.connect().then(() => Promise.all(serversOf(client).map(rehearseCharge))),
    );
    return ok(name, 'every command of one works');
  } catch (cause) {
    const remedy = 'Fix this first: every decision is answered 503 until then.';
    return error(name, `fails: ${whatToChangeInRedis(cause) ?? reasonOf(cause)}`, remedy);
  } finally {
    client.disconnect();
  }
}

/** @throws Error where no server of a cluster has a slot */
function serversOf(client: RedisClient): DataServer[] {
  const servers = dataServersOf(client);
  if (servers.length === 0) throw new Error('the cluster announces none that serves a slot');
  return servers;
}

/** A Runtime starts if one of the nodes answers, so the others are only a warning. */
async function checkCluster(
  address: Address,
  { nodes, access }: RedisClusterAddress,
): Promise<Check[]> {
  const asked = await Promise.all(
    nodes.map(async (node) => ({
      name: placeOf(node),
      ...(await askInfo(createNodeClient(node, access, nodes, PATIENT))),
    })),
  );
  const answering = asked.filter((node) => 'info' in node);
  const silent = asked.filter((node) => 'reason' in node);
  const [first] = answering;
  if (first === undefined) return [unreachable(address, silent[0]?.reason)];
  const names = silent.map(({ name }) => name);
  return [
    checkNodes(nodes.length, names),
    await checkPrimaries({ kind: 'cluster', nodes, access }),
    await checkCharge(createClusterClient({ kind: 'cluster', nodes, access })),
    ...checkInfo(first.info, true),
  ];
}

/** Connects as a Runtime does: to each primary that the cluster announces. */
async function checkPrimaries(redis: RedisClusterAddress): Promise<Check> {
  const name = 'redis primaries';
  const cluster = createClusterClient(redis);
  cluster.on('error', () => {}); // errors also arrive as rejections
  try {
    await withPatience(cluster.connect());
    const servers = serversOf(cluster);
    await withPatience(Promise.all(servers.map(async ({ connection }) => connection().ping())));
    return ok(name, `each of the ${servers.length} that the cluster announces answers`);
  } catch (cause) {
    const reason = reasonOf(connectionError(cluster, cause));
    return error(
      name,
      `cannot be used: ${reason}`,
      'Check what the nodes announce, and their certificates.',
    );
  } finally {
    cluster.disconnect();
  }
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
const SENTINELS_MIN = 3;

async function checkSentinel(
  address: Address,
  redis: RedisSentinelAddress,
  password: string | undefined,
): Promise<Check[]> {
  const { primaryName } = redis;
  const asked = await askSentinels(redis, password);
  const named = asked.flatMap((it) => ('reply' in it ? [it.reply] : []));
  const primary = newestPrimary(named);
  if (primary === undefined) {
    const reasons = asked.flatMap((it) => ('reason' in it ? [it.reason] : []));
    const failure = reasons.find((reason) => !isUnknownName(reason));
    return [unreachable(address, failure ?? new Error(`no sentinel knows ${primaryName}`))];
  }
  const place = placeOf(primary);
  const connect = () => createPrimaryClient(primary, redis, PATIENT);
  const answer = await askInfo(connect());
  if ('reason' in answer) {
    return [unreachable({ ...address, url: `redis://${place}` }, answer.reason)];
  }
  const agreeing = named.filter((it) => placeOf(it) === place).length;
  return [
    checkAgreement(place, agreeing, asked.length),
    checkReplicas(answer.info),
    ...checkInfo(answer.info, false),
    await checkEpoch(connect),
    await checkCharge(connect()),
  ];
}

const askSentinels = (
  { sentinels, primaryName, access }: RedisSentinelAddress,
  password: string | undefined,
) =>
  Promise.all(
    sentinels.map((place) => {
      const sentinel = createNodeClient(
        place,
        sentinelAccess(access, password),
        sentinels,
        PATIENT,
      );
      return ask(sentinel, () => askSentinel(sentinel.call.bind(sentinel), primaryName));
    }),
  );

const isUnknownName = (reason: unknown) =>
  reason instanceof Error && reason.message.startsWith('ERR No such master');

const placeOf = ({ host, port }: HostAndPort) => `${host}:${port}`;

const checkAgreement = (place: string, agreeing: number, count: number): Check =>
  agreeing === count && agreeing >= SENTINELS_MIN
    ? ok('redis sentinels', `each of ${agreeing} names ${place}`)
    : warning(
        'redis sentinels',
        `${agreeing} of ${count} name ${place}`,
        `Run at least ${SENTINELS_MIN} sentinels, list them all, and find out why the others differ.`,
      );

/** The Runtime's clients, with more time, and a command waits for the connection. */
const PATIENT = { connectTimeout: CONNECT_TIMEOUT_MS, enableOfflineQueue: true };

/** Reads what the server reports about itself, or the reason why it cannot be used. */
async function askInfo(redis: Redis): Promise<{ info: Info } | { reason: unknown }> {
  const answer = await ask(redis, () => sectionsOf(redis));
  return 'reply' in answer ? { info: infoOf(answer.reply) } : answer;
}

/** Runs the command, then closes the connection. */
async function ask<T>(
  redis: Redis,
  command: () => Promise<T>,
): Promise<{ reply: T } | { reason: unknown }> {
  redis.on('error', () => {}); // errors also arrive as rejections
  try {
    return { reply: await withPatience(command()) };
  } catch (error) {
    return { reason: connectionError(redis, error) };
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

const reasonOf = (cause: unknown) => (cause instanceof Error ? cause.message : String(cause));

function unreachable({ url, source }: Address, cause: unknown): Check {
  return error(
    'redis',
    `Redis at ${hostOf(url)} cannot be used: ${reasonOf(cause)} (address from ${source}).`,
    'Fix the connection; then Redis can be checked.',
  );
}
