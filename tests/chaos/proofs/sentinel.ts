import { setTimeout as pause } from 'node:timers/promises';
import { SENTINEL_PASSWORD, type SentinelGroup } from '../../support/sentinel.ts';
import { until } from '../../support/until.ts';
import {
  type Account,
  askFor,
  askTimes,
  exhaust,
  judgeWithUsage,
  openAccount,
} from '../support/account.ts';
import { countOf, tally } from '../support/caller.ts';
import { askAtPace, holdRecovery } from '../support/load.ts';
import type { Random } from '../support/random.ts';
import { FAILOVER_DEADLINES, type Node, type Stage, startTwoNodes } from '../support/stage.ts';
import { hold } from '../support/violation.ts';
import { figuresOf, type LossFigures } from './loss.ts';

/** Causes a failover, and returns a function that restores the old primary. */
type Failover = (group: SentinelGroup) => Promise<() => Promise<unknown>>;

export const FAILOVERS = {
  'the primary is killed': async (group) => {
    const primary = await group.primary();
    await primary.kill();
    return () => primary.start();
  },
  'the primary freezes and wakes': async (group) => {
    const primary = await group.primary();
    primary.freeze();
    return async () => primary.thaw();
  },
  'an operator starts a failover': async (group) => {
    await group.failOver();
    return async () => {};
  },
} as const satisfies Record<string, Failover>;

export type FailoverKind = keyof typeof FAILOVERS;
export const FAILOVER_KINDS = Object.keys(FAILOVERS) as FailoverKind[];

/** The only failover in which the old primary keeps answering and follows the new one. */
export const IN_ORDER: FailoverKind = 'an operator starts a failover';

export interface FailoverFigures extends LossFigures {
  /** From the sentinels' agreement on the new primary until the next allow, in ms. */
  slowestRecoveryMs: number;
}

/** Within this time an idle Runtime learns of the new primary too (rule sentinel-primary). */
const HEARD_WITHIN_MS = 1_500;
const SETTINGS = { ...FAILOVER_DEADLINES, REDIS_SENTINEL_PASSWORD: SENTINEL_PASSWORD };

/**
 * Sentinel replaces the primary under load on one Runtime, while another Runtime is idle and keeps
 * its connection to the old primary. The quota is handed out once, also when the old primary stays
 * alive, and usage equals the allowed calls.
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
    await until('it allows calls', () => countOf(load.answers, 'allowed') > 5);
    const bringBack = await FAILOVERS[kind](group);
    await until(
      'the sentinels name another primary',
      async () => (await group.primary()) !== old,
      30_000,
    );
    const namedAtMs = performance.now();
    const recoveryMs = await holdRecovery(load, namedAtMs, `${kind}: a new primary was named`);
    const unexpected = load.answers.filter(
      ({ verdict }) => !['allowed', 'unavailable', 'quota_exceeded'].includes(verdict),
    );
    hold('a fault is not a denial', unexpected.length === 0, () => `${kind}: ${tally(unexpected)}`);
    await load.stop();
    await pause(HEARD_WITHIN_MS); // the bound of the rule; there is no event to wait for
    await bringBack();
    await askTimes(account, [idle], 20);
    await exhaust(account, [busy, idle]);
    return recoveryMs;
  } finally {
    await load.stop();
  }
}
