import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { projectCounterKey } from '../../../apps/runtime/src/redis/keys.ts';
import { until } from '../../support/redis.ts';
import type { RedisCluster } from '../../support/redis-cluster.ts';
import {
  type Account,
  askFor,
  askTimes,
  exhaust,
  judgeWithUsage,
  openAccount,
} from '../support/account.ts';
import { type Answer, countOf, tally } from '../support/caller.ts';
import { startControl } from '../support/control.ts';
import { askAtPace } from '../support/load.ts';
import type { Random } from '../support/random.ts';
import { type Node, type Stage, startTwoNodes } from '../support/stage.ts';
import { hold } from '../support/violation.ts';
import { figuresOf, type LossFigures } from './loss.ts';

/**
 * Hurts the node that owns the key, and returns what brings it back, if anything is away. Resolves
 * once another node owns the key, if one is to.
 */
type Trouble = (cluster: RedisCluster, key: string) => Promise<() => Promise<unknown>>;

/** How long a disk stays full. */
const FULL_FOR_MS = 2_000;

const untilReplaced = async (cluster: RedisCluster, key: string, strike: 'kill' | 'freeze') => {
  const owner = await cluster.ownerOf(key);
  await owner[strike]();
  await until(
    'its replica owns the slot',
    async () => (await cluster.ownerOf(key)) !== owner,
    30_000,
  );
  return owner;
};

export const TROUBLES = {
  'a node is killed and its replica takes over': async (cluster, key) => {
    const owner = await untilReplaced(cluster, key, 'kill');
    return () => owner.start();
  },
  'a node freezes, is replaced and lives on': async (cluster, key) => {
    const owner = await untilReplaced(cluster, key, 'freeze');
    return async () => owner.thaw();
  },
  'a node has a full disk': async (cluster, key) => {
    const { admin } = await cluster.ownerOf(key);
    const folder = mkdtempSync(join(tmpdir(), 'ceiba-disk-'));
    const [, home = ''] = (await admin.config('GET', 'dir')) as string[];
    await admin.config('SET', 'dir', folder);
    rmSync(folder, { recursive: true });
    await admin.config('SET', 'save', '3600 1');
    await admin.bgsave();
    await pause(FULL_FOR_MS); // how long it lasts
    await admin.config('SET', 'dir', home);
    await admin.config('SET', 'save', '');
    return async () => {};
  },
  'a slot moves to another node and back': async (cluster, key) => {
    const owner = await cluster.ownerOf(key);
    await cluster.moveSlot(key, await cluster.strangerTo(key));
    await cluster.moveSlot(key, owner);
    return async () => {};
  },
  'a node is added and takes the slot': async (cluster, key) => {
    await cluster.moveSlot(key, await cluster.addPrimary());
    return async () => {};
  },
} as const satisfies Record<string, Trouble>;

export type TroubleKind = keyof typeof TROUBLES;
export const TROUBLE_KINDS = Object.keys(TROUBLES) as TroubleKind[];

/** The small size: a replaced node that lives on, an error of one node, and a slot that moves. */
export const FEW_TROUBLES: readonly TroubleKind[] = [
  'a node freezes, is replaced and lives on',
  'a node has a full disk',
  'a slot moves to another node and back',
];

export interface TroubleFigures extends LossFigures {
  /** From the moment that the nodes agree on the owner until the project is admitted, in ms. */
  slowestRecoveryMs: number;
  /** Calls of a project on another node, all of them admitted. */
  strangersAdmitted: number;
  /** Rounds in which the machine was too busy to judge those calls; each was tried again. */
  unmeasurable: number;
}

/** A timer of another process that is later than this: the machine was too busy for time bounds. */
const NOISE_MS = 100;
const MOST_UNMEASURABLE = 10;

const RECOVER_WITHIN_MS = 5_000;
/** The default deadlines, with room for a busy machine: what is judged here is what is decided. */
const SETTINGS = {
  REDIS_CLUSTER: 'true',
  DECISION_DEADLINE_MS: '3000',
  DECISION_DATABASE_BUDGET_MS: '2000',
  DECISION_REDIS_BUDGET_MS: '500',
};

/**
 * One node of a cluster is in trouble under load on one Runtime, while another Runtime is idle.
 * The quota of its project is handed out once and usage is what was admitted; a project on another
 * node is admitted throughout.
 */
export async function proveTrouble(
  stage: Stage,
  cluster: RedisCluster,
  kind: TroubleKind,
  times: number,
  random: Random,
): Promise<TroubleFigures> {
  const accounts: Account[] = [];
  const figures = { slowestRecoveryMs: 0, strangersAdmitted: 0, unmeasurable: 0 };
  const control = await startControl();
  try {
    while (accounts.length < times) {
      await cluster.isWhole();
      const account = await openAccount(stage, random.int(150, 250));
      account.history.losses.push({ words: kind, forgets: 0 });
      const stranger = await openStranger(stage, cluster, account);
      const nodes = await startTwoNodes(stage, { settings: SETTINGS });
      control.worstLatenessMs();
      let strangers: readonly Answer[];
      try {
        const round = await strikeOnce(cluster, nodes, account, stranger, kind);
        figures.slowestRecoveryMs = Math.max(figures.slowestRecoveryMs, round.recoveryMs);
        strangers = round.strangers;
      } finally {
        await Promise.all(nodes.map((node) => node.stop()));
      }
      await judgeWithUsage(stage, account, kind);
      const isLeftAlone = countOf(strangers, 'allowed') === strangers.length;
      if (!isLeftAlone && control.worstLatenessMs() > NOISE_MS) {
        figures.unmeasurable += 1;
        if (figures.unmeasurable > MOST_UNMEASURABLE) throw new Error('the machine is too busy');
        continue;
      }
      hold('a fault leaves strangers alone', isLeftAlone, () => {
        return `${kind}: a project on another node got ${tally(strangers)}`;
      });
      await judgeWithUsage(stage, stranger, `${kind}, on another node`);
      accounts.push(account);
      figures.strangersAdmitted += stranger.history.asks.length;
    }
  } finally {
    await control.stop();
  }
  return { ...figuresOf(accounts), ...figures };
}

const keyOf = ({ project }: Account) => projectCounterKey(project.projectId);

/** A project that the trouble is to leave alone: its key lies on another node. */
async function openStranger(stage: Stage, cluster: RedisCluster, account: Account) {
  const owner = await cluster.ownerOf(keyOf(account));
  for (;;) {
    const stranger = await openAccount(stage, 1_000_000);
    if ((await cluster.ownerOf(keyOf(stranger))) !== owner) return stranger;
  }
}

async function strikeOnce(
  cluster: RedisCluster,
  [busy, idle]: [Node, Node],
  account: Account,
  stranger: Account,
  kind: TroubleKind,
): Promise<{ recoveryMs: number; strangers: readonly Answer[] }> {
  const key = keyOf(account);
  await askTimes(account, [busy, idle], 10);
  await askTimes(stranger, [busy, idle], 10);
  const load = askAtPace(() => askFor(account, busy), 50);
  const strangers = askAtPace(() => askFor(stranger, busy), 50);
  try {
    await until('it admits', () => countOf(load.answers, 'allowed') > 5);
    const bringBack = await TROUBLES[kind](cluster, key);
    const settledAtMs = performance.now();
    const isAnswered = () =>
      load.answers.some(
        ({ verdict, sentAtMs }) => verdict !== 'unavailable' && sentAtMs > settledAtMs,
      );
    await until('it is decided again', isAnswered, 20_000).catch(() => {});
    const recoveryMs = Math.round(performance.now() - settledAtMs);
    hold('recovers by itself in time', isAnswered() && recoveryMs <= RECOVER_WITHIN_MS, () => {
      return `${kind}: ${recoveryMs} ms after the nodes agreed: ${tally(load.answers)}`;
    });
    await load.stop();
    await bringBack();
    await askTimes(account, [idle], 20);
    await exhaust(account, [busy, idle]);
    await strangers.stop();
    return { recoveryMs, strangers: strangers.answers };
  } finally {
    await Promise.all([load.stop(), strangers.stop()]);
  }
}
