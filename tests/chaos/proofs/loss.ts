import { until } from '../../support/until.ts';
import {
  type Account,
  allowedOf,
  askFor,
  askTimes,
  exhaust,
  judgeWithUsage,
  openAccount,
  uncertainOf,
  untilFlushed,
} from '../support/account.ts';
import type { Caller } from '../support/caller.ts';
import { judge } from '../support/history.ts';
import { askInLoops } from '../support/load.ts';
import { type PrivateStage, restartEmpty, takeSnapshot } from '../support/private-stage.ts';
import type { Random } from '../support/random.ts';
import { type Node, PATIENT, type Stage, startTwoNodes } from '../support/stage.ts';

export interface LossFigures {
  losses: number;
  allowed: number;
  /** Calls around a loss that were answered 503, or not at all: these may have been charged. */
  uncertain: number;
}

/**
 * Prepares a loss, for example by taking a snapshot to return to. The returned function causes the
 * loss and resolves once the server is back.
 */
type Loss = (stage: PrivateStage) => () => Promise<unknown>;

export const LOSSES = {
  'Redis is flushed':
    ({ redisAdmin }) =>
    () =>
      redisAdmin.flushall(),
  'Redis is killed and starts without data':
    ({ redis }) =>
    () =>
      restartEmpty(redis),
  'Redis starts with an older snapshot': ({ redis }) => {
    const snapshot = takeSnapshot(redis);
    return () => snapshot.restore(redis).finally(snapshot.remove);
  },
  'Postgres is killed':
    ({ postgres }) =>
    async () => {
      await postgres.kill();
      await postgres.start();
    },
} as const satisfies Record<string, Loss>;

export type LossKind = keyof typeof LOSSES;

/**
 * One store loses its data, at rest or under load. The quota is handed out once, and Postgres ends up
 * with every allowed call.
 *
 * @param runtime the program of the Runtimes; the stage's own by default
 */
export async function proveLoss(
  stage: PrivateStage,
  kind: LossKind,
  times: number,
  random: Random,
  runtime: Stage = stage,
): Promise<LossFigures> {
  const nodes = await startTwoNodes(runtime, { settings: PATIENT });
  const accounts: Account[] = [];
  try {
    for (let done = 0; done < times; done += 1) {
      const account = await openAccount(stage, random.int(80, 160));
      accounts.push(account);
      await askTimes(account, nodes, random.int(1, 10));
      account.history.losses.push({ words: kind, forgets: 0 });
      const lose = LOSSES[kind](stage);
      await (done % 2 === 0 ? loseAtRest : loseUnderLoad)(stage, nodes, account, lose, random);
      judge(account.history, kind);
    }
  } finally {
    await Promise.all(nodes.map((node) => node.stop()));
  }
  for (const account of accounts) await judgeWithUsage(stage, account, kind);
  return figuresOf(accounts);
}

export const figuresOf = (accounts: readonly Account[]): LossFigures => ({
  losses: accounts.length,
  allowed: sum(accounts.map(allowedOf)),
  uncertain: sum(accounts.map(uncertainOf)),
});

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

/** The Runtime that is asked afterwards has seen no counts: only Postgres has them. */
async function loseAtRest(
  stage: Stage,
  [a, b]: [Node, Node],
  account: Account,
  lose: () => Promise<unknown>,
  random: Random,
): Promise<void> {
  await askTimes(account, [a], random.int(20, 40));
  await untilFlushed(stage, account);
  await lose();
  await untilReady([b]);
  await exhaust(account, [b]);
}

/** The running Runtimes have the usage that is not flushed yet, and both continue. */
async function loseUnderLoad(
  _: Stage,
  nodes: [Node, Node],
  account: Account,
  lose: () => Promise<unknown>,
): Promise<void> {
  const loads = nodes.map((node) => askInLoops(() => askFor(account, node), 2, 4));
  try {
    await until('both answer', () => loads.every(({ answers }) => answers.length >= 5));
    await lose();
    await untilReady(nodes);
  } finally {
    await Promise.all(loads.map((load) => load.stop()));
  }
  await exhaust(account, nodes);
}

/** Waits with `/ready`, which checks both dependencies and charges nothing. */
export async function untilReady(callers: readonly Caller[]): Promise<void> {
  for (const caller of callers) {
    await until('it is ready', async () => (await caller.call('GET', '/ready')) === 200);
  }
}
