import { type Charge, hourOfMinute } from '@ceiba/domain';
import type { Deadline } from '../deadline.ts';
import type { RedisClient } from '../redis/client.ts';
import type { RedisClock } from '../redis/clock.ts';
import type { RedisLink } from '../redis/link.ts';
import type { Script } from '../redis/script.ts';
import { UnavailableError } from '../unavailable.ts';
import type { UsageLedger } from '../usage/ledger.ts';
import { chargeOf } from './charge-of.ts';
import {
  type ChargeReply,
  type ChargeRequest,
  type CountedReply,
  counterKeyOf,
  monthScopeOf,
  runCharge,
  type Seeds,
} from './charge-script.ts';
import { type ReadMonthTotals, SeedReader } from './seeds.ts';
import { SeenCounters } from './seen.ts';

export interface LimiterOptions {
  link: Pick<RedisLink, 'send'>;
  clock: RedisClock;
  script: Script;
  readMonthTotals: ReadMonthTotals;
  ledger: UsageLedger;
  /** A random name for a new lineage or incarnation; letters and digits only. */
  newId: () => string;
  /** Why nothing may be charged although Redis answers; null where charging is fine. */
  problem?: () => string | null;
  /** Called for each charge that fails because the memory of Redis is full. */
  onMemoryFull?: () => void;
  /** How long Redis may take for one charge, in ms. */
  redisBudgetMs: number;
}

export interface Limiter {
  /**
   * Charges every scope or none (promise 2).
   *
   * @throws UnavailableError on any error; the charge may still have been made
   */
  charge(request: ChargeRequest, deadline: Deadline): Promise<Charge>;
}

/**
 * Runs `charge.lua` and keeps its results: the highest counts seen, in case Redis loses them
 * (consistency rule 12), and the usage numbers, until Postgres has them (rule 16).
 */
export function createLimiter(options: LimiterOptions): Limiter {
  const { link, clock, script, ledger, newId, redisBudgetMs } = options;
  const seeds = new SeedReader(options.readMonthTotals);
  const seenCounters = new SeenCounters();

  const attempt = async (
    { request, counterKeys, deadline }: PendingCharge,
    seedsRead: Seeds | null,
  ) => {
    const problem = options.problem?.() ?? null;
    if (problem !== null) throw new UnavailableError('redis', problem);
    const budgetMs = deadline.budgetMs(redisBudgetMs);
    const context = {
      counterKeys,
      redisDeadlineMs: clock.estimateMs() + budgetMs,
      freshId: newId(),
      seeds: seedsRead,
      seen: counterKeys.map((key) => seenCounters.get(key)),
    };
    const run = (client: RedisClient) => runCharge(script, client, request, context);
    try {
      const reply = await link.send(budgetMs, run, counterKeys[0]);
      clock.observe(reply.timeMs);
      return reply;
    } catch (error) {
      if (isMemoryFull(error)) options.onMemoryFull?.();
      throw error;
    }
  };

  const readSeeds = async ({ request, deadline }: PendingCharge, month: number): Promise<Seeds> => {
    const { projectId, scopes } = request;
    const items = scopes.map((scope) => ({ projectId, month, scope: monthScopeOf(scope) }));
    return { month, totals: await seeds.read(items, deadline) };
  };

  /** Neither `late` nor `reseed` has written anything, so each is retried once. */
  const settle = async (pending: PendingCharge): Promise<CountedReply> => {
    const retriable = new Set<ChargeReply['kind']>(['late', 'reseed']);
    let seedsRead: Seeds | null = null;
    let reply = await attempt(pending, seedsRead);
    while (retriable.delete(reply.kind)) {
      if (reply.kind === 'reseed') seedsRead = await readSeeds(pending, reply.month);
      reply = await attempt(pending, seedsRead);
    }
    if (reply.kind === 'late') {
      throw new UnavailableError('redis', clock.problem ?? 'reached too late to charge');
    }
    if (reply.kind === 'reseed') throw new UnavailableError('redis', 'asked for seeds twice');
    return reply;
  };

  return {
    async charge(request, deadline) {
      const { projectId, scopes } = request;
      const counterKeys = scopes.map((scope) => counterKeyOf(projectId, scope));
      const reply = await settle({ request, counterKeys, deadline });
      for (const [index, counter] of reply.counters.entries()) {
        seenCounters.set(counterKeys[index] ?? '', counter);
      }
      keepUsage(ledger, request, reply);
      return chargeOf(scopes, reply);
    },
  };
}

/** Redis 7 answers `OOM …`; Redis 6 prefixes the script's name. */
const isMemoryFull = (error: unknown) =>
  error instanceof UnavailableError &&
  error.cause instanceof Error &&
  /(^|-)OOM /.test(error.cause.message);

interface PendingCharge {
  request: ChargeRequest;
  counterKeys: readonly string[];
  deadline: Deadline;
}

function keepUsage(ledger: UsageLedger, request: ChargeRequest, reply: CountedReply): void {
  const { projectId, apiKeyId, policyId, scopes } = request;
  const { incarnation, month } = reply;
  ledger.keep({
    kind: 'hour',
    projectId,
    hour: hourOfMinute(reply.minute),
    apiKeyId,
    policyId,
    outcome: reply.kind,
    incarnation,
    count: reply.outcomeCount,
  });
  if (reply.kind !== 'allowed') return;
  for (const [index, scope] of scopes.entries()) {
    const count = reply.monthTotals[index] ?? 0;
    ledger.keep({
      kind: 'month',
      projectId,
      month,
      scope: monthScopeOf(scope),
      incarnation,
      count,
    });
  }
  ledger.keep({ kind: 'lastUse', projectId, apiKeyId, count: reply.timeMs });
}
