import { describe, expect, it } from 'vitest';
import { realRedis, startRedisServer } from '../../support/redis.ts';
import { admittedOf, callOf, handClock, startRuntime } from './support/runtime.ts';
import { describeOnEachRedis } from './support/servers.ts';
import { createMemoryStore, type MemoryStore } from './support/store.ts';

const startOne = (url: string, store: MemoryStore, clock = handClock()) =>
  startRuntime({ url, store, clock });

describeOnEachRedis('a wiped Redis', (redis) => {
  const start = (store: MemoryStore, clock = handClock()) => startOne(redis().url, store, clock);

  it.each([
    ['the quota', { monthlyQuota: 5 }],
    ['the rate', { rateLimitPerMinute: 5 }],
  ])('does not allow again what this Runtime has seen used of %s', async (_, limits) => {
    const runtime = await start(createMemoryStore());
    const call = callOf(limits);
    expect(await admittedOf(runtime, call, 3)).toBe(3);
    await redis().admin.flushall();
    expect(await admittedOf(runtime, call, 20)).toBe(2);
  });

  it('does not allow again a quota that this Runtime saw used in an earlier minute of the month', async () => {
    const clock = handClock();
    const runtime = await start(createMemoryStore(), clock);
    const call = callOf({ monthlyQuota: 5 });
    expect(await admittedOf(runtime, call, 3)).toBe(3);
    await redis().admin.flushall();
    clock.ms += 60_000;
    expect(await admittedOf(runtime, call, 20)).toBe(2);
  });

  it('counts what this Runtime saw in the month before for neither the month nor the minute', async () => {
    const clock = handClock('2026-11-30T23:59:30Z');
    const runtime = await start(createMemoryStore(), clock);
    const call = callOf({ monthlyQuota: 5, rateLimitPerMinute: 4 });
    expect(await admittedOf(runtime, call, 3)).toBe(3);
    await redis().admin.flushall();
    clock.ms += 60_000;
    expect(await admittedOf(runtime, call, 20)).toBe(4);
  });

  it('does not allow again the quota that Postgres knows as used', async () => {
    const store = createMemoryStore();
    const before = await start(store);
    const call = callOf({ monthlyQuota: 5 }, { monthlyQuota: 4 });
    expect(await admittedOf(before, call, 3)).toBe(3);
    await before.flush();
    before.die();
    await redis().admin.flushall();
    const after = await start(store);
    expect(await admittedOf(after, call, 20)).toBe(1);
    const otherKey = callOf({ monthlyQuota: 5 }, {}, { projectId: call.projectId });
    expect(await admittedOf(after, otherKey, 20)).toBe(1);
  });

  it.each([
    ['the quota', { monthlyQuota: 8 }],
    ['the rate', { rateLimitPerMinute: 8 }],
  ])('adds up what two Runtimes have seen of %s, although one charges first', async (_, limits) => {
    const store = createMemoryStore();
    const [first, second] = [await start(store), await start(store)];
    const call = callOf(limits);
    expect(await admittedOf(first, call, 3)).toBe(3);
    await redis().admin.flushall();
    expect(await admittedOf(second, call, 2)).toBe(2); // knows nothing of the three
    expect(await admittedOf(first, call, 20)).toBe(3); // 3 + 2 + 3 are the limit of 8
    expect(await admittedOf(second, call, 20)).toBe(0);
  });

  it('counts no call twice when a seed arrives after another Runtime has seeded', async () => {
    const store = createMemoryStore();
    const [first, slow] = [await start(store), await start(store)];
    const hasty = await start(createMemoryStore()); // its Postgres is behind
    const call = callOf({ monthlyQuota: 20 });
    expect(await admittedOf(first, call, 10)).toBe(10);
    await redis().admin.flushall();
    let asked = () => {};
    const hasAsked = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const release = store.holdReads(asked);
    const charging = slow.charge(call);
    await hasAsked;
    expect(await hasty.charge(call)).toMatchObject({ limits: { remainingThisMonth: 19 } });
    await first.flush();
    release(); // with a seed of ten, for a counter whose value is one
    expect(await charging).toMatchObject({ limits: { remainingThisMonth: 9 } });
    // Ten, the hasty one, the slow one, and this: the ten were not counted again.
    expect(await first.charge(call)).toMatchObject({ limits: { remainingThisMonth: 7 } });
  });

  it('keeps usage equal to the allowed calls, although it is wiped repeatedly', async () => {
    const store = createMemoryStore();
    const [first, second] = [await start(store), await start(store)];
    const call = callOf({});
    let admitted = 0;
    for (let round = 0; round < 5; round++) {
      admitted += await admittedOf(first, call, 4);
      admitted += await admittedOf(second, call, 3);
      if (round % 2 === 0) await first.flush();
      await redis().admin.flushall();
    }
    await Promise.all([first.flush(), second.flush()]);
    expect(store.decisions(call.projectId, 'allowed')).toBe(admitted);
    expect(store.admissions(call.projectId, 'project')).toBe(admitted);
    expect(store.admissions(call.projectId, call.apiKeyId)).toBe(admitted);
    expect(store.lastUseOf(call.apiKeyId)).toBeInstanceOf(Date);
  });

  it('counts a seed only in its own month', async () => {
    const store = createMemoryStore();
    const clock = handClock('2026-11-30T23:59:59Z');
    const runtime = await start(store, clock);
    const call = callOf({ monthlyQuota: 5 });
    expect(await admittedOf(runtime, call, 4)).toBe(4);
    await runtime.flush();
    await redis().admin.flushall();
    runtime.die();
    const fresh = await start(store, clock);
    const release = store.holdReads(() => {
      clock.ms += 2000; // December begins while Postgres is asked about November
      release();
    });
    await expect(fresh.charge(call)).rejects.toMatchObject({ dependency: 'redis' });
    expect(await admittedOf(fresh, call, 9)).toBe(5);
  });
});

describeOnEachRedis('a wiped Redis and a clock that steps back', (redis) => {
  it('do not allow a used minute again that a living Runtime remembers', async () => {
    const clock = handClock();
    const runtime = await startOne(redis().url, createMemoryStore(), clock);
    const call = callOf({ rateLimitPerMinute: 5 });
    expect(await admittedOf(runtime, call, 9)).toBe(5);
    clock.ms += 60_000;
    expect(await admittedOf(runtime, call, 9)).toBe(5);
    await redis().admin.flushall();
    clock.ms -= 60_000;
    expect(await admittedOf(runtime, call, 9)).toBe(0);
  });

  it('do not allow a used month again that no living Runtime remembers', async () => {
    const store = createMemoryStore();
    const clock = handClock('2026-12-01T00:10:00Z');
    const before = await startOne(redis().url, store, clock);
    const call = callOf({ monthlyQuota: 5 });
    expect(await admittedOf(before, call, 9)).toBe(5);
    await before.flush();
    before.die();
    await redis().admin.flushall();
    clock.ms -= 20 * 60_000;
    const after = await startOne(redis().url, store, clock);
    expect(await admittedOf(after, call, 3)).toBe(3); // November's
    clock.ms += 20 * 60_000;
    expect(await admittedOf(after, call, 9)).toBe(0);
  });
});

describe.skipIf(realRedis === undefined)('a Redis that returns with less data (real Redis)', () => {
  it('notices a primary that was replaced, returned as a replica and was promoted again', async () => {
    const [a, b] = [await startRedisServer(), await startRedisServer()];
    try {
      const store = createMemoryStore();
      const before = await startOne(a.url, store);
      const call = callOf({ monthlyQuota: 10 });
      expect(await admittedOf(before, call, 2)).toBe(2);
      await b.admin.replicaof('127.0.0.1', `${a.port}`);
      await b.inSyncWithPrimary();
      await b.admin.replicaof('NO', 'ONE');
      expect(await admittedOf(before, call, 4)).toBe(4); // b never hears of these
      await before.flush();
      before.die();
      await a.admin.replicaof('127.0.0.1', `${b.port}`);
      await a.inSyncWithPrimary();
      await a.admin.replicaof('NO', 'ONE'); // the same process, so the same run_id
      const after = await startOne(a.url, store);
      expect(await admittedOf(after, call, 20)).toBe(4);
      await after.flush();
      expect(store.decisions(call.projectId, 'allowed')).toBe(10);
    } finally {
      await Promise.all([a.dispose(), b.dispose()]);
    }
  });
});
