import { setTimeout as pause } from 'node:timers/promises';
import { apiKeyCreateResultSchema } from '@ceiba/contract';
import { createTestDatabase } from '../../support/database.ts';
import { type PatroniCluster, startPatroniCluster } from '../../support/patroni.ts';
import { runtimeClient, type TestProject } from '../../support/scenario.ts';
import { startTestRedis } from '../../support/services.ts';
import { until } from '../../support/until.ts';
import { type Answer, type Caller, countOf, tally } from '../support/caller.ts';
import type { Random } from '../support/random.ts';
import { type Node, openStage, startTwoNodes } from '../support/stage.ts';
import { percentile } from '../support/statistics.ts';
import { hold } from '../support/violation.ts';

export interface PatroniFigures {
  failovers: number;
  switchovers: number;
  kills: number;
  /** Acknowledged revocations, and those among them during a failover; half are rotations at once. */
  revocations: number;
  revocationsDuring: number;
  /** Questions with revoked secrets that were sent after the acknowledgement. */
  questionsAfter: number;
  /** How long calls of a live key were not allowed, per failover. */
  outageP50Ms: number;
  outageMaxMs: number;
}

const KEYS_A_ROUND = 24;
const LOOPS = 6;
const ANSWERED_WITHIN_MS = 30_000;

/** A secret of a key, the time of its acknowledged end, and its answers. */
interface Watched {
  apiKeyId: string;
  keyPrefix: string;
  plaintext: string;
  revokedAtMs: number | null;
  answers: Answer[];
}

/**
 * Two Runtimes list a primary and its synchronous standby as hosts, while Patroni switches their
 * roles. Keys are revoked, or their secrets replaced at once, before, during and after each failover,
 * through either Runtime: no question that is sent after an acknowledgement is allowed, and calls of the
 * live key are allowed again.
 */
export async function provePatroni(failovers: number, random: Random): Promise<PatroniFigures> {
  const [cluster, redis] = await Promise.all([startPatroniCluster(), startTestRedis()]);
  const database = await createTestDatabase(await cluster.primaryUrl());
  const databaseUrl = cluster.urlOf(new URL(database.url).pathname.slice(1));
  const stage = openStage({ databaseUrl: database.url, redisUrl: redis.url });
  const nodes = await startTwoNodes(stage, { databaseUrl });
  const figures = { switchovers: 0, kills: 0, revocations: 0, revocationsDuring: 0 };
  const outages: number[] = [];
  let questionsAfter = 0;
  try {
    const project = await stage.world.createProject();
    for (let round = 0; round < failovers; round += 1) {
      // Each kind at least once.
      const isKill = round < 2 ? round === 1 : random.chance(0.5);
      const keys: Watched[] = [];
      while (keys.length < KEYS_A_ROUND) keys.push(await createKey(project, nodes));
      const failOver = isKill ? cluster.killPrimary : cluster.switchOver;
      const during = await oneFailover(cluster, project, nodes, keys, failOver);
      figures[isKill ? 'kills' : 'switchovers'] += 1;
      figures.revocationsDuring += during;
      for (const watched of keys) questionsAfter += holdsFrom(watched);
      figures.revocations += keys.filter(({ revokedAtMs }) => revokedAtMs !== null).length;
      outages.push(outageOf(keys));
    }
  } finally {
    await Promise.all(nodes.map((node) => node.stop()));
    await stage.close();
    await Promise.all([cluster.dispose(), redis.dispose()]);
  }
  return {
    failovers,
    ...figures,
    questionsAfter,
    outageP50Ms: Math.round(percentile(outages, 0.5)),
    outageMaxMs: Math.round(Math.max(0, ...outages)),
  };
}

/** @returns how many revocations were acknowledged during the failover */
async function oneFailover(
  cluster: PatroniCluster,
  project: TestProject,
  nodes: readonly [Node, Node],
  keys: readonly Watched[],
  failOver: () => Promise<void>,
): Promise<number> {
  await cluster.inSync();
  const load = askAboutAll(project, nodes, keys);
  const [live, ...others] = keys;
  const third = Math.floor(others.length / 3);
  try {
    await untilAllowed(live);
    for (const watched of others.slice(0, third)) await end(project, nodes, watched);
    let isOver = false;
    const failedOver = failOver().finally(() => {
      isOver = true;
    });
    let during = 0;
    for (const watched of others.slice(third, 2 * third)) {
      if (isOver) break;
      await end(project, nodes, watched);
      during += 1;
    }
    await failedOver;
    await untilAllowed(live);
    for (const watched of others.slice(2 * third)) await end(project, nodes, watched);
    // Wait for questions after the last acknowledgement.
    await untilAllowed(live);
    return during;
  } finally {
    await load.stop();
  }
}

/** Asks both Runtimes about the keys in rotation, almost without a pause. */
function askAboutAll(
  { projectId, secret }: TestProject,
  nodes: readonly Caller[],
  keys: readonly Watched[],
) {
  let stopped = false;
  let asked = 0;
  const loop = async (node: Caller) => {
    while (!stopped) {
      // Every other question is about the key that stays live.
      asked += 1;
      const watched = keys[asked % 2 === 0 ? 0 : ((asked - 1) / 2) % keys.length];
      if (watched === undefined) continue;
      const answer = await node.ask({ projectId, secret, apiKey: watched.plaintext });
      watched.answers.push(answer);
      await pause(2);
    }
  };
  const running = Promise.all(
    Array.from({ length: LOOPS }, (_, index) => loop(nodes[index % nodes.length] as Caller)),
  );
  return {
    async stop() {
      stopped = true;
      await running;
    },
  };
}

/** Waits until a question that is sent from now on is allowed. */
async function untilAllowed(watched: Watched | undefined): Promise<void> {
  const sinceMs = performance.now();
  const isAllowed = () =>
    watched?.answers.some(({ verdict, sentAtMs }) => verdict === 'allowed' && sentAtMs > sinceMs);
  await until('the live key is allowed', () => isAllowed() === true, ANSWERED_WITHIN_MS);
}

/** Creates a key through a Runtime, which finds the primary. */
async function createKey(project: TestProject, [{ url }]: readonly [Node, Node]): Promise<Watched> {
  const client = runtimeClient(url, project);
  let created: unknown;
  await until(
    'a key is created',
    async () => {
      const reply = await client.createKey('watched');
      created = reply.json;
      return reply.status === 200;
    },
    ANSWERED_WITHIN_MS,
  );
  const { apiKeyId, keyPrefix, plaintextKey } = apiKeyCreateResultSchema.parse(created);
  return { apiKeyId, keyPrefix, plaintext: plaintextKey, revokedAtMs: null, answers: [] };
}

/**
 * Revokes a key, or replaces its secret, through one Runtime and then the other until one acknowledges it. A 409 after an
 * attempt without an answer is not an acknowledgement.
 */
async function end(
  { projectId, secret }: TestProject,
  nodes: readonly Caller[],
  watched: Watched,
): Promise<void> {
  const { apiKeyId, keyPrefix } = watched;
  // Of the random ids half are odd.
  const [action, body] = /[13579bdf]$/.test(apiKeyId)
    ? ['revoke', {}]
    : ['rotate', { keyPrefix, overlapSeconds: 0 }];
  const path = `/rt/projects/${projectId}/api-keys/${apiKeyId}/${action}`;
  let tried = 0;
  let status: number | null | undefined;
  const isSettled = async () => {
    status = await nodes[tried++ % nodes.length]?.call('POST', path, secret, body);
    return status === 200 || status === 409;
  };
  await until(`${action} is acknowledged`, isSettled, ANSWERED_WITHIN_MS);
  if (status === 200) watched.revokedAtMs = performance.now();
}

/** @returns how many questions were sent after the acknowledgement */
function holdsFrom({ revokedAtMs, answers }: Watched): number {
  if (revokedAtMs === null) return 0;
  const after = answers.filter(({ sentAtMs }) => sentAtMs > revokedAtMs);
  hold('a change applies from the next decision on', countOf(after, 'allowed') === 0, () => {
    return `across a failover, questions after a revocation or rotation got ${tally(after)}`;
  });
  return after.length;
}

/** The longest time between two allows of the live key. */
function outageOf([live]: readonly Watched[]): number {
  const allowedAt = (live?.answers ?? [])
    .filter(({ verdict }) => verdict === 'allowed')
    .map(({ answeredAtMs }) => answeredAtMs);
  return Math.max(0, ...allowedAt.map((atMs, index) => atMs - (allowedAt[index - 1] ?? atMs)));
}
