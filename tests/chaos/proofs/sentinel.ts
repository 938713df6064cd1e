import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../../support/redis.ts';
import { SENTINEL_PASSWORD, type SentinelGroup } from '../../support/sentinel.ts';
import {
  type Account,
  askFor,
  askTimes,
  exhaust,
  judgeWithUsage,
  openAccount,
} from '../support/account.ts';
import { countOf, tally } from '../support/caller.ts';
import { askAtPace } from '../support/load.ts';
import type { Random } from '../support/random.ts';
import { type Node, type Stage, startTwoNodes } from '../support/stage.ts';
import { hold } from '../support/violation.ts';
import { figuresOf, type LossFigures } from './loss.ts';

/** Takes the primary away, and returns what brings it back, which finds another in its place. */
type Failover = (group: SentinelGroup) => Promise<() => Promise<unknown>>;

export const FAILOVERS = {
  'the primary is killed': async (group) => {
    const primary = await group.primary();
    await primary.kill();
    return () => primary.start();
  },
  'the primary freezes and lives on': async (group) => {
    const primary = await group.primary();
    primary.freeze();
    return async () => primary.thaw();
  },
  'an operator asks for a failover': async (group) => {
    await group.failOver();
    return async () => {};
  },
} as const satisfies Record<string, Failover>;

export type FailoverKind = keyof typeof FAILOVERS;
export const FAILOVER_KINDS = Object.keys(FAILOVERS) as FailoverKind[];

/** The one failover in which the old primary answers and follows. */
export const IN_ORDER: FailoverKind = 'an operator asks for a failover';

export interface FailoverFigures extends LossFigures {
  /** From the moment that the sentinels name the new primary until it admits, in ms. */
  slowestRecoveryMs: number;
}

const RECOVER_WITHIN_MS = 5_000;
/** In which an idle Runtime hears of the new primary too (consistency rule 31). */
const HEARD_WITHIN_MS = 1_500;
/** The default deadlines, with room for a busy machine: what is judged here is what is decided. */
const SETTINGS = {
  DECISION_DEADLINE_MS: '3000',
  DECISION_DATABASE_BUDGET_MS: '2000',
  DECISION_REDIS_BUDGET_MS: '500',
  REDIS_SENTINEL_PASSWORD: SENTINEL_PASSWORD,
};

/**
 * Sentinel replaces the primary under load on one Runtime, while another is idle and keeps its
 * connection to the old one. The quota is handed out once, also when the old primary lives on, and
 * usage is what was admitted.
 */
export async function proveFailover(
  stage: Stage,
  group: SentinelGroup,
  kind: FailoverKind,
  times: number,
  random: Random,
): Promise<FailoverFigures> {
  const accounts: Account[] = [];
  let slowestRecoveryMs = 0;
  for (let done = 0; done < times; done += 1) {
    await group.isWhole();
    const account = await openAccount(stage, random.int(150, 250));
    account.history.losses.push({ words: kind, forgets: 0 });
    accounts.push(account);
    const nodes = await startTwoNodes(stage, { settings: SETTINGS });
    try {
      const recoveryMs = await failOverOnce(group, nodes, account, kind);
      slowestRecoveryMs = Math.max(slowestRecoveryMs, recoveryMs);
    } finally {
      await Promise.all(nodes.map((node) => node.stop()));
    }
    await judgeWithUsage(stage, account, kind);
  }
  return { ...figuresOf(accounts), slowestRecoveryMs };
}

async function failOverOnce(
  group: SentinelGroup,
  [busy, idle]: [Node, Node],
  account: Account,
  kind: FailoverKind,
): Promise<number> {
  const old = await group.primary();
  await askTimes(account, [busy, idle], 10);
  const load = askAtPace(() => askFor(account, busy), 50);
  try {
    await until('it admits', () => countOf(load.answers, 'allowed') > 5);
    const bringBack = await FAILOVERS[kind](group);
    await until('the sentinels name another', async () => (await group.primary()) !== old, 30_000);
    const namedAtMs = performance.now();
    const isBack = () =>
      load.answers.some(({ verdict, sentAtMs }) => verdict === 'allowed' && sentAtMs > namedAtMs);
    await until('it admits again', isBack, 20_000).catch(() => {});
    const recoveryMs = Math.round(performance.now() - namedAtMs);
    hold('recovers by itself in time', isBack() && recoveryMs <= RECOVER_WITHIN_MS, () => {
      return `${kind}: ${recoveryMs} ms after the sentinels named another: ${tally(load.answers)}`;
    });
    const unexpected = load.answers.filter(
      ({ verdict }) => !['allowed', 'unavailable', 'quota_exceeded'].includes(verdict),
    );
    hold('a fault is no denial', unexpected.length === 0, () => `${kind}: ${tally(unexpected)}`);
    await load.stop();
    await pause(HEARD_WITHIN_MS); // the bound that the rule states; nothing else tells of the end
    await bringBack();
    await askTimes(account, [idle], 20);
    await exhaust(account, [busy, idle]);
    return recoveryMs;
  } finally {
    await load.stop();
  }
}
