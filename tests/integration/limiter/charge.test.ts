import { expect, it } from 'vitest';
import {
  apiKeyCounterKey,
  projectCounterKey,
  usageKey,
} from '../../../apps/runtime/src/redis/keys.ts';
import {
  admittedOf,
  callOf,
  chargeTimes,
  countAdmitted,
  handClock,
  startRuntime,
  withLimits,
} from './support/runtime.ts';
import { describeOnEachRedis } from './support/servers.ts';
import { createMemoryStore } from './support/store.ts';

describeOnEachRedis('the charge', (redis) => {
  async function start({ clock = handClock(), store = createMemoryStore(), count = 1 } = {}) {
    const { url } = redis();
    const started = await Promise.all(
      Array.from({ length: count }, () => startRuntime({ url, store, clock })),
    );
    const [first, second = started[0]] = started;
    return { first: first!, second: second!, clock, store };
  }

  const REFUSED_MINUTE = { kind: 'denied', denialReason: 'rate_limited' };
  const REFUSED_MONTH = { kind: 'denied', denialReason: 'quota_exceeded' };

  it('allows, and reports what is left', async () => {
    const { first } = await start();
    expect(await first.charge(callOf({ rateLimitPerMinute: 60, monthlyQuota: 10_000 }))).toEqual({
      kind: 'allowed',
      limits: {
        rateLimitPerMinute: 60,
        monthlyQuota: 10_000,
        remainingThisMinute: 59,
        remainingThisMonth: 9_999,
      },
      resetAfterSeconds: { minute: 45, month: 12 * 86_400 + 13 * 3600 + 29 * 60 + 45 },
    });
  });

  it.each([
    ['the rate binds', { rateLimitPerMinute: 7, monthlyQuota: 50 }, 7],
    ['the quota binds', { rateLimitPerMinute: 50, monthlyQuota: 7 }, 7],
    ['both bind', { rateLimitPerMinute: 7, monthlyQuota: 7 }, 7],
    ['a rate of 0 admits nothing', { rateLimitPerMinute: 0 }, 0],
    ['a quota of 0 admits nothing', { monthlyQuota: 0 }, 0],
  ])(
    'admits exactly the smaller limit of 200 at once through two Runtimes: %s',
    async (_, limits, admitted) => {
      const { first, second } = await start({ count: 2 });
      const call = callOf(limits);
      const charges = await Promise.all([
        chargeTimes(first, call, 100),
        chargeTimes(second, call, 100),
      ]);
      expect(countAdmitted(charges.flat())).toBe(admitted);
    },
  );

  it('charges a key and its project together or not at all', async () => {
    const { first } = await start();
    const busy = callOf({ rateLimitPerMinute: 10 }, { rateLimitPerMinute: 2 });
    expect(await admittedOf(first, busy, 50)).toBe(2);
    // The 48 refused ones cost the project nothing, so the other key has the eight that are left.
    const other = callOf({ rateLimitPerMinute: 10 }, {}, { projectId: busy.projectId });
    expect(await admittedOf(first, other, 50)).toBe(8);
  });

  it('consumes neither quota nor rate for a denied request', async () => {
    const { first, clock } = await start();
    const call = callOf({ rateLimitPerMinute: 2, monthlyQuota: 5 });
    const perMinute = [];
    for (let minute = 0; minute < 4; minute++) {
      perMinute.push(await admittedOf(first, call, 20));
      clock.ms += 60_000;
    }
    expect(perMinute).toEqual([2, 2, 1, 0]);
  });

  it('reports the quota before the rate, over all counters', async () => {
    const { first } = await start();
    const call = callOf({ rateLimitPerMinute: 1 }, { monthlyQuota: 1 });
    await first.charge(call);
    expect(await first.charge(call)).toMatchObject(REFUSED_MONTH);
    expect(await first.charge(withLimits(call, { rateLimitPerMinute: 1 }))).toMatchObject(
      REFUSED_MINUTE,
    );
  });

  it.each([
    ['rate', { rateLimitPerMinute: 5 }, REFUSED_MINUTE],
    ['quota', { monthlyQuota: 5 }, REFUSED_MONTH],
  ])(
    'goes on counting while a key has no %s, so that one set again has not forgotten',
    async (_, limits, refused) => {
      const { first } = await start();
      const limited = callOf({}, limits);
      expect(await admittedOf(first, limited, 3)).toBe(3);
      expect(await admittedOf(first, withLimits(limited, {}), 3)).toBe(3);
      expect(await first.charge(limited)).toMatchObject(refused);
    },
  );

  it('gives a fresh minute and a fresh month their full limits', async () => {
    const { first, clock } = await start({ clock: handClock('2026-12-31T23:58:59.999Z') });
    const call = callOf({ rateLimitPerMinute: 2, monthlyQuota: 3 });
    expect(await admittedOf(first, call, 9)).toBe(2);
    clock.ms += 1;
    expect(await admittedOf(first, call, 9)).toBe(1);
    clock.ms += 60_000;
    expect(new Date(clock.ms).toISOString()).toBe('2027-01-01T00:00:00.000Z');
    expect(await admittedOf(first, call, 9)).toBe(2);
  });

  it('allows no used quota again when the clock steps back over the end of a month', async () => {
    const { first, clock } = await start({ clock: handClock('2026-11-30T23:59:30Z') });
    const call = callOf({ monthlyQuota: 5 });
    expect(await admittedOf(first, call, 9)).toBe(5);
    clock.ms += 60_000;
    expect(await admittedOf(first, call, 9)).toBe(5);
    clock.ms -= 60_000;
    expect(await admittedOf(first, call, 9)).toBe(0);
    clock.ms += 60_000;
    expect(await admittedOf(first, call, 9)).toBe(0);
  });

  it('keeps a key that is new to the project in the windows that the project has reached', async () => {
    const { first, clock } = await start({ clock: handClock('2026-12-01T00:00:30Z') });
    const call = callOf({ rateLimitPerMinute: 5 });
    expect(await admittedOf(first, call, 9)).toBe(5);
    clock.ms -= 60_000;
    const newKey = callOf({ rateLimitPerMinute: 5 }, {}, { projectId: call.projectId });
    expect(await admittedOf(first, newKey, 9)).toBe(0);
  });

  it('writes nothing for a charge that reaches Redis after its deadline, and charges it once', async () => {
    const { first, clock } = await start();
    const call = callOf({ monthlyQuota: 10 });
    await first.charge(call);
    clock.ms += 30_000; // Redis is half a minute ahead of what the Runtime believes
    expect(await first.charge(call)).toMatchObject({ limits: { remainingThisMonth: 8 } });
  });

  it.each([
    ['garbage', () => 'garbage'],
    ['nothing', () => ''],
    ['a field too many', (held: string) => `${held}:1`],
    ['a negative count', (held: string) => held.replace(/\d+$/, '-5')],
    ['a fraction', (held: string) => held.replace(/\d+$/, '0.5')],
    ['a number beyond counting', (held: string) => held.replace(/\d+$/, '9'.repeat(400))],
    ['a number in exponent form', (held: string) => held.replace(/\d+$/, '1e+14')],
  ])('takes the count from Postgres when a counter holds %s', async (_, spoil) => {
    const { first, store } = await start();
    const call = callOf({ monthlyQuota: 5 });
    expect(await admittedOf(first, call, 3)).toBe(3);
    await first.flush();
    const { second } = await start({ store }); // one that has seen nothing
    const key = projectCounterKey(call.projectId);
    await redis().admin.set(key, spoil((await redis().admin.get(key))!));
    expect(await admittedOf(second, call, 9)).toBe(2);
  });

  it('goes on with counters in the form that running installations have', async () => {
    const { first } = await start();
    const call = callOf({ monthlyQuota: 5 });
    expect(await admittedOf(first, call, 1)).toBe(1);
    const key = projectCounterKey(call.projectId);
    const [epoch, , minute] = `${await redis().admin.get(key)}`.split(':');
    await redis().admin.set(key, `${epoch}:0a1b2c:${minute}:1:2:1:3`);
    // Another store: it knows of no usage, so a counter that is not read starts at 0.
    const { second } = await start();
    expect(await admittedOf(second, call, 9)).toBe(2);
    expect(await redis().admin.get(key)).toBe(`${epoch}:0a1b2c:${minute}:1:4:1:5`);
  });

  it('takes the count from Postgres when a counter is of another type or gone', async () => {
    const { first, store } = await start();
    const call = callOf({ monthlyQuota: 5 });
    expect(await admittedOf(first, call, 3)).toBe(3);
    await first.flush();
    const { second } = await start({ store });
    await redis().admin.del(projectCounterKey(call.projectId));
    await redis().admin.rpush(projectCounterKey(call.projectId), 'x');
    await redis().admin.del(apiKeyCounterKey(call.projectId, call.apiKeyId));
    expect(await admittedOf(second, call, 9)).toBe(2);
  });

  it('starts a new incarnation where a usage number does not parse, and loses no count', async () => {
    const { first, store } = await start();
    const call = callOf({});
    await chargeTimes(first, call, 3);
    await first.flush();
    const key = usageKey(call.projectId);
    for (const field of await redis().admin.hkeys(key)) {
      if (field.startsWith('h|')) await redis().admin.hset(key, field, 'many');
    }
    await chargeTimes(first, call, 4);
    await first.flush();
    expect(store.decisions(call.projectId, 'allowed')).toBe(7);
    expect(store.admissions(call.projectId, 'project')).toBe(7);
  });

  it('starts a new incarnation where the stored one is longer than any that it names', async () => {
    const { first, store } = await start();
    const call = callOf({});
    await chargeTimes(first, call, 3);
    await first.flush();
    await redis().admin.hset(usageKey(call.projectId), 'incarnation', 'x'.repeat(65));
    await chargeTimes(first, call, 4);
    await first.flush();
    expect(store.decisions(call.projectId, 'allowed')).toBe(7);
    expect(store.admissions(call.projectId, 'project')).toBe(7);
  });

  it('neither charges nor allows where the usage of a project has an unexpected type', async () => {
    const { first } = await start();
    const call = callOf({});
    await redis().admin.set(usageKey(call.projectId), 'not a hash');
    await expect(first.charge(call)).rejects.toMatchObject({ dependency: 'redis' });
    expect(await redis().admin.exists(projectCounterKey(call.projectId))).toBe(0);
  });

  it('reads from Postgres once for each month that a counter enters, and nothing else', async () => {
    const { first, clock, store } = await start({ clock: handClock('2026-11-30T12:00:00Z') });
    const call = callOf({ monthlyQuota: 5 });
    await first.charge(call);
    await first.charge(call);
    clock.ms += 60_000;
    await first.charge(call);
    expect(store.reads).toBe(1);
    clock.ms = Date.parse('2026-12-01T12:00:00Z');
    await first.charge(call);
    expect(await first.charge(call)).toMatchObject({ limits: { remainingThisMonth: 3 } });
    expect(store.reads).toBe(2);
  });

  it('keeps every key of a project under one hash tag', async () => {
    const { first } = await start();
    const { projectId, ...call } = callOf({});
    await first.charge({ projectId, ...call });
    const keys = (await redis().admin.keys('*')).filter((key) => key.includes(projectId));
    expect(keys.sort()).toEqual([
      `ceiba:{${projectId}}:counter:key:${call.apiKeyId}`,
      `ceiba:{${projectId}}:counter:project`,
      `ceiba:{${projectId}}:usage`,
    ]);
  });
});
