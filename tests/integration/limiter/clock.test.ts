import { beforeEach, expect, it } from 'vitest';
import { projectCounterKey, usageKey } from '../../../apps/runtime/src/redis/keys.ts';
import { createTrimScript } from '../../../apps/runtime/src/usage/sweep.ts';
import {
  type Call,
  callOf,
  type HandClock,
  handClock,
  startRuntime,
  type TestRuntime,
} from './support/runtime.ts';
import { describeOnEachRedis } from './support/servers.ts';
import { createMemoryStore, type MemoryStore } from './support/store.ts';

const MINUTE_MS = 60_000;

describeOnEachRedis('a Redis whose clock is ahead', (redis) => {
  let store: MemoryStore;
  /** The clock of Redis, and that of the Runtime. */
  let clock: HandClock;
  let wallClock: HandClock;
  let runtime: TestRuntime;
  beforeEach(async () => {
    await redis().admin.flushall();
    store = createMemoryStore();
    clock = handClock();
    wallClock = handClock();
    runtime = await startRuntime({ url: redis().url, store, clock, wallClock });
  });

  const stateOf = async ({ projectId }: Call) => [
    await redis().admin.get(projectCounterKey(projectId)),
    await redis().admin.hgetall(usageKey(projectId)),
  ];
  const minuteOf = async ({ projectId }: Call) =>
    Number(await redis().admin.hget(usageKey(projectId), 'minute'));

  it('by more than five minutes charges nothing, writes no window, and reports why', async () => {
    const call = callOf({ rateLimitPerMinute: 3, monthlyQuota: 10 });
    await runtime.charge(call);
    const before = await stateOf(call);
    clock.ms += 6 * MINUTE_MS;
    for (let i = 0; i < 3; i++) {
      await expect(runtime.charge(call)).rejects.toMatchObject({
        dependency: 'redis',
        message: expect.stringContaining('its clock is 360 s ahead'),
      });
    }
    expect(await stateOf(call)).toEqual(before);
  });

  it('and is set back goes on with its old counters', async () => {
    const call = callOf({ rateLimitPerMinute: 3, monthlyQuota: 10 });
    await runtime.charge(call);
    clock.ms += 40 * 24 * 60 * MINUTE_MS;
    await expect(runtime.charge(call)).rejects.toMatchObject({ dependency: 'redis' });
    clock.ms -= 40 * 24 * 60 * MINUTE_MS;
    expect(await runtime.charge(call)).toMatchObject({
      kind: 'allowed',
      limits: { remainingThisMinute: 1, remainingThisMonth: 8 },
    });
  });

  it('since before the Runtime started is rejected as well', async () => {
    clock.ms += 6 * MINUTE_MS;
    const late = await startRuntime({ url: redis().url, store, clock, wallClock });
    try {
      await expect(late.charge(callOf({}))).rejects.toMatchObject({ dependency: 'redis' });
    } finally {
      late.die();
    }
  });

  it('by less than five minutes is followed, and its windows never go back', async () => {
    const call = callOf({ rateLimitPerMinute: 3 });
    await runtime.charge(call);
    clock.ms += 4 * MINUTE_MS;
    await runtime.charge(call);
    const ahead = await minuteOf(call);
    clock.ms -= 4 * MINUTE_MS;
    expect(await runtime.charge(call)).toMatchObject({ limits: { remainingThisMinute: 1 } });
    expect(await minuteOf(call)).toBe(ahead);
  });

  it('advances no window beyond the time of the sweep', async () => {
    const call = callOf({});
    await runtime.charge(call);
    const key = usageKey(call.projectId);
    const field = (await redis().admin.hkeys(key)).find((name) => name.startsWith('h|')) ?? '';
    const minute = await minuteOf(call);
    const judgedBy = minute + 240;
    // On the server's own clock, which is far ahead of this one.
    await redis().admin.hset(key, 'minute', 0);
    const removed = await createTrimScript().run(redis().admin, [key], [judgedBy, field, 1]);
    expect(removed).toBe(1);
    expect(await minuteOf(call)).toBe(judgedBy);
  });
});
