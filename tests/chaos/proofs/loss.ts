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
import { inBatches, sharedIn } from '../support/in-batches.ts';
import { askInLoops } from '../support/load.ts';
import { type PrivateStage, restartEmpty, takeSnapshot } from '../support/private-stage.ts';
import type { Random } from '../support/random.ts';
import { PATIENT, type Stage, startTwoNodes } from '../support/stage.ts';

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
 * One store loses its data, at rest or under load. The quotas of two projects are handed out once,
 * to questions alone and in batches, and Postgres ends up with every allowed call.
 *
 * @param runtime the program of the Runtimes; the stage's own by default
 */
export async function proveLoss(
  stage: PrivateStage,
  kind: LossKind,
  times: number,
  random: Random,
  runtime: Stage = stage,
): Promise<LossFigures & { shared: number }> {
  const nodes = await startTwoNodes(runtime, { settings: PATIENT });
  const callers = nodes.map((node) => inBatches(node, random));
  const accounts: Account[] = [];
  try {
    for (let done = 0; done < times; done += 1) {
      const both = [await openSome(stage, random), await openSome(stage, random)];
      accounts.push(...both);
      for (const account of both) {
        await askTimes(account, callers, random.int(1, 10));
        account.history.losses.push({ words: kind, forgets: 0 });
      }
      const lose = LOSSES[kind](stage);
      await (done % 2 === 0 ? loseAtRest : loseUnderLoad)(stage, callers, both, lose, random);
      for (const account of both) judge(account.history, kind);
    }
  } finally {
    await Promise.all(nodes.map((node) => node.stop()));
  }
  for (const account of accounts) await judgeWithUsage(stage, account, kind);
  const answers = accounts.flatMap((account) => account.answers);
  return { ...figuresOf(accounts), losses: times, shared: sharedIn(answers) };
}

const openSome = (stage: Stage, random: Random) => openAccount(stage, random.int(80, 160), 3);

export const figuresOf = (accounts: readonly Account[]): LossFigures => ({
  losses: accounts.length,
  allowed: sum(accounts.map(allowedOf)),
  uncertain: sum(accounts.map(uncertainOf)),
});

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

/** The Runtime that is asked afterwards has seen no counts: only Postgres has them. */
async function loseAtRest(
  stage: Stage,
  callers: readonly Caller[],
  accounts: readonly Account[],
  lose: () => Promise<unknown>,
  random: Random,
): Promise<void> {
  const [a, b] = [callers.slice(0, 1), callers.slice(1)];
  for (const account of accounts) await askTimes(account, a, random.int(20, 40));
  for (const account of accounts) await untilFlushed(stage, account);
  await lose();
  await untilReady(b);
  await Promise.all(accounts.map((account) => exhaust(account, b)));
}

/** The running Runtimes have the usage that is not flushed yet, and both continue. */
async function loseUnderLoad(
  _: Stage,
  callers: readonly Caller[],
  accounts: readonly Account[],
  lose: () => Promise<unknown>,
): Promise<void> {
  const loads = accounts.flatMap((account) =>
    callers.map((caller) => askInLoops(() => askFor(account, caller), 2, 4)),
  );
  try {
    await until('both answer', () => loads.every(({ answers }) => answers.length >= 5));
    await lose();
    await untilReady(callers);
  } finally {
    await Promise.all(loads.map((load) => load.stop()));
  }
  await Promise.all(accounts.map((account) => exhaust(account, callers)));
}

/** Waits with `/ready`, which checks both dependencies and charges nothing. */
export async function untilReady(callers: readonly Caller[]): Promise<void> {
  for (const caller of callers) {
    await until('it is ready', async () => (await caller.call('GET', '/ready')) === 200);
  }
}
