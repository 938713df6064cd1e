import { DAY, scopeName, windowOfPeriod } from '@ceiba/domain';
import { projectScope } from '@ceiba/domain/test-support';
import { readPeriodTotals, recordUsage } from '@ceiba/schema';
import type { Redis } from 'ioredis';
import { expect } from 'vitest';
import { chargeScriptText, runCharges } from '../../../apps/runtime/src/limiter/charge-script.ts';
import { counterKey, usageKey } from '../../../apps/runtime/src/redis/keys.ts';
import type { Script } from '../../../apps/runtime/src/redis/script.ts';
import { type CountFact, fieldOf, toBatch } from '../../../apps/runtime/src/usage/facts.ts';
import { factOfField } from '../../../apps/runtime/src/usage/hash.ts';
import { trimScriptText } from '../../../apps/runtime/src/usage/sweep.ts';
import type { World } from '../../support/scenario.ts';
import { withGivenFacts } from './script-judge.ts';

/** Allowed cost by incarnation and period. */
type Admissions = [slot: [incarnation: number, number: number], count: number][];

interface SpecRedis {
  counter: {
    epoch: number;
    lineage: number;
    minute: number;
    minuteBase: number;
    minuteCount: number;
    periodBase: number;
    periodCount: number;
  };
  usage: { epoch: number; incarnation: number; minute: number; admitted: Admissions };
}

interface SpecRuntime {
  seen: { lineage: number; minute: number; minuteCount: number; periodCount: number };
  seed: { period: number; total: number };
  ledger: Admissions;
}

/** The observable part of a state of docs/spec/ceiba.qnt. */
export interface SpecState {
  redis: SpecRedis;
  epoch: number;
  now: number;
  /** What the quota counts over, as `counters.lua` names it. */
  period: number;
  postgres: Admissions;
  runtimes: [name: string, runtime: SpecRuntime][];
  found: { judgedBy: number; past: Admissions };
  nextId: number;
  last: { name: string; runtime: string; usesSeed: boolean; cost: number; outcome: string };
}

/** The specification's constants. */
const QUOTA = 3;
const RATE = 2;
const MINUTES_A_MONTH = 3;

const YEAR = 2026;
const idOf = (id: number) => `id${id}`;
const runIdOf = (epoch: number) => `${epoch}`.padEnd(40, 'x');
const REPLID = 'r'.repeat(40);

/**
 * Maps the minutes of a month in the specification to minutes of a real month: the first to its first
 * day, the others to its fifteenth.
 */
function minuteOf(minute: number): number {
  if (minute === 0) return 0;
  const ofMonth = minute % MINUTES_A_MONTH;
  const day = ofMonth === 0 ? 1 : 15;
  return Date.UTC(YEAR, Math.floor(minute / MINUTES_A_MONTH), day) / 60_000 + ofMonth;
}

/** The real number of a period of the specification: that of its first minute. */
function realNumber(period: number, number: number): number {
  const first = [
    Math.floor(number / 2) * MINUTES_A_MONTH + (number % 2),
    number * MINUTES_A_MONTH,
    (number - 1) * MINUTES_A_MONTH + 1,
  ][[0, 1, 15].indexOf(period)];
  return windowOfPeriod(period).numberAt(minuteOf(first ?? 0) * 60_000);
}

/**
 * Replays a run of the specification on the real scripts and a real Postgres, and compares their data
 * with the specification after each step.
 *
 * @returns the number of steps, by name
 */
export async function replay(redis: Redis, world: World, states: readonly SpecState[]) {
  const { projectId } = await world.createProject();
  const period = states[0]?.period ?? 1;
  const scope = scopeOf(projectId, period);
  const place = {
    projectId,
    period,
    scope: scopeName(scope),
    usage: usageKey(projectId),
    counter: counterKey(projectId, scope),
  };
  const replayed: Record<string, number> = {};
  let snapshot: Snapshot = { counter: null, usage: {} };

  for (const [index, after] of states.entries()) {
    const before = states[index - 1];
    if (!before) continue;
    const { name, runtime: who, usesSeed, cost, outcome } = after.last;
    const runtime = before.runtimes.find(([other]) => other === who)?.[1];
    const runtimeAfter = after.runtimes.find(([other]) => other === who)?.[1];
    const where = `step ${index}: ${name} ${who}`;
    replayed[name] = (replayed[name] ?? 0) + 1;

    if (runtime && (name === 'charge' || name === 'chargeLate')) {
      const isLate = name === 'chargeLate';
      const reply = await charge(redis, place, before, runtime, { isLate, usesSeed, cost });
      expect(reply?.kind, where).toBe(isLate ? 'late' : outcome);
    } else if (name === 'readSeed' && runtimeAfter) {
      const { period: number, total } = runtimeAfter.seed;
      const item = { projectId, number: realNumber(period, number), scope: place.scope };
      expect(await readPeriodTotals(world.db, [item]), where).toEqual([total]);
    } else if (name === 'flush' && runtime) {
      await write(world, countsOf(place, runtime.ledger));
    } else if (name === 'sweep') {
      await write(world, await countsInRedis(redis, place));
    } else if (name === 'trim') {
      const { judgedBy, past } = before.found;
      const pairs = countsOf(place, past).flatMap((fact) => [fieldOf(fact), fact.count]);
      const trim = scriptAt(redis, trimScriptText(), before);
      await trim.run(redis, [place.usage], [minuteOf(judgedBy), ...pairs]);
    } else if (name === 'wipe') {
      await redis.del(place.usage, place.counter);
    } else if (name === 'saveSnapshot') {
      snapshot = await held(redis, place);
    } else if (name === 'restoreSnapshot') {
      await redis.del(place.usage, place.counter);
      if (snapshot.counter !== null) await redis.set(place.counter, snapshot.counter);
      if (Object.keys(snapshot.usage).length > 0) await redis.hset(place.usage, snapshot.usage);
    }

    expect(seenFromOutside(await held(redis, place)), where).toEqual(inSpec(place, after.redis));
    expect(await countsInPostgres(world, place), where).toEqual(
      sorted(countsOf(place, after.postgres)),
    );
  }
  return replayed;
}

interface Place {
  projectId: string;
  period: number;
  /** As usage names it. */
  scope: string;
  usage: string;
  counter: string;
}

interface Snapshot {
  counter: string | null;
  usage: Record<string, string>;
}

const held = async (redis: Redis, { counter, usage }: Place): Promise<Snapshot> => ({
  counter: await redis.get(counter),
  usage: await redis.hgetall(usage),
});

/** Runs a script at a time and on a server of the specification. */
function scriptAt(redis: Redis, text: string, { now, epoch }: SpecState): Script {
  const timeMs = minuteOf(now) * 60_000 + 500;
  const server = `# Server\r\nrun_id:${runIdOf(epoch)}\r\n\r\n`;
  const replication = `# Replication\r\nmaster_replid:${REPLID}\r\n\r\n`;
  return {
    async run(_client, keys, args) {
      const given = [timeMs, server, replication, ...args];
      const answer = await redis.eval(withGivenFacts(text), keys.length, ...keys, ...given);
      return (answer as [reply: unknown])[0];
    },
  };
}

/** A call of one charge. */
async function charge(
  redis: Redis,
  { projectId, period }: Place,
  before: SpecState,
  { seen, seed }: SpecRuntime,
  { isLate, usesSeed, cost }: { isLate: boolean; usesSeed: boolean; cost: number },
) {
  const script = scriptAt(redis, chargeScriptText(), before);
  const request = {
    projectId,
    apiKeyId: projectId,
    policyId: projectId,
    cost,
    scopes: [scopeOf(projectId, period)],
  };
  const redisDeadlineMs = minuteOf(before.now) * 60_000 + (isLate ? 0 : 1000);
  const seeds = usesSeed ? [{ period: realNumber(period, seed.period), total: seed.total }] : null;
  const { charges } = await runCharges(script, redis, {
    projectId,
    charges: [{ request, redisDeadlineMs, seeds }],
    freshId: idOf(before.nextId),
    // Neither the epoch nor the bases of what was seen matter.
    seenOf: () =>
      seen.lineage === 0
        ? ''
        : `e:${idOf(seen.lineage)}:${minuteOf(seen.minute)}:0:${seen.minuteCount}:0:${seen.periodCount}`,
  });
  return charges[0];
}

const scopeOf = (projectId: string, period: number) => ({
  ...projectScope(projectId, { rateLimitPerMinute: RATE, monthlyQuota: QUOTA }),
  period,
});

type PeriodFact = Exclude<CountFact, { kind: 'hour' }>;

const write = ({ db }: World, facts: readonly PeriodFact[]) => recordUsage(db, toBatch(facts));

const countsOf = ({ projectId, period, scope }: Place, admitted: Admissions): PeriodFact[] =>
  admitted.map(([[incarnation, number], count]) => {
    const fact = { projectId, scope, incarnation: idOf(incarnation), count };
    const real = realNumber(period, number);
    return period === DAY
      ? { kind: 'day', day: real, ...fact }
      : { kind: 'month', month: real, ...fact };
  });

async function countsInRedis(redis: Redis, place: Place): Promise<PeriodFact[]> {
  const fields = Object.entries(await redis.hgetall(place.usage));
  return fields.flatMap(([field, value]) => {
    const fact = factOfField(place.projectId, field, value);
    return fact === null || fact.kind === 'hour' ? [] : [fact];
  });
}

async function countsInPostgres({ db }: World, { projectId }: Place): Promise<PeriodFact[]> {
  const rows = await db.sql<PeriodFact[]>`
    select 'month' as kind, project_id as "projectId", month, scope, incarnation, count::int as count
    from usage_months where project_id = ${projectId}`;
  const days = await db.sql<PeriodFact[]>`
    select 'day' as kind, project_id as "projectId", day - date '1970-01-01' as day, scope,
      incarnation, count::int as count
    from usage_quota_days where project_id = ${projectId}`;
  return sorted([...rows, ...days]);
}

const sorted = (facts: PeriodFact[]) => facts.sort((a, b) => (fieldOf(a) < fieldOf(b) ? -1 : 1));

/** The data in Redis, without the hours, which the specification does not have. */
function seenFromOutside({ counter, usage }: Snapshot): Snapshot {
  const fields = Object.entries(usage).filter(([field]) => !field.startsWith('h|'));
  return { counter, usage: Object.fromEntries(fields) };
}

/** The expected data in Redis, in the format of the scripts. */
function inSpec({ period, scope }: Place, { counter, usage }: SpecRedis): Snapshot {
  const epochOf = (epoch: number) => `e${runIdOf(epoch).slice(0, 16)}${REPLID.slice(0, 16)}`;
  const { minuteBase, minuteCount, periodBase, periodCount } = counter;
  const numbers = [minuteOf(counter.minute), minuteBase, minuteCount, periodBase, periodCount];
  const admitted = usage.admitted.map(([[incarnation, number], count]) => [
    `${period === DAY ? 'd' : 'm'}|${idOf(incarnation)}|${realNumber(period, number)}|${scope}`,
    `${count}`,
  ]);
  return {
    counter:
      counter.epoch === 0
        ? null
        : [epochOf(counter.epoch), idOf(counter.lineage), ...numbers].join(':'),
    usage:
      usage.epoch === 0
        ? {}
        : {
            epoch: epochOf(usage.epoch),
            incarnation: idOf(usage.incarnation),
            minute: `${minuteOf(usage.minute)}`,
            ...Object.fromEntries(admitted),
          },
  };
}
