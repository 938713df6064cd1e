import { setTimeout as pause } from 'node:timers/promises';
import { apiKeyCreateResultSchema } from '@ceiba/contract';
import { createTestDatabase } from '../../support/database.ts';
import { type PatroniCluster, startPatroniCluster } from '../../support/patroni.ts';
import { until } from '../../support/redis.ts';
import { runtimeClient, type TestProject } from '../../support/scenario.ts';
import { startTestRedis } from '../../support/services.ts';
import { type Answer, type Caller, countOf, tally } from '../support/caller.ts';
import type { Random } from '../support/random.ts';
import { type Node, openStage, startTwoNodes } from '../support/stage.ts';
import { percentile } from '../support/statistics.ts';
import { hold } from '../support/violation.ts';

export interface PatroniFigures {
  failovers: number;
  switchovers: number;
  kills: number;
  /** Revocations that were acknowledged, and of these the ones from a failover's begin to its end. */
  revocations: number;
  revocationsDuring: number;
  /** Questions about revoked keys that were sent after the acknowledgement. */
  questionsAfter: number;
  /** How long a key that stays live was not admitted, a failover each. */
  outageP50Ms: number;
  outageMaxMs: number;
}

const KEYS_A_ROUND = 24;
const LOOPS = 6;
const ANSWERED_WITHIN_MS = 30_000;

/** A key, and when its revocation was acknowledged. */
interface Watched {
  apiKeyId: string;
  plaintext: string;
  revokedAtMs: number | null;
  answers: Answer[];
}

/**
 * Two Runtimes ask a primary and its synchronous standby by a list of hosts, while Patroni changes
 * their roles. Keys are revoked before, during and after each failover, through either Runtime: no
 * question that is sent after an acknowledgement is admitted, and what stays live is admitted again.
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
      // Each of them at least once.
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
    await untilAdmitted(live);
    for (const watched of others.slice(0, third)) await revoke(project, nodes, watched);
    let isOver = false;
    const failedOver = failOver().finally(() => {
      isOver = true;
    });
    let during = 0;
    for (const watched of others.slice(third, 2 * third)) {
      if (isOver) break;
      await revoke(project, nodes, watched);
      during += 1;
    }
    await failedOver;
    await untilAdmitted(live);
    for (const watched of others.slice(2 * third)) await revoke(project, nodes, watched);
    // Some questions more, after the last acknowledgement.
    await untilAdmitted(live);
    return during;
  } finally {
    await load.stop();
  }
}

/** Asks both Runtimes about one key after the other, without a pause that is longer than a turn. */
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

/** Until it is admitted by a question that was sent from now on. */
async function untilAdmitted(watched: Watched | undefined): Promise<void> {
  const sinceMs = performance.now();
  const isAdmitted = () =>
    watched?.answers.some(({ verdict, sentAtMs }) => verdict === 'allowed' && sentAtMs > sinceMs);
  await until('what stays live is admitted', () => isAdmitted() === true, ANSWERED_WITHIN_MS);
}

/** By a Runtime, which finds the primary. */
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
  const { apiKeyId, plaintextKey } = apiKeyCreateResultSchema.parse(created);
  return { apiKeyId, plaintext: plaintextKey, revokedAtMs: null, answers: [] };
}

/**
 * Asks one Runtime and then the other until one of them acknowledges it. That it was made already,
 * by an attempt without an answer, acknowledges nothing.
 */
async function revoke(
  { projectId, secret }: TestProject,
  nodes: readonly Caller[],
  watched: Watched,
): Promise<void> {
  const path = `/rt/projects/${projectId}/api-keys/${watched.apiKeyId}/revoke`;
  let tried = 0;
  let status: number | null | undefined;
  const isSettled = async () => {
    status = await nodes[tried++ % nodes.length]?.call('POST', path, secret, {});
    return status === 200 || status === 409;
  };
  await until('the revocation is acknowledged', isSettled, ANSWERED_WITHIN_MS);
  if (status === 200) watched.revokedAtMs = performance.now();
}

/** @returns how many questions were sent after the acknowledgement */
function holdsFrom({ revokedAtMs, answers }: Watched): number {
  if (revokedAtMs === null) return 0;
  const after = answers.filter(({ sentAtMs }) => sentAtMs > revokedAtMs);
  hold('a change holds from the next decision on', countOf(after, 'allowed') === 0, () => {
    return `across a failover, what was sent after a revocation came to ${tally(after)}`;
  });
  return after.length;
}

/** The longest time between two admissions of the key that stays live. */
function outageOf([live]: readonly Watched[]): number {
  const admittedAt = (live?.answers ?? [])
    .filter(({ verdict }) => verdict === 'allowed')
    .map(({ answeredAtMs }) => answeredAtMs);
  return Math.max(0, ...admittedAt.map((atMs, index) => atMs - (admittedAt[index - 1] ?? atMs)));
}
