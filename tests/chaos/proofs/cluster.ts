import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { projectCounterKey } from '../../../apps/runtime/src/redis/keys.ts';
import type { RedisCluster } from '../../support/redis-cluster.ts';
import { until } from '../../support/until.ts';
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
import { askAtPace, holdRecovery } from '../support/load.ts';
import type { Random } from '../support/random.ts';
import { FAILOVER_DEADLINES, type Node, type Stage, startTwoNodes } from '../support/stage.ts';
import { hold } from '../support/violation.ts';
import { figuresOf, type LossFigures } from './loss.ts';

/**
 * Injects a fault into the node that owns the key. Resolves once another node owns the key, if the
 * fault causes a failover, with a function that restores the node.
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
  'a node freezes, is replaced and wakes': async (cluster, key) => {
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
    await pause(FULL_FOR_MS); // the duration of the fault
    await admin.config('SET', 'dir', home);
    await admin.config('SET', 'save', '');
    return async () => {};
  },
  'a slot moves to another node and back': async (cluster, key) => {
    const owner = await cluster.ownerOf(key);
    await cluster.moveSlot(key, await cluster.nonOwnerOf(key));
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

/** The small size: a replaced node that stays alive, an error of one node, and a slot that moves. */
export const FEW_TROUBLES: readonly TroubleKind[] = [
  'a node freezes, is replaced and wakes',
  'a node has a full disk',
  'a slot moves to another node and back',
];

export interface TroubleFigures extends LossFigures {
  /** From the nodes' agreement on the owner until the next decision of the project, in ms. */
  slowestRecoveryMs: number;
  /** Calls of a project on another node, all of them allowed. */
  othersAllowed: number;
  /** Rounds in which the machine was too busy to judge those calls; each was repeated. */
  unmeasurable: number;
}

/** If a timer of another process is later than this, the machine was too busy for time bounds. */
const NOISE_MS = 100;
const UNMEASURABLE_MAX = 10;

const SETTINGS = { ...FAILOVER_DEADLINES, REDIS_CLUSTER: 'true' };

/**
 * A fault of one node of a cluster, under load on one Runtime, while another Runtime is idle. The
 * quota of its project is handed out once, usage equals the allowed calls, and every call of a
 * project on another node is allowed.
 */
export async function proveTrouble(
  stage: Stage,
  cluster: RedisCluster,
  kind: TroubleKind,
  times: number,
  random: Random,
): Promise<TroubleFigures> {
  const accounts: Account[] = [];
  const figures = { slowestRecoveryMs: 0, othersAllowed: 0, unmeasurable: 0 };
  const control = await startControl();
  try {
    while (accounts.length < times) {
      await cluster.isWhole();
      const account = await openAccount(stage, random.int(150, 250));
      account.history.losses.push({ words: kind, forgets: 0 });
      const other = await openOther(stage, cluster, account);
      const nodes = await startTwoNodes(stage, { settings: SETTINGS });
      control.worstLatenessMs();
      let others: readonly Answer[];
      try {
        const round = await injectOnce(cluster, nodes, account, other, kind);
        figures.slowestRecoveryMs = Math.max(figures.slowestRecoveryMs, round.recoveryMs);
        others = round.others;
      } finally {
        await Promise.all(nodes.map((node) => node.stop()));
      }
      await judgeWithUsage(stage, account, kind);
      const isLeftAlone = countOf(others, 'allowed') === others.length;
      if (!isLeftAlone && control.worstLatenessMs() > NOISE_MS) {
        figures.unmeasurable += 1;
        if (figures.unmeasurable > UNMEASURABLE_MAX) throw new Error('the machine is too busy');
        continue;
      }
      hold('a fault does not affect others', isLeftAlone, () => {
        return `${kind}: a project on another node got ${tally(others)}`;
      });
      await judgeWithUsage(stage, other, `${kind}, on another node`);
      accounts.push(account);
      figures.othersAllowed += other.history.asks.length;
    }
  } finally {
    await control.stop();
  }
  return { ...figuresOf(accounts), ...figures };
}

const keyOf = ({ project }: Account) => projectCounterKey(project.projectId);

/** A project whose key is on another node, which the fault must not affect. */
async function openOther(stage: Stage, cluster: RedisCluster, account: Account) {
  const owner = await cluster.ownerOf(keyOf(account));
  for (;;) {
    const other = await openAccount(stage, 1_000_000);
    if ((await cluster.ownerOf(keyOf(other))) !== owner) return other;
  }
}

async function injectOnce(
  cluster: RedisCluster,
  [busy, idle]: [Node, Node],
  account: Account,
  other: Account,
  kind: TroubleKind,
): Promise<{ recoveryMs: number; others: readonly Answer[] }> {
  const key = keyOf(account);
  await askTimes(account, [busy, idle], 10);
  await askTimes(other, [busy, idle], 10);
  const load = askAtPace(() => askFor(account, busy), 50);
  const others = askAtPace(() => askFor(other, busy), 50);
  try {
    await until('it allows calls', () => countOf(load.answers, 'allowed') > 5);
    const bringBack = await TROUBLES[kind](cluster, key);
    const settledAtMs = performance.now();
    const recoveryMs = await holdRecovery(load, settledAtMs, `${kind}: the nodes agreed`);
    await load.stop();
    await bringBack();
    await askTimes(account, [idle], 20);
    await exhaust(account, [busy, idle]);
    await others.stop();
    return { recoveryMs, others: others.answers };
  } finally {
    await Promise.all([load.stop(), others.stop()]);
  }
}
