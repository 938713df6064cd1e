import { mkdirSync, rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { projectCounterKey } from '../../../apps/runtime/src/redis/keys.ts';
import { UnavailableError } from '../../../apps/runtime/src/unavailable.ts';
import { type RedisServer, realRedis, startRedisServer } from '../../support/redis.ts';
import { until } from '../../support/until.ts';
import { type Call, callOf, startRuntime, type TestRuntime } from './support/runtime.ts';
import { createMemoryStore } from './support/store.ts';

const BUDGET_MS = 200;
const RECOVERY_MS = 5000;
/** A decision's deadline, and what a busy machine may add to it. */
const DEADLINE_MS = 500;
const SLACK_MS = 400;

describe.skipIf(realRedis === undefined)('a Redis in trouble (real Redis)', () => {
  let redis: RedisServer;
  beforeEach(async () => {
    redis = await startRedisServer(['--enable-protected-configs', 'yes']);
  });
  afterEach(() => redis.dispose());

  const start = (url = redis.url) =>
    startRuntime({ url, store: createMemoryStore(), redisBudgetMs: BUDGET_MS });

  /** @returns how long the refusal took, in ms */
  async function refusal(runtime: TestRuntime, call: Call): Promise<number> {
    const startedAt = performance.now();
    const error = await runtime.charge(call, DEADLINE_MS).then(
      () => expect.fail('it was charged'),
      (error: unknown) => error,
    );
    expect(error).toBeInstanceOf(UnavailableError);
    expect(error).toMatchObject({ dependency: 'redis' });
    return performance.now() - startedAt;
  }

  const recovered = (runtime: TestRuntime, call: Call) =>
    until(
      'charges are made again',
      async () => (await runtime.charge(call)).kind === 'allowed',
      RECOVERY_MS,
    );

  const countOf = async ({ projectId }: Call) =>
    Number((await redis.admin.get(projectCounterKey(projectId)))?.split(':').at(-1));

  it('runs none of the charges that a frozen Redis left unanswered when it thaws', async () => {
    const runtime = await start();
    const call = callOf({});
    await runtime.charge(call);
    redis.freeze();
    const first = refusal(runtime, call);
    const firstRefusedAt = first.then(() => performance.now());
    const refusals = [first];
    for (let wave = 0; wave < 30; wave++) {
      for (let i = 0; i < 100; i++) refusals.push(refusal(runtime, call));
      await pause(10);
    }
    const slowest = Math.max(...(await Promise.all(refusals)));
    expect(slowest).toBeLessThan(DEADLINE_MS + SLACK_MS);
    // What lies in the socket was sent before the first refusal, with the budget as its deadline.
    const lastDeadline = (await firstRefusedAt) + BUDGET_MS;
    await until('the deadlines are over', () => performance.now() > lastDeadline);
    redis.thaw();
    await until('the server answers', async () => (await redis.admin.ping()) === 'PONG');
    expect(await countOf(call)).toBeLessThanOrEqual(1 + 5);
    await recovered(runtime, call);
  });

  it('fails at once, without sending, from the first timeout until a new connection has answered', async () => {
    const runtime = await start();
    const call = callOf({});
    await runtime.charge(call);
    redis.freeze();
    await refusal(runtime, call);
    const unsent = await Promise.all(Array.from({ length: 50 }, () => refusal(runtime, call)));
    expect(Math.max(...unsent)).toBeLessThan(BUDGET_MS);
    await expect(runtime.link.ping(1000)).rejects.toBeInstanceOf(UnavailableError);
    redis.thaw();
    await recovered(runtime, call);
  });

  it('waits for a Redis that is loading its data', async () => {
    const runtime = await start();
    const call = callOf({});
    for (let i = 0; i < 20; i++) await redis.admin.set(`filler:${i}`, 'x'.repeat(10_000));
    await redis.admin.save();
    await redis.kill();
    // Each key takes 0.1 s to load, and the server answers LOADING in between.
    await redis.startUnready([
      '--key-load-delay',
      '100000',
      '--loading-process-events-interval-bytes',
      '1024',
    ]);
    await until('the server is loading', async () =>
      /^loading:1/m.test(await redis.admin.info('persistence')),
    );
    await refusal(runtime, call);
    await expect(runtime.link.ping(500)).rejects.toBeInstanceOf(UnavailableError);
    await until('the data is loaded', async () => (await redis.admin.ping()) === 'PONG');
    await recovered(runtime, call);
  });

  it('charges nothing while Redis rejects writes because of its disk, and recovers', async () => {
    const runtime = await start();
    const call = callOf({});
    await runtime.charge(call);
    await redis.admin.config('SET', 'save', '3600 1');
    rmSync(redis.folder, { recursive: true });
    await redis.admin.bgsave();
    await until('the snapshot failed', async () =>
      /^rdb_last_bgsave_status:err/m.test(await redis.admin.info('persistence')),
    );
    await refusal(runtime, call);
    expect(await countOf(call)).toBe(1);
    mkdirSync(redis.folder);
    await redis.admin.config('SET', 'dir', redis.folder);
    await redis.admin.bgsave();
    await recovered(runtime, call);
  });

  it('charges all or nothing when memory is almost full', async () => {
    const runtime = await start();
    const call = callOf({});
    await runtime.charge(call);
    await redis.admin.config('SET', 'maxmemory', '1');
    await refusal(runtime, call);
    expect(await countOf(call)).toBe(1);
    await redis.admin.config('SET', 'maxmemory', '0');
    await recovered(runtime, call);
    expect(await countOf(call)).toBe(2);
  });

  it('charges through a Redis that has forgotten the script', async () => {
    const runtime = await start();
    const call = callOf({ monthlyQuota: 100 });
    await runtime.charge(call);
    await redis.admin.script('FLUSH');
    const charges = await Promise.all(Array.from({ length: 20 }, () => runtime.charge(call)));
    expect(charges.every((charge) => charge.kind === 'allowed')).toBe(true);
    expect(await countOf(call)).toBe(21);
  });
});
