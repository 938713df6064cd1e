import {
  type Charge,
  type ChargeRequest,
  MS_PER_MINUTE,
  scopeName,
  windowOfPeriod,
} from '@ceiba/domain';
import type { RedisClient } from '@ceiba/process/redis';
import type { Deadline } from '../deadline.ts';
import { type RoundTrips, UNOBSERVED } from '../metrics/round-trips.ts';
import type { RedisClock } from '../redis/clock.ts';
import { usageKey } from '../redis/keys.ts';
import type { RedisLink } from '../redis/link.ts';
import type { Script } from '../redis/script.ts';
import { UnavailableError } from '../unavailable.ts';
import type { UsageLedger } from '../usage/ledger.ts';
import type { Seed } from './charge-arguments.ts';
import { chargeOf } from './charge-of.ts';
import { ChargeQueue, type QueuedCharge } from './charge-queue.ts';
import type { CallReply, ChargeReply, CountedReply } from './charge-reply.ts';
import { runCharges } from './charge-script.ts';
import { type ReadPeriodTotals, SeedReader } from './seeds.ts';
import { createSeenCounters } from './seen.ts';

export interface LimiterOptions {
  link: Pick<RedisLink, 'send'>;
  clock: RedisClock;
  script: Script;
  readPeriodTotals: ReadPeriodTotals;
  ledger: UsageLedger;
  /** A random name for a new lineage or incarnation; letters and digits only. */
  newId: () => string;
  /** Why nothing may be charged although Redis answers; null where charging is fine. */
  problem?: () => string | null;
  /** Called for each call that fails because the memory of Redis is full. */
  onMemoryFull?: () => void;
  /** How long one call to Redis may take, and a charge with its wait for one, in ms. */
  redisBudgetMs: number;
  roundTrips?: RoundTrips;
}

export interface Limiter {
  /**
   * Charges every scope or none (promise: charge).
   *
   * @throws UnavailableError on any error; the charge may still have been made
   */
  charge(request: ChargeRequest, deadline: Deadline): Promise<Charge>;
}

/**
 * Runs `charge.lua` and keeps its results: the highest counts seen, in case Redis loses them
 * (rule seen-counts), and the usage numbers, until Postgres has them (rule confirmed-flush).
 */
export function createLimiter(options: LimiterOptions): Limiter {
  const { link, clock, script, newId, redisBudgetMs, roundTrips = UNOBSERVED } = options;
  const seeds = new SeedReader(options.readPeriodTotals);
  const seenCounters = createSeenCounters();

  const run = async (projectId: string, charges: readonly QueuedCharge[]): Promise<CallReply> => {
    const problem = options.problem?.() ?? null;
    if (problem !== null) throw new UnavailableError('redis', problem);
    const nowMs = clock.estimateMs();
    const call = {
      projectId,
      charges: charges.map(({ request, seeds, deadline }) => {
        return { request, seeds, redisDeadlineMs: nowMs + deadline.remainingMs() };
      }),
      freshId: newId(),
      seenOf: (key: string) => seenCounters.get(key),
    };
    roundTrips.carried(charges.length);
    // The call has its whole budget, however little its oldest charge has left: a timeout drops the
    // connection (rule charge-deadline).
    const runScript = (client: RedisClient) => runCharges(script, client, call);
    return link.send(redisBudgetMs, runScript, usageKey(projectId));
  };

  const queue = new ChargeQueue(async (projectId, charges) => {
    try {
      const reply = await run(projectId, charges);
      clock.observe(reply.timeMs);
      for (const { key, seen } of reply.counters) seenCounters.set(key, seen);
      keepUsage(options.ledger, projectId, charges, reply);
      return reply.charges;
    } catch (error) {
      if (isMemoryFull(error)) options.onMemoryFull?.();
      throw error;
    }
  });

  const readSeeds = async (
    { projectId, scopes }: ChargeRequest,
    minute: number,
    deadline: Deadline,
  ): Promise<Seed[]> => {
    const items = scopes.map((scope) => ({
      projectId,
      number: windowOfPeriod(scope.period).numberAt(minute * MS_PER_MINUTE),
      scope: scopeName(scope),
    }));
    const totals = await seeds.read(items, deadline);
    return items.map(({ number }, index) => ({ period: number, total: totals[index] ?? 0 }));
  };

  const attempt = (request: ChargeRequest, seeds: readonly Seed[] | null, deadline: Deadline) =>
    queue.charge({ request, seeds, deadline: deadline.ofStep(redisBudgetMs) });

  /** Neither `late` nor `reseed` has written anything, so each is retried once. */
  const retry = async (
    first: UncountedReply,
    request: ChargeRequest,
    deadline: Deadline,
  ): Promise<CountedReply> => {
    const retriable = new Set<ChargeReply['kind']>(['late', 'reseed']);
    let seedsRead: readonly Seed[] | null = null;
    let reply: ChargeReply = first;
    while (retriable.delete(reply.kind)) {
      if (reply.kind === 'reseed') seedsRead = await readSeeds(request, reply.minute, deadline);
      reply = await attempt(request, seedsRead, deadline);
    }
    switch (reply.kind) {
      case 'late':
        throw new UnavailableError('redis', clock.problem ?? 'reached too late to charge');
      case 'reseed':
        throw new UnavailableError('redis', 'asked for seeds twice');
      case 'malformed':
        throw new UnavailableError('redis', 'could not parse the charge');
      default:
        return reply;
    }
  };

  return {
    async charge(request, deadline) {
      const askedAtMs = performance.now();
      const first = await attempt(request, null, deadline);
      const reply = 'counters' in first ? first : await retry(first, request, deadline);
      roundTrips.took(performance.now() - askedAtMs);
      return chargeOf(request, reply);
    },
  };
}

type UncountedReply = Exclude<ChargeReply, CountedReply>;

/** Redis 7 answers `OOM …`; Redis 6 prefixes the script's name. */
const isMemoryFull = (error: unknown) =>
  error instanceof UnavailableError &&
  error.cause instanceof Error &&
  /(^|-)OOM /.test(error.cause.message);

/** What was counted, and when each key was last allowed. */
function keepUsage(
  ledger: UsageLedger,
  projectId: string,
  charges: readonly QueuedCharge[],
  reply: CallReply,
): void {
  for (const { field, count } of reply.usage) ledger.keepField(projectId, field, count);
  charges.forEach(({ request }, index) => {
    if (reply.charges[index]?.kind !== 'allowed') return;
    ledger.keepLastUse(projectId, request.apiKeyId, reply.timeMs);
  });
}
