import { eachLimit, projectScope } from '@ceiba/domain';
import { readMonthTotals, recordUsage, type UsageMonthCount } from '@ceiba/schema';
import type { Redis } from 'ioredis';
import { expect } from 'vitest';
import { chargeScriptText, runCharges } from '../../../apps/runtime/src/limiter/charge-script.ts';
import { projectCounterKey, usageKey } from '../../../apps/runtime/src/redis/keys.ts';
import type { Script } from '../../../apps/runtime/src/redis/script.ts';
import { fieldOf } from '../../../apps/runtime/src/usage/facts.ts';
import { factOfField } from '../../../apps/runtime/src/usage/hash.ts';
import { trimScriptText } from '../../../apps/runtime/src/usage/sweep.ts';
import type { World } from '../../support/scenario.ts';
import { withGivenFacts } from './script-judge.ts';

/** Allowed calls by incarnation and month. */
type Admissions = [slot: [incarnation: number, month: number], count: number][];

interface SpecRedis {
  counter: {
    epoch: number;
    lineage: number;
    minute: number;
    minuteBase: number;
    minuteCount: number;
    monthBase: number;
    monthCount: number;
  };
  usage: { epoch: number; incarnation: number; minute: number; admitted: Admissions };
}

interface SpecRuntime {
  seen: { lineage: number; minute: number; minuteCount: number; monthCount: number };
  seed: { month: number; total: number };
  ledger: Admissions;
}

/** The observable part of a state of docs/spec/ceiba.qnt. */
export interface SpecState {
  redis: SpecRedis;
  epoch: number;
  now: number;
  postgres: Admissions;
  runtimes: [name: string, runtime: SpecRuntime][];
  found: { judgedBy: number; past: Admissions };
  nextId: number;
  last: { name: string; runtime: string; usesSeed: boolean; outcome: string };
}

/** The specification's constants. */
const QUOTA = 3;
const RATE = 2;
const MINUTES_A_MONTH = 3;

const YEAR = 2026;
const monthOf = (month: number) => YEAR * 12 + month;
const idOf = (id: number) => `id${id}`;
const runIdOf = (epoch: number) => `${epoch}`.padEnd(40, 'x');
const REPLID = 'r'.repeat(40);

/** Maps the minutes of a month in the specification to the first minutes of a real month. */
function minuteOf(minute: number): number {
  if (minute === 0) return 0;
  const start = Date.UTC(YEAR, Math.floor(minute / MINUTES_A_MONTH)) / 60_000;
  return start + (minute % MINUTES_A_MONTH);
}

/**
 * Replays a run of the specification on the real scripts and a real Postgres, and compares their data
 * with the specification after each step.
 *
 * @returns the number of steps, by name
 */
export async function replay(redis: Redis, world: World, states: readonly SpecState[]) {
  const { projectId } = await world.createProject();
  const place = { projectId, usage: usageKey(projectId), counter: projectCounterKey(projectId) };
  const replayed: Record<string, number> = {};
  let snapshot: Snapshot = { counter: null, usage: {} };

  for (const [index, after] of states.entries()) {
    const before = states[index - 1];
    if (!before) continue;
    const { name, runtime: who, usesSeed, outcome } = after.last;
    const runtime = before.runtimes.find(([other]) => other === who)?.[1];
    const runtimeAfter = after.runtimes.find(([other]) => other === who)?.[1];
    const where = `step ${index}: ${name} ${who}`;
    replayed[name] = (replayed[name] ?? 0) + 1;

    if (runtime && (name === 'charge' || name === 'chargeLate')) {
      const isLate = name === 'chargeLate';
      const reply = await charge(redis, place, before, runtime, { isLate, usesSeed });
      expect(reply?.kind, where).toBe(isLate ? 'late' : outcome);
    } else if (name === 'readSeed' && runtimeAfter) {
      const { month, total } = runtimeAfter.seed;
      const item = { projectId, month: monthOf(month), scope: 'project' };
      expect(await readMonthTotals(world.db, [item]), where).toEqual([total]);
    } else if (name === 'flush' && runtime) {
      await write(world, monthsOf(projectId, runtime.ledger));
    } else if (name === 'sweep') {
      await write(world, await monthsInRedis(redis, place));
    } else if (name === 'trim') {
      const { judgedBy, past } = before.found;
      const pairs = monthsOf(projectId, past).flatMap((month) => [
        fieldOf({ kind: 'month', ...month }),
        month.count,
      ]);
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

    expect(seenFromOutside(await held(redis, place)), where).toEqual(inSpec(after.redis));
    expect(await monthsInPostgres(world, projectId), where).toEqual(
      sorted(monthsOf(projectId, after.postgres)),
    );
  }
  return replayed;
}

interface Place {
  projectId: string;
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
  { projectId }: Place,
  before: SpecState,
  { seen, seed }: SpecRuntime,
  { isLate, usesSeed }: { isLate: boolean; usesSeed: boolean },
) {
  const script = scriptAt(redis, chargeScriptText(), before);
  const limits = { ...eachLimit(() => null), rateLimitPerMinute: RATE, monthlyQuota: QUOTA };
  const request = {
    projectId,
    apiKeyId: projectId,
    policyId: projectId,
    scopes: [projectScope(projectId, limits)],
  };
  const redisDeadlineMs = minuteOf(before.now) * 60_000 + (isLate ? 0 : 1000);
  const seeds = usesSeed ? { month: monthOf(seed.month), totals: [seed.total] } : null;
  const { charges } = await runCharges(script, redis, {
    projectId,
    charges: [{ request, redisDeadlineMs, seeds }],
    freshId: idOf(before.nextId),
    seenOf: () => ({
      ...seen,
      lineage: seen.lineage === 0 ? '-' : idOf(seen.lineage),
      minute: minuteOf(seen.minute),
    }),
  });
  return charges[0];
}

const write = (world: World, months: UsageMonthCount[]) =>
  recordUsage(world.db, { hours: [], months, lastUsed: [] });

const monthsOf = (projectId: string, admitted: Admissions): UsageMonthCount[] =>
  admitted.map(([[incarnation, month], count]) => ({
    projectId,
    month: monthOf(month),
    scope: 'project',
    incarnation: idOf(incarnation),
    count,
  }));

async function monthsInRedis(redis: Redis, place: Place): Promise<UsageMonthCount[]> {
  const fields = Object.entries(await redis.hgetall(place.usage));
  return fields.flatMap(([field, value]) => {
    const fact = factOfField(place.projectId, field, value);
    if (fact?.kind !== 'month') return [];
    const { kind, ...month } = fact;
    return [month];
  });
}

async function monthsInPostgres({ db }: World, projectId: string): Promise<UsageMonthCount[]> {
  const rows = await db.sql<UsageMonthCount[]>`
    select project_id as "projectId", month, scope, incarnation, count::int as count
    from usage_months where project_id = ${projectId}`;
  return sorted([...rows]);
}

const sorted = (months: UsageMonthCount[]) =>
  months.sort((a, b) => a.month - b.month || (a.incarnation < b.incarnation ? -1 : 1));

/** The data in Redis, without the hours, which the specification does not have. */
function seenFromOutside({ counter, usage }: Snapshot): Snapshot {
  const fields = Object.entries(usage).filter(([field]) => !field.startsWith('h|'));
  return { counter, usage: Object.fromEntries(fields) };
}

/** The expected data in Redis, in the format of the scripts. */
function inSpec({ counter, usage }: SpecRedis): Snapshot {
  const epochOf = (epoch: number) => `e${runIdOf(epoch).slice(0, 16)}${REPLID.slice(0, 16)}`;
  const { minuteBase, minuteCount, monthBase, monthCount } = counter;
  const numbers = [minuteOf(counter.minute), minuteBase, minuteCount, monthBase, monthCount];
  const admitted = usage.admitted.map(([[incarnation, month], count]) => [
    `m|${idOf(incarnation)}|${monthOf(month)}|project`,
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
