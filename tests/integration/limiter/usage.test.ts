import { randomUUID } from 'node:crypto';
import { beforeEach, expect, it } from 'vitest';
import { usageKey } from '../../../apps/runtime/src/redis/keys.ts';
import { REFUSED } from '../../../apps/runtime/src/usage/record.ts';
import {
  admittedOf,
  type Call,
  callOf,
  chargeTimes,
  handClock,
  startRuntime,
} from './support/runtime.ts';
import { describeOnEachRedis } from './support/servers.ts';
import { createMemoryStore, type MemoryStore } from './support/store.ts';

const HOUR_MS = 3_600_000;

describeOnEachRedis('usage', (redis) => {
  beforeEach(() => redis().admin.flushall());
  const start = (store: MemoryStore, clock = handClock()) =>
    startRuntime({ url: redis().url, store, clock });

  /** A Runtime and a call that it has made so many times. */
  async function charged(times: number) {
    const [store, clock] = [createMemoryStore(), handClock()];
    const runtime = await start(store, clock);
    const call = callOf({});
    await chargeTimes(runtime, call, times);
    return { store, clock, runtime, call };
  }

  /** The counts that Redis holds, without what it notes of the hash itself. */
  const fieldsOf = async ({ projectId }: Call) =>
    (await redis().admin.hkeys(usageKey(projectId))).filter((field) => field.includes('|')).sort();

  it('counts every decision that reaches Redis, by outcome', async () => {
    const store = createMemoryStore();
    const runtime = await start(store);
    const call = callOf({ rateLimitPerMinute: 4, monthlyQuota: 100 }, {});
    await chargeTimes(runtime, call, 10);
    await chargeTimes(runtime, callOf({ monthlyQuota: 0 }, {}, call), 3);
    await runtime.flush();
    expect(store.decisions(call.projectId, 'allowed')).toBe(4);
    expect(store.decisions(call.projectId, 'rate_limited')).toBe(6);
    expect(store.decisions(call.projectId, 'quota_exceeded')).toBe(3);
    expect(store.admissions(call.projectId, 'project')).toBe(4);
    expect(store.admissions(call.projectId, call.apiKeyId)).toBe(4);
  });

  it('records when a key was last allowed, not when it was denied', async () => {
    const store = createMemoryStore();
    const clock = handClock('2026-11-18T10:30:15.250Z');
    const runtime = await start(store, clock);
    const call = callOf({ rateLimitPerMinute: 1 });
    await runtime.charge(call);
    clock.ms += 10_000;
    await runtime.charge(call);
    await runtime.flush();
    expect(store.lastUseOf(call.apiKeyId)?.toISOString()).toBe('2026-11-18T10:30:15.250Z');
  });

  it('loses no count of a Runtime that died before it flushed', async () => {
    const store = createMemoryStore();
    const [dead, living] = [await start(store), await start(store)];
    const call = callOf({ rateLimitPerMinute: 5 });
    const admitted = await admittedOf(dead, call, 8);
    dead.die();
    expect(store.decisions(call.projectId, 'allowed')).toBe(0);
    await living.sweep();
    expect(store.decisions(call.projectId, 'allowed')).toBe(admitted);
    expect(store.decisions(call.projectId, 'rate_limited')).toBe(3);
    expect(store.admissions(call.projectId, 'project')).toBe(admitted);
    expect(store.admissions(call.projectId, call.apiKeyId)).toBe(admitted);
  });

  it('counts the same decisions once, however often they are flushed and swept', async () => {
    const store = createMemoryStore();
    const [first, second] = [await start(store), await start(store)];
    const call = callOf({});
    await chargeTimes(first, call, 3);
    await chargeTimes(second, call, 4);
    for (let round = 0; round < 3; round++) {
      await Promise.all([first.flush(), second.sweep(), second.flush(), first.sweep()]);
    }
    expect(store.decisions(call.projectId, 'allowed')).toBe(7);
    expect(store.admissions(call.projectId, 'project')).toBe(7);
  });

  it('removes past and confirmed usage from Redis after two hours, and goes on counting', async () => {
    const store = createMemoryStore();
    const clock = handClock('2026-11-30T22:10:00Z');
    const runtime = await start(store, clock);
    const call = callOf({ monthlyQuota: 100 });
    await chargeTimes(runtime, call, 3);
    clock.ms += 2 * HOUR_MS; // now in December
    await chargeTimes(runtime, call, 3);
    await runtime.sweep();
    expect(await fieldsOf(call)).toHaveLength(6); // 22:00 to 23:00 is not two hours past yet
    clock.ms += HOUR_MS;
    await runtime.sweep();
    const left = await fieldsOf(call);
    expect(left).toHaveLength(5); // December and its hour; November ended an hour ago
    clock.ms += HOUR_MS;
    await runtime.sweep();
    expect(await fieldsOf(call)).toHaveLength(3);
    await chargeTimes(runtime, call, 3);
    await runtime.flush();
    expect(store.decisions(call.projectId, 'allowed')).toBe(9);
    expect(store.admissions(call.projectId, 'project')).toBe(9);
  });

  it('keeps usage in Redis that Postgres has not confirmed', async () => {
    const { store, clock, runtime, call } = await charged(3);
    clock.ms += 40 * 24 * HOUR_MS;
    store.isDown = true;
    await runtime.sweep();
    expect(await fieldsOf(call)).toHaveLength(3);
  });

  it('keeps usage in Redis that Postgres has rejected, removes the rest, and counts as failing', async () => {
    const { store, clock, runtime, call } = await charged(3);
    clock.ms += 40 * 24 * HOUR_MS;
    store.refuses = ({ months }) => months.some(({ scope }) => scope === 'project');
    const failing = new Error(REFUSED, { cause: new Error('refused') });
    expect(await runtime.sweep()).toEqual([
      [{ err: failing }, 'the sweep of usage left in Redis is failing'],
    ]);
    expect(await fieldsOf(call)).toEqual([expect.stringMatching(/^m\|.*\|project$/)]);
    expect(store.admissions(call.projectId, call.apiKeyId)).toBe(3);
    store.refuses = null;
    expect(await runtime.sweep()).toEqual([]);
    expect(await fieldsOf(call)).toEqual([]);
    expect(store.admissions(call.projectId, 'project')).toBe(3);
  });

  it('keeps usage in Redis of another installation that shares it by mistake', async () => {
    const [store, strangers] = [createMemoryStore(), createMemoryStore()];
    const clock = handClock();
    const [runtime, stranger] = [await start(store, clock), await start(strangers, clock)];
    const call = callOf({});
    await chargeTimes(stranger, call, 3);
    clock.ms += 40 * 24 * HOUR_MS;
    store.projectIds = new Set();
    await runtime.sweep();
    expect(await fieldsOf(call)).toHaveLength(3);
    await stranger.sweep();
    expect(strangers.decisions(call.projectId, 'allowed')).toBe(3);
    expect(await fieldsOf(call)).toEqual([]);
  });

  it('removes all usage of a deleted project from Redis, even after a late call', async () => {
    const store = createMemoryStore();
    const runtime = await start(store);
    const [deleted, kept] = [callOf({}), callOf({})];
    await runtime.charge(deleted);
    await runtime.charge(kept);
    store.projectIds = new Set([kept.projectId]);
    store.deletedProjectIds.add(deleted.projectId);
    await runtime.sweep();
    expect(await redis().admin.exists(usageKey(deleted.projectId))).toBe(0);
    expect(await fieldsOf(kept)).toHaveLength(3);
    await runtime.charge(deleted);
    await runtime.sweep();
    expect(await redis().admin.exists(usageKey(deleted.projectId))).toBe(0);
  });

  it('writes only what Postgres lacks, and compares in batches of a bounded size', async () => {
    const store = createMemoryStore();
    const runtime = await start(store);
    const call = callOf({});
    await runtime.charge(call);
    const key = usageKey(call.projectId);
    const [field = ''] = await fieldsOf(call);
    const others = Array.from({ length: 5_000 }, () => [
      field.replace(call.apiKeyId, randomUUID()),
      '2',
    ]);
    await redis().admin.hset(key, ...others.flat());
    await runtime.sweep();
    expect(store.decisions(call.projectId, 'allowed')).toBe(10_001);
    expect(Math.max(...store.comparisons)).toBeLessThan(2_000);
    expect(Math.max(...store.writes)).toBeLessThanOrEqual(1_000);

    store.writes = [];
    await runtime.charge(call);
    await runtime.sweep();
    await runtime.sweep();
    // The hour, and the month of the project and of the key.
    expect(store.writes.reduce((sum, count) => sum + count, 0)).toBe(3);
    expect(store.decisions(call.projectId, 'allowed')).toBe(10_002);
  });

  it('keeps a number in Redis that grew after it was confirmed', async () => {
    const { store, clock, runtime, call } = await charged(3);
    clock.ms += 5 * HOUR_MS;
    const [field] = await fieldsOf(call);
    const record = store.recordUsage;
    store.recordUsage = async (batch) => {
      store.recordUsage = record;
      const recorded = await record(batch);
      await redis().admin.hset(usageKey(call.projectId), field!, 4); // a late charge
      return recorded;
    };
    await runtime.sweep();
    await runtime.sweep();
    expect(store.decisions(call.projectId, 'allowed')).toBe(4);
  });

  it('counts nothing again in a removed hour, although the clock steps back', async () => {
    const { store, clock, runtime, call } = await charged(3);
    clock.ms += 5 * HOUR_MS;
    await runtime.sweep();
    clock.ms -= 5 * HOUR_MS;
    await chargeTimes(runtime, call, 2);
    await runtime.flush();
    expect(store.decisions(call.projectId, 'allowed')).toBe(5);
  });

  it('sweeps a project of many keys whole', async () => {
    const store = createMemoryStore();
    const [dead, living] = [await start(store), await start(store)];
    const first = callOf({});
    for (let batch = 0; batch < 12; batch++) {
      const keys = Array.from({ length: 50 }, () => randomUUID());
      await Promise.all(
        keys.map((apiKeyId) => dead.charge(callOf({}, {}, { ...first, apiKeyId }))),
      );
    }
    dead.die();
    await living.sweep();
    expect(store.decisions(first.projectId, 'allowed')).toBe(600);
    expect(store.rowCount).toBe(600 + 600 + 1);
  });

  it('sweeps past what is foreign or broken in Redis', async () => {
    const { store, runtime, call } = await charged(3);
    const { admin } = redis();
    await admin.hset('ceiba:{not-a-project}:usage', 'h|x|1|2|3|allowed', 1);
    await admin.hset(usageKey(call.projectId), 'h|x|notanhour|k|p|allowed', 1);
    await admin.hset(usageKey(call.projectId), 'zzz', 'zzz');
    await runtime.sweep();
    expect(store.decisions(call.projectId, 'allowed')).toBe(3);
  });

  it('gives deletions by hand a new incarnation, so that no admission is swallowed', async () => {
    const { store, runtime, call } = await charged(5);
    await runtime.flush();
    await redis().admin.del(usageKey(call.projectId));
    await chargeTimes(runtime, call, 3);
    await runtime.flush();
    expect(store.decisions(call.projectId, 'allowed')).toBe(8);
    expect(store.admissions(call.projectId, 'project')).toBe(8);
  });
});
