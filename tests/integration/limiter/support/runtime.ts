import { randomUUID } from 'node:crypto';
import type { Charge, ChargeRequest, KeyLimits } from '@ceiba/domain';
import { apiKeyScope, projectScope } from '@ceiba/domain/test-support';
import { onTestFinished } from 'vitest';
import { Deadline } from '../../../../apps/runtime/src/deadline.ts';
import { chargeScriptText } from '../../../../apps/runtime/src/limiter/charge-script.ts';
import { createLimiter, type Limiter } from '../../../../apps/runtime/src/limiter/limiter.ts';
import { RedisClock } from '../../../../apps/runtime/src/redis/clock.ts';
import { RedisLink } from '../../../../apps/runtime/src/redis/link.ts';
import { createScript, type Script } from '../../../../apps/runtime/src/redis/script.ts';
import { UsageFlusher } from '../../../../apps/runtime/src/usage/flusher.ts';
import { UsageLedger } from '../../../../apps/runtime/src/usage/ledger.ts';
import {
  type SweepOptions,
  trimScriptText,
  UsageSweep,
} from '../../../../apps/runtime/src/usage/sweep.ts';
import { until } from '../../../support/until.ts';
import type { MemoryStore } from './store.ts';

/** The clock of a Redis in a test's hand, which a real server's cannot be. */
export interface HandClock {
  ms: number;
}

/** Half past ten on a day in the middle of a month, so that no window ends during a test. */
export const handClock = (at = '2026-11-18T10:30:15.000Z'): HandClock => ({ ms: Date.parse(at) });

/** The production text, with `TIME` replaced by what the test's clock shows. */
function scriptOnClock(text: string, clock: HandClock | undefined): Script {
  if (!clock) return createScript(text);
  const pieces = text.split("redis.call('TIME')");
  if (pieces.length !== 2) throw new Error('the script no longer asks for the TIME as expected');
  const takeTime = 'local handTime = { table.remove(ARGV, #ARGV - 1), table.remove(ARGV) }';
  const script = createScript(`${takeTime}\n${pieces.join('handTime')}`);
  return {
    run: (client, keys, args) => {
      const time = [Math.floor(clock.ms / 1000), (clock.ms % 1000) * 1000];
      return script.run(client, keys, [...args, ...time]);
    },
  };
}

export interface TestRuntimeOptions {
  url: string;
  store: MemoryStore;
  clock?: HandClock;
  /** The clock of the Runtime itself; default: it shows what `clock` does. */
  wallClock?: HandClock;
  cluster?: boolean;
  redisBudgetMs?: number;
  chargeText?: string;
  problem?: () => string | null;
}

/** What one Runtime process holds of the limiter, wired as in production. */
export interface TestRuntime {
  readonly limiter: Limiter;
  readonly link: RedisLink;
  readonly ledger: UsageLedger;
  /** Asks for a charge with a deadline of its own. */
  charge(call: Call, deadlineMs?: number): Promise<Charge>;
  /** Flushes until nothing is left. */
  flush(): Promise<void>;
  /** @returns the arguments of each warning that was logged */
  sweep(): Promise<unknown[][]>;
  /** Sweeps from now on as a Runtime does, until it dies; resolves after the first two sweeps. */
  sweepRepeatedly(): Promise<void>;
  /** Resolves when Redis is in use again. */
  up(): Promise<void>;
  /** As `kill -9` leaves it: what was not flushed is gone from its memory. */
  die(): void;
}

export type Call = ChargeRequest;

const quiet = { info() {}, warn() {} };

/** Starts a Runtime, which dies with the test at the latest. */
export async function startRuntime(options: TestRuntimeOptions): Promise<TestRuntime> {
  const { url, store, clock: hand, cluster = false, redisBudgetMs = 10_000 } = options;
  const now = () => performance.now();
  const wallClock = options.wallClock ?? hand;
  const clock = new RedisClock(now, wallClock ? () => wallClock.ms : Date.now);
  const link = new RedisLink({ url, cluster, clock, log: quiet, random: Math.random, now });
  const up = () =>
    until('the link is up', async () => {
      await link.ping(1000);
      return true;
    });
  let repeatedSweep: UsageSweep | undefined;
  const die = () => {
    void repeatedSweep?.task.stop();
    link.close();
  };
  onTestFinished(die);
  await up();
  const ledger = new UsageLedger();
  const limiter = createLimiter({
    link,
    clock,
    script: scriptOnClock(options.chargeText ?? chargeScriptText(), hand),
    readPeriodTotals: store.readPeriodTotals,
    ledger,
    newId: () => randomUUID().replaceAll('-', ''),
    problem: options.problem ?? (() => null),
    onMemoryFull: () => repeatedSweep?.sweepSoon(),
    redisBudgetMs,
  });
  const newSweep = (log: SweepOptions['log'] = quiet) =>
    new UsageSweep({
      link,
      clock: hand ? { estimateMs: () => hand.ms } : clock,
      trimScript: scriptOnClock(trimScriptText(), hand),
      compareUsage: (batch) => store.compareUsage(batch),
      recordUsage: (batch) => store.recordUsage(batch),
      log,
    });
  return {
    limiter,
    link,
    ledger,
    up,
    charge: (call, deadlineMs = 20_000) => limiter.charge(call, new Deadline(deadlineMs)),
    async flush() {
      const recordUsage = store.recordUsage;
      const flusher = new UsageFlusher({ ledger, recordUsage, log: quiet, intervalMs: 60_000 });
      await flusher.task.stop();
    },
    async sweep() {
      const warnings: unknown[][] = [];
      const sweep = newSweep({ info() {}, warn: (...line: unknown[]) => warnings.push(line) });
      await sweep.task.runNow();
      await sweep.task.stop();
      return warnings;
    },
    async sweepRepeatedly() {
      repeatedSweep = newSweep();
      await repeatedSweep.task.runNow();
    },
    die,
  };
}

/** More than any test uses. */
export const AMPLE = 1_000_000;

/** Calls of one project and one of its keys. */
export function callOf(
  project: Partial<KeyLimits>,
  key: Partial<KeyLimits> = {},
  ids: Partial<Omit<Call, 'scopes'>> = {},
): Call {
  const { projectId = randomUUID(), apiKeyId = randomUUID(), policyId = randomUUID() } = ids;
  const ample = { rateLimitPerMinute: AMPLE, monthlyQuota: AMPLE };
  return {
    projectId,
    apiKeyId,
    policyId,
    cost: 1,
    scopes: [projectScope(projectId, { ...ample, ...project }), apiKeyScope(apiKeyId, key)],
  };
}

/** The same key and project under other limits. */
export function withLimits(
  call: Call,
  project: Partial<KeyLimits>,
  key: Partial<KeyLimits> = {},
): Call {
  return callOf(project, key, call);
}

/** Asks for the same charge `times` times at once. */
export const chargeTimes = (
  runtime: TestRuntime,
  call: Call,
  times: number,
  deadlineMs?: number,
): Promise<Charge[]> =>
  Promise.all(Array.from({ length: times }, () => runtime.charge(call, deadlineMs)));

/** @returns how many of `times` charges at once were allowed */
export const admittedOf = async (...asked: Parameters<typeof chargeTimes>): Promise<number> =>
  countAdmitted(await chargeTimes(...asked));

export function countAdmitted(charges: readonly Charge[]): number {
  return charges.filter((charge) => charge.kind === 'allowed').length;
}
