/**
 * The charge against a model that knows nothing of epochs, lineages or bases: it adds up what was
 * allowed. A Runtime that has received every reply must come to the same, whatever Redis loses.
 */
import { type ChargeRequest, type Scope, windowOfPeriod } from '@ceiba/domain';
import { projectScope } from '@ceiba/domain/test-support';
import type { RedisClient } from '@ceiba/process/redis';
import { expect } from 'vitest';
import type { Seed } from '../../../apps/runtime/src/limiter/charge-arguments.ts';
import { runCharges } from '../../../apps/runtime/src/limiter/charge-script.ts';
import { chargeByReference, copyState, emptyState } from '../../support/script-reference.ts';
import type { Random } from '../support/random.ts';

const NAMES = ['project', 'customer', 'day', 'k1', 'k2'];
const FIRST_MS = Date.UTC(2026, 10, 14, 22, 30);
const STEPS_A_HISTORY = 20;

/** Mixed periods and costs, limits that change, clocks that go on, and losses of Redis. */
export async function proveNaiveModel(histories: number, random: Random) {
  const figures = { histories, allowed: 0, quota_exceeded: 0, rate_limited: 0, losses: 0 };
  for (let number = 0; number < histories; number++) {
    const { charge, limit, pass, lose } = openWorld(random, figures);
    for (let step = 0; step < STEPS_A_HISTORY; step++) {
      const dice = random.int(1, 100);
      if (dice <= 60) await charge();
      else if (dice <= 75) pass();
      else if (dice <= 88) limit(random.pick(NAMES));
      else lose();
    }
  }
  return figures;
}

function openWorld(random: Random, figures: Record<string, number>) {
  const periods: Record<string, number> = { customer: random.int(1, 28), day: 0 };
  const limits = new Map<string, { rate: number | null; quota: number | null }>();
  /** What was allowed, by scope and window. */
  const sums = new Map<string, number>();
  const seen = new Map<string, string>();
  let [timeMs, starts, ids] = [FIRST_MS, 1, 0];
  let [redis, saved] = [emptyState(), emptyState()];

  const limit = (name: string) => {
    const rate = random.chance(0.4) ? null : random.int(0, 6);
    const quota = random.chance(0.4) ? null : random.pick([random.int(0, 25), 1e12]);
    limits.set(name, { rate, quota });
  };
  NAMES.forEach(limit);

  const scopeOf = (name: string): Scope => {
    const { rate = null, quota = null } = limits.get(name) ?? {};
    const scope = projectScope(name, { rateLimitPerMinute: rate, monthlyQuota: quota });
    const kind = name === 'project' ? 'project' : 'api_key';
    return { ...scope, kind, period: periods[name] ?? 1 };
  };
  const numberOf = ({ period }: Scope) => windowOfPeriod(period).numberAt(timeMs);
  const slotsOf = (scope: Scope) => ({
    minute: `${scope.id} in minute ${Math.floor(timeMs / 60_000)}`,
    period: `${scope.id} in period ${numberOf(scope)}`,
  });
  const sum = (slot: string) => sums.get(slot) ?? 0;

  const judge = ({ scopes, cost }: ChargeRequest) => {
    const isOver = (scope: Scope) =>
      sum(slotsOf(scope).period) + cost > (scope.quota?.value ?? Infinity);
    const isBusy = (scope: Scope) => sum(slotsOf(scope).minute) >= (scope.rate?.value ?? Infinity);
    if (cost > 0 && scopes.some(isOver)) return 'quota_exceeded';
    if (scopes.some(isBusy)) return 'rate_limited';
    for (const scope of scopes) {
      const { minute, period } = slotsOf(scope);
      sums.set(minute, sum(minute) + 1).set(period, sum(period) + cost);
    }
    return 'allowed';
  };

  const script = {
    async run(_client: RedisClient, keys: readonly string[], args: readonly unknown[]) {
      const server = `run_id:${`${starts}`.padEnd(40, 'x')}\r\n`;
      const replication = `master_replid:${'r'.repeat(40)}\r\n`;
      const facts = { timeMs, info: { server, replication } };
      return chargeByReference(redis, keys, args.map(String), facts);
    },
  };
  const seedOf = (scope: Scope): Seed => ({
    period: numberOf(scope),
    total: sum(slotsOf(scope).period),
  });

  /** @returns those that need a seed; the others came to what the model says */
  const ask = async (requests: readonly ChargeRequest[], isSeeded: boolean) => {
    const { charges, counters, usage } = await runCharges(script, {} as RedisClient, {
      projectId: 'p',
      charges: requests.map((request) => ({
        request,
        redisDeadlineMs: timeMs,
        seeds: isSeeded ? request.scopes.map(seedOf) : null,
      })),
      freshId: `id${++ids}`,
      seenOf: (key) => seen.get(key),
    });
    for (const { key, seen: text } of counters) seen.set(key, text);
    const hash = redis.hashes.get('ceiba:{p}:usage');
    for (const { field, count } of usage) expect(hash?.get(field)).toBe(`${count}`);
    return requests.filter((request, index) => {
      const reply = charges[index];
      if (reply?.kind === 'reseed') return true;
      const kind = judge(request);
      figures[kind] = (figures[kind] ?? 0) + 1;
      const slots = request.scopes.map(slotsOf);
      expect(reply).toMatchObject({
        kind,
        counters: slots.map((slot) => ({
          minuteCount: sum(slot.minute),
          periodCount: sum(slot.period),
        })),
      });
      return false;
    });
  };

  return {
    limit,
    pass: () => {
      const minutes = random.pick([0, 1, 1, 59, 1440, 14 * 1440, 31 * 1440]);
      timeMs += minutes * 60_000;
    },
    lose: () => {
      figures.losses = (figures.losses ?? 0) + 1;
      const kind = random.int(1, 4);
      if (kind === 1) redis = emptyState();
      else if (kind === 2) saved = copyState(redis);
      else starts += 1;
      if (kind === 3) redis = copyState(saved);
    },
    charge: async () => {
      const requests = Array.from({ length: random.int(1, 6) }, () => {
        const apiKeyId = random.pick(['k1', 'k2']);
        const scopes = ['project', 'customer', 'day', apiKeyId].map(scopeOf);
        const cost = random.pick([0, 1, 1, 2, 5, 1e6]);
        return { projectId: 'p', apiKeyId, policyId: 'o', cost, scopes };
      });
      const unseeded = await ask(requests, false);
      if (unseeded.length > 0) expect(await ask(unseeded, true)).toEqual([]);
    },
  };
}
