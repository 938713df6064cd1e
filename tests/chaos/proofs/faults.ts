import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../../support/until.ts';
import { type Account, askFor, askTimes, openAccount } from '../support/account.ts';
import { type Answer, countOf, tally, tookMs } from '../support/caller.ts';
import { type Control, startControl } from '../support/control.ts';
import { judge } from '../support/history.ts';
import { inBatches, sharedIn } from '../support/in-batches.ts';
import { askAtPace, type Load } from '../support/load.ts';
import { type Network, openNetwork, takeEveryConnection } from '../support/network.ts';
import type { PrivateStage } from '../support/private-stage.ts';
import type { Random } from '../support/random.ts';
import { type Node, type Stage, startTwoNodes } from '../support/stage.ts';
import { distributionOf } from '../support/statistics.ts';
import { hold } from '../support/violation.ts';
import { OFFSET_KEY } from './clock-offset.ts';
import { untilReady } from './loss.ts';

/** Injects the fault, and returns a function that ends it and waits for the server to accept connections. */
type Fault = (network: Network) => Promise<() => Promise<unknown>>;

const redisAnswers = ({ stage }: Network) =>
  until('Redis answers', async () => (await stage.redisAdmin.ping()) === 'PONG');
const postgresAnswers = ({ stage }: Network) =>
  until('Postgres answers', async () => (await stage.world.db.sql`select 1`).length === 1);

/** More than the Runtime's budget for either store, per direction. */
const SLOW_MS = 200;

export const FAULTS = {
  'Redis is stopped': async (network) => {
    await network.stage.redis.stop();
    return () => network.stage.redis.start();
  },
  'Redis is killed': async (network) => {
    await network.stage.redis.kill();
    return () => network.stage.redis.start();
  },
  'Redis is frozen': async (network) => {
    network.stage.redis.freeze();
    return () => {
      network.stage.redis.thaw();
      return redisAnswers(network);
    };
  },
  'the network to Redis goes dark': async ({ toRedis }) => {
    toRedis.darken();
    return async () => toRedis.heal();
  },
  'the network to Redis is slow': async ({ toRedis }) => {
    toRedis.slowDown(SLOW_MS);
    return async () => toRedis.heal();
  },
  'Redis has no memory left': async ({ stage }) => {
    await stage.redisAdmin.config('SET', 'maxmemory', 1);
    return () => stage.redisAdmin.config('SET', 'maxmemory', 0);
  },
  'Redis has become a replica': async ({ stage }) => {
    await stage.redisAdmin.replicaof('127.0.0.1', 1); // a port without a server
    return () => stage.redisAdmin.replicaof('NO', 'ONE');
  },
  'the clock of Redis leaps ahead': async ({ stage }) => {
    await stage.redisAdmin.set(OFFSET_KEY, 3_600);
    return () => stage.redisAdmin.del(OFFSET_KEY);
  },
  'Postgres is stopped': async (network) => {
    await network.stage.postgres.stop();
    return () => network.stage.postgres.start();
  },
  'Postgres is killed': async (network) => {
    await network.stage.postgres.kill();
    return () => network.stage.postgres.start();
  },
  'Postgres is frozen': async (network) => {
    network.stage.postgres.freeze();
    return () => {
      network.stage.postgres.thaw();
      return postgresAnswers(network);
    };
  },
  'the network to Postgres goes dark': async ({ toPostgres }) => {
    toPostgres.darken();
    return async () => toPostgres.heal();
  },
  'the network to Postgres is slow': async ({ toPostgres }) => {
    toPostgres.slowDown(SLOW_MS);
    return async () => toPostgres.heal();
  },
  'Postgres has no connection left': async ({ toPostgres, stage }) => {
    toPostgres.refuse();
    const giveBack = await takeEveryConnection(stage.databaseUrl);
    toPostgres.heal();
    return giveBack;
  },
  'a transaction locks the keys': async ({ stage }) => {
    const session = await stage.world.db.sql.reserve();
    await session`begin`;
    await session`lock table api_keys in access exclusive mode`;
    return async () => {
      await session`rollback`;
      session.release();
    };
  },
} as const satisfies Record<string, Fault>;

export type FaultKind = keyof typeof FAULTS;
/** Needs a Runtime whose scripts add the offset of the clock. */
export const CLOCK_LEAP = 'the clock of Redis leaps ahead' satisfies FaultKind;
/** The faults for an unchanged Runtime. */
export const FAULT_KINDS = (Object.keys(FAULTS) as FaultKind[]).filter(
  (kind) => kind !== CLOCK_LEAP,
);

/** The Redis in JavaScript supports neither. */
export const NEEDS_REAL_REDIS: ReadonlySet<FaultKind> = new Set([
  'Redis has no memory left',
  'Redis has become a replica',
]);

/** A killed Redis may have lost its last second, or has no disk at all. */
const FORGETFUL: ReadonlySet<FaultKind> = new Set(['Redis is stopped', 'Redis is killed']);

export interface FaultFigures {
  faults: number;
  /** Questions during the fault, and how long their 503 took. */
  answered503: number;
  /** Those of them that shared a batch. */
  shared503: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
  /** From the server accepting connections until every question was answered, in ms. */
  slowestRecoveryMs: number;
  mostLateCharges: number;
  /** Rounds that were repeated because the machine delayed a plain timer too. */
  unmeasurable: number;
}

/** The deadline of a decision, plus the network time. */
const ANSWER_WITHIN_MS = 500 + 100;
/** If a plain timer is later than this, the machine is too busy to judge times. */
const NOISE_MS = 40;
const UNMEASURABLE_MAX = 10;
const RECOVER_WITHIN_MS = 5_000;
const LATE_CHARGES_MAX = 16;
const EVERY_MS = 40;
const BURST = 60;
/** This fault meets several projects and keys, and batches; the others keep the smallest load. */
export const MEETS_BATCHES = 'Redis is frozen' satisfies FaultKind;
const loadOf = (kind: FaultKind) =>
  kind === MEETS_BATCHES ? { projects: 2, keys: 2 } : { projects: 1, keys: 1 };

/** The Runtimes, network and control that the faults of one run share. */
export interface FaultScene {
  readonly network: Network;
  readonly nodes: [Node, Node];
  readonly control: Control;
  close(): Promise<void>;
}

/** @param runtime the program of the Runtimes; the stage's own by default */
export async function openFaultScene(
  stage: PrivateStage,
  runtime: Stage = stage,
): Promise<FaultScene> {
  const network = await openNetwork(stage);
  const nodes = await startTwoNodes(runtime, network.options);
  const control = await startControl();
  return {
    network,
    nodes,
    control,
    async close() {
      await control.stop();
      await Promise.all(nodes.map((node) => node.stop()));
      await network.close();
    },
  };
}

/**
 * A dependency fails under a small load on two Runtimes. Every question is answered 503 in time, none is allowed, calls that do not need the dependency are answered as usual, and both Runtimes
 * recover without a restart.
 */
export async function proveFault(
  scene: FaultScene,
  kind: FaultKind,
  times: number,
  random: Random,
): Promise<FaultFigures> {
  const answers503: Answer[] = [];
  const figures = { faults: 0, slowestRecoveryMs: 0, mostLateCharges: 0, unmeasurable: 0 };
  while (figures.faults < times) {
    const round = await injectOnce(scene, kind, random);
    figures.slowestRecoveryMs = Math.max(figures.slowestRecoveryMs, round.recoveryMs);
    figures.mostLateCharges = Math.max(figures.mostLateCharges, round.lateCharges);
    if (round.answers503 === null) {
      figures.unmeasurable += 1;
      if (figures.unmeasurable > UNMEASURABLE_MAX) throw new Error('the machine is too busy');
      continue;
    }
    answers503.push(...round.answers503);
    figures.faults += 1;
  }
  const counts = { answered503: answers503.length, shared503: sharedIn(answers503) };
  return { ...figures, ...counts, ...distributionOf(answers503.map(tookMs)) };
}

interface Round {
  /** Null if the machine was too busy to judge them. */
  answers503: Answer[] | null;
  recoveryMs: number;
  lateCharges: number;
}

async function injectOnce(scene: FaultScene, kind: FaultKind, random: Random): Promise<Round> {
  const { network, nodes, control } = scene;
  const callers = kind === MEETS_BATCHES ? nodes.map((node) => inBatches(node, random)) : nodes;
  const { projects, keys } = loadOf(kind);
  const accounts: Account[] = [];
  while (accounts.length < projects) {
    accounts.push(await openAccount(network.stage, 1_000_000, keys));
  }
  await untilReady(nodes);
  const loads = accounts.flatMap((account) =>
    callers.map((caller) => askAtPace(() => askFor(account, caller), EVERY_MS * projects)),
  );
  try {
    await until('both allow calls', () =>
      loads.every(({ answers }) => countOf(answers, 'allowed') > 4),
    );
    const beginsAtMs = performance.now();
    const endFault = await FAULTS[kind](network);
    control.worstLatenessMs();
    const fromMs = performance.now();
    let toMs: number;
    try {
      await Promise.all([
        ...accounts.map((account) => askTimes(account, callers, BURST / projects)),
        ...accounts.slice(0, 1).map((account) => holdOthers(account, nodes, kind)),
        pause(random.int(700, 1_500)), // the duration of the fault
      ]);
    } finally {
      toMs = performance.now();
      await endFault();
    }
    const acceptsAtMs = performance.now();
    const isMeasurable = control.worstLatenessMs() <= NOISE_MS;
    await untilSound(loads, acceptsAtMs);
    await Promise.all(loads.map((load) => load.stop()));
    for (const account of accounts) {
      await askFor(account, nodes[0]); // the remaining count shows late charges
      account.history.faults.push({
        words: kind,
        beginsAtMs,
        fromMs,
        toMs,
        isTotal: true,
        keepsCounts: !FORGETFUL.has(kind),
        answerWithinMs: isMeasurable ? ANSWER_WITHIN_MS : Number.POSITIVE_INFINITY,
        recoverWithinMs: acceptsAtMs - toMs + RECOVER_WITHIN_MS,
        mostLateCharges: LATE_CHARGES_MAX,
      });
      judge(account.history, kind);
    }
    const answers = accounts.flatMap((account) => account.answers);
    const during = sentBetween(answers, fromMs, toMs);
    const isInTime = during.every((answer) => tookMs(answer) <= ANSWER_WITHIN_MS);
    return {
      answers503: isMeasurable || isInTime ? during : null,
      recoveryMs: recoveryOf(answers, acceptsAtMs),
      lateCharges: Math.max(...accounts.map(lateChargesOf)),
    };
  } finally {
    await Promise.all(loads.map((load) => load.stop()));
  }
}

const sentBetween = (answers: readonly Answer[], fromMs: number, toMs: number) =>
  answers.filter(({ sentAtMs }) => sentAtMs > fromMs && sentAtMs < toMs);

/** Calls that do not need the failed dependency are answered as usual. */
async function holdOthers(account: Account, nodes: [Node, Node], kind: FaultKind): Promise<void> {
  const { projectId, secret } = account.who;
  for (const node of nodes) {
    const health = await node.call('GET', '/health');
    hold('a fault does not affect others', health === 200, () => `${kind}: /health ${health}`);
    if (isOfRedis(kind)) {
      const known = { who: account.who };
      const unknown = { who: { ...account.who, apiKey: 'unknown' } };
      const alone = await node.ask(unknown.who);
      const batch = await node.askBatch([known, unknown, known]);
      for (const { verdict, words } of [alone, batch[1] ?? alone]) {
        hold('a fault does not affect others', verdict === 'invalid_api_key', () => {
          return `${kind}: an unknown key got ${words}`;
        });
      }
      const list = await node.call('GET', `/rt/projects/${projectId}/api-keys`, secret);
      hold('a fault does not affect others', list === 200, () => `${kind}: the key list ${list}`);
    }
  }
}

const isOfRedis = (kind: FaultKind) => kind.includes('Redis');

/** Waits until each Runtime allows calls again; the history judges how long it took. */
async function untilSound(loads: readonly Load[], acceptsAtMs: number): Promise<void> {
  const sound = Math.ceil(20 / loads.length);
  const isSound = ({ answers }: Load) => {
    const latest = answers.filter(({ sentAtMs }) => sentAtMs > acceptsAtMs).slice(-sound);
    return latest.length === sound && countOf(latest, 'allowed') === sound;
  };
  await until('both allow calls again', () => loads.every(isSound), 20_000).catch(() => {});
}

/** @returns ms from `acceptsAtMs` until the last question that was not allowed */
function recoveryOf(answers: readonly Answer[], acceptsAtMs: number): number {
  const unanswered = answers.filter(
    ({ sentAtMs, verdict }) => sentAtMs > acceptsAtMs && verdict !== 'allowed',
  );
  const times = unanswered.map(({ answeredAtMs }) => answeredAtMs - acceptsAtMs);
  return Math.round(Math.max(0, ...times));
}

/** Computes the late charges: the charges by the remaining count, minus the allowed calls. */
function lateChargesOf({ answers, quota }: Account): number {
  const left = answers.at(-1)?.limits?.remainingThisMonth;
  if (left === undefined) throw new Error(`after the recovery there was ${answers.at(-1)?.words}`);
  const lateCharges = quota - left - countOf(answers, 'allowed');
  hold('a loss hands nothing out again', lateCharges >= 0, () => tally(answers));
  return lateCharges;
}
