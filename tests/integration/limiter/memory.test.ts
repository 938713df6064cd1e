import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { usageKey } from '../../../apps/runtime/src/redis/keys.ts';
import { type RedisServer, realRedis, startRedisServer } from '../../support/redis.ts';
import { until } from '../../support/until.ts';
import {
  type Call,
  callOf,
  type HandClock,
  handClock,
  startRuntime,
  type TestRuntime,
} from './support/runtime.ts';
import { createMemoryStore, type MemoryStore } from './support/store.ts';

const HOUR_MS = 3_600_000;
/** So many that they take far more than the buffers of connections, which come and go. */
const PAST_KEYS = 20_000;

describe.skipIf(realRedis === undefined)('a Redis whose memory is full (real Redis)', () => {
  let redis: RedisServer;
  let store: MemoryStore;
  let clock: HandClock;
  let runtime: TestRuntime;
  beforeEach(async () => {
    redis = await startRedisServer();
    store = createMemoryStore();
    clock = handClock();
    runtime = await startRuntime({ url: redis.url, store, clock });
  });
  afterEach(() => redis.dispose());

  /** An hour in which many keys of the project were used. */
  async function useManyKeys({ projectId, policyId }: Call): Promise<void> {
    const key = usageKey(projectId);
    const incarnation = await redis.admin.hget(key, 'incarnation');
    const hour = Math.floor(clock.ms / HOUR_MS);
    const fields = Array.from({ length: PAST_KEYS }, () => [
      `h|${incarnation}|${hour}|${randomUUID()}|${policyId}|allowed`,
      '1',
    ]);
    // In pieces: the buffer of a long command counts as memory, and is freed later on.
    for (let at = 0; at < PAST_KEYS; at += 100) {
      await redis.admin.hset(key, ...fields.slice(at, at + 100).flat());
    }
  }

  async function fillMemory(): Promise<void> {
    const used = /^used_memory:(\d+)/m.exec(await redis.admin.info('memory'))?.[1];
    await redis.admin.config('SET', 'maxmemory', Number(used) - 500_000);
  }

  const fieldsOf = async ({ projectId }: Call) =>
    (await redis.admin.hkeys(usageKey(projectId))).filter((field) => field.startsWith('h|'));

  it('charges again after a sweep removed past and confirmed usage', async () => {
    const call = callOf({ monthlyQuota: 100 });
    await runtime.charge(call);
    await useManyKeys(call);
    clock.ms += 5 * HOUR_MS;
    await fillMemory();
    await expect(runtime.charge(call)).rejects.toMatchObject({ dependency: 'redis' });
    await runtime.sweep();
    expect(await fieldsOf(call)).toEqual([]);
    expect(store.decisions(call.projectId, 'allowed')).toBe(PAST_KEYS + 1);
    expect(await runtime.charge(call)).toMatchObject({ kind: 'allowed' });
  });

  it('recovers within seconds: a rejected charge makes the next sweep start earlier', async () => {
    const call = callOf({ monthlyQuota: 100 });
    await runtime.charge(call);
    await useManyKeys(call);
    await runtime.sweepRepeatedly();
    clock.ms += 5 * HOUR_MS;
    await fillMemory();
    await until(
      'charges are made again',
      async () => (await runtime.charge(call)).kind === 'allowed',
      20_000,
    );
  });
});
