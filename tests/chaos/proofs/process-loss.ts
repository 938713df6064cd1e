import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../../support/until.ts';
import {
  type Account,
  allowedOf,
  askFor,
  askTimes,
  exhaust,
  judgeWithUsage,
  openAccount,
  untilFlushed,
} from '../support/account.ts';
import type { Answer } from '../support/caller.ts';
import { judge } from '../support/history.ts';
import { askAtPace } from '../support/load.ts';
import { type PrivateStage, restartEmpty } from '../support/private-stage.ts';
import type { Random } from '../support/random.ts';
import { type Node, PATIENT, type Stage, startNode, startTwoNodes } from '../support/stage.ts';
import { readUsage } from '../support/usage.ts';
import { hold } from '../support/violation.ts';
import { startWriteControl } from '../support/write-control.ts';
import { figuresOf, type LossFigures } from './loss.ts';

/** A second, plus the possible delay of a timer and a process. The time of the write comes on top. */
const FLUSH_MS = 1_000 + 150;

/** The replacement of a killed Runtime sweeps soon after its start; a running one once a minute. */
const ADOPTED_WITHIN_MS = 20_000;

export interface RuntimeLossFigures extends LossFigures {
  /** From the start of the replacement until Postgres had all usage, in ms. */
  slowestAdoptionMs: number;
  deniedBeforeAKill: number;
  denialsLost: number;
  slowestWriteMs: number;
}

/**
 * A Runtime is killed with unflushed usage. Redis has the allowed calls, and the next Runtime writes
 * them to Postgres; of the denials at most the last second is lost.
 */
export async function proveRuntimeLoss(
  stage: PrivateStage,
  times: number,
  random: Random,
  runtime: Stage = stage,
): Promise<RuntimeLossFigures> {
  const survivor = await startNode(runtime, { settings: PATIENT });
  const accounts: Account[] = [];
  const figures = { slowestAdoptionMs: 0, deniedBeforeAKill: 0, denialsLost: 0, slowestWriteMs: 0 };
  try {
    for (let done = 0; done < times; done += 1) {
      const account = await openAccount(stage, random.int(80, 160));
      account.history.losses.push({ words: 'a Runtime was killed', forgets: 0 });
      accounts.push(account);
      const writes = await startWriteControl(stage.world);
      const denials = await killWithUsage(runtime, account, random);
      const writeMs = await writes.stop();
      figures.slowestWriteMs = Math.max(figures.slowestWriteMs, writeMs);
      const startedAt = performance.now();
      const replacement = await startNode(runtime, { settings: PATIENT });
      try {
        await untilFlushed(stage, account, ADOPTED_WITHIN_MS);
        const adoptionMs = Math.round(performance.now() - startedAt);
        figures.slowestAdoptionMs = Math.max(figures.slowestAdoptionMs, adoptionMs);
        await exhaust(account, [random.pick([survivor, replacement])]);
      } finally {
        await replacement.stop();
      }
      judge(account.history, 'a killed Runtime');
      figures.denialsLost += await holdDenials(stage, account, denials, writeMs);
      figures.deniedBeforeAKill += denials.answers.length;
    }
  } finally {
    await survivor.stop();
  }
  for (const account of accounts) await judgeWithUsage(stage, account, 'a killed Runtime');
  return { ...figuresOf(accounts), ...figures };
}

interface DenialsBeforeAKill {
  answers: readonly Answer[];
  killedAtMs: number;
}

/** Denials over some flushes, then a burst of allowed calls, then SIGKILL before the next flush. */
async function killWithUsage(
  runtime: Stage,
  account: Account,
  random: Random,
): Promise<DenialsBeforeAKill> {
  const victim = await startNode(runtime, { settings: PATIENT });
  try {
    const elsewhere = { path: '/v1/elsewhere' };
    const denials = askAtPace(() => victim.ask(account.who, elsewhere), 20);
    await pause(random.int(1_500, 2_500)); // some flushes; the kill is at a random time between two
    await askTimes(account, [victim], random.int(20, 60));
    const killedAtMs = performance.now();
    victim.runtime.kill('SIGKILL');
    await victim.runtime.exited;
    const answers = (await denials.stop()).filter(({ verdict }) => verdict === 'policy_no_match');
    return { answers, killedAtMs };
  } finally {
    await victim.stop();
  }
}

/** @returns how many denials are not in Postgres */
async function holdDenials(
  { world }: Stage,
  account: Account,
  { answers, killedAtMs }: DenialsBeforeAKill,
  writeMs: number,
): Promise<number> {
  const { hours } = await readUsage(world, account.project.projectId);
  const counted = hours.policy_no_match ?? 0;
  const flushedMs = killedAtMs - FLUSH_MS - writeMs;
  const older = answers.filter(({ answeredAtMs }) => answeredAtMs < flushedMs);
  hold(
    'usage equals the allowed calls',
    counted >= older.length && counted <= answers.length,
    () => {
      return `${answers.length} denials, ${older.length} of them before the last flush, ${counted} counted`;
    },
  );
  return answers.length - counted;
}

export interface TotalLossFigures extends LossFigures {
  allowedLost: number;
  slowestWriteMs: number;
}

/** Redis and every Runtime are killed at once: at most one flush interval is lost. */
export async function proveTotalLoss(
  stage: PrivateStage,
  times: number,
  random: Random,
): Promise<TotalLossFigures> {
  const accounts: Account[] = [];
  let allowedLost = 0;
  let slowestWriteMs = 0;
  for (let done = 0; done < times; done += 1) {
    const account = await openAccount(stage, random.int(300, 400));
    accounts.push(account);
    const writes = await startWriteControl(stage.world);
    const killedAtMs = await loseEverything(stage, account, random);
    const writeMs = await writes.stop();
    slowestWriteMs = Math.max(slowestWriteMs, writeMs);
    const flushedMs = killedAtMs - FLUSH_MS - writeMs;
    const recent = account.answers.filter(
      ({ verdict, answeredAtMs }) => verdict === 'allowed' && answeredAtMs > flushedMs,
    );
    account.history.losses.push({ words: 'everything was killed', forgets: recent.length });
    const allowedBefore = allowedOf(account);
    const node = await startNode(stage, { settings: PATIENT });
    const { months } = await readUsage(stage.world, account.project.projectId);
    const flushed = Object.values(months).reduce((total, count) => total + count, 0);
    allowedLost += Math.max(0, allowedBefore - flushed);
    try {
      await exhaust(account, [node]);
    } finally {
      await node.stop();
    }
    await judgeWithUsage(stage, account, 'a total loss');
  }
  return { ...figuresOf(accounts), allowedLost, slowestWriteMs };
}

/** @returns the time of the loss, by `performance.now` */
async function loseEverything(
  stage: PrivateStage,
  account: Account,
  random: Random,
): Promise<number> {
  const nodes = await startTwoNodes(stage, { settings: PATIENT });
  try {
    const load = askAtPace(() => askFor(account, random.pick(nodes)), 15);
    await pause(random.int(1_500, 2_500)); // a random time between two flushes
    const killedAtMs = performance.now();
    for (const node of nodes) node.runtime.kill('SIGKILL');
    const emptied = restartEmpty(stage.redis);
    await Promise.all(nodes.map(({ runtime }: Node) => runtime.exited));
    await load.stop();
    await emptied;
    await until('Redis answers', async () => (await stage.redisAdmin.ping()) === 'PONG');
    return killedAtMs;
  } finally {
    await Promise.all(nodes.map((node) => node.stop()));
  }
}
