import { randomUUID } from 'node:crypto';
import type { KeyLimits } from '@ceiba/domain';
import { expect, it, vi } from 'vitest';
import type { CarriedCharge } from '../../../apps/runtime/src/limiter/charge-arguments.ts';
import { chargeScriptText, runCharges } from '../../../apps/runtime/src/limiter/charge-script.ts';
import { apiKeyCounterKey, usageKey } from '../../../apps/runtime/src/redis/keys.ts';
import { createScript, type Script } from '../../../apps/runtime/src/redis/script.ts';
import {
  type Call,
  callOf,
  countAdmitted,
  handClock,
  startRuntime,
  type TestRuntime,
} from './support/runtime.ts';
import { describeOnEachRedis } from './support/servers.ts';
import { createMemoryStore } from './support/store.ts';

async function start(url: string, options: { chargeText?: string } = {}) {
  const store = createMemoryStore();
  const runtime = await startRuntime({ url, store, clock: handClock(), ...options });
  return { runtime, store, sends: vi.spyOn(runtime.link, 'send') };
}

/** Calls with as many keys of one project. */
function callsOf(keys: number, project: Partial<KeyLimits>, key: Partial<KeyLimits> = {}): Call[] {
  const projectId = randomUUID();
  return Array.from({ length: keys }, () => callOf(project, key, { projectId }));
}

const atOnce = (runtime: TestRuntime, calls: readonly Call[]) =>
  Promise.all(calls.map((call) => runtime.charge(call)));

/** Every call as often, one after another and round again. */
const repeated = (calls: readonly Call[], times: number): Call[] =>
  Array.from({ length: times }, () => calls).flat();

describeOnEachRedis('charges that share a call', (redis) => {
  it('are allowed in order of arrival, exactly as many as the limits leave', async () => {
    const { runtime, sends } = await start(redis().url);
    const calls = callsOf(4, { rateLimitPerMinute: 10 });
    await atOnce(runtime, calls); // seeds their counters
    sends.mockClear();
    const charges = await atOnce(runtime, repeated(calls, 10));
    expect(sends).toHaveBeenCalledTimes(1);
    expect(charges.map(({ kind }) => kind)).toEqual([
      ...Array<string>(6).fill('allowed'),
      ...Array<string>(34).fill('denied'),
    ]);
  });

  it('come to what they come to one by one, whatever keys and limits they mix', async () => {
    const { runtime, store } = await start(redis().url);
    const limits = { rateLimitPerMinute: 40, monthlyQuota: 55 };
    const order = Array.from({ length: 60 }, (_, index) => (index * index + index) % 7);
    const keyLimits = order.map((key) =>
      key < 3 ? { rateLimitPerMinute: 3 + key } : { monthlyQuota: 4 * key },
    );
    const course = () => {
      const calls = callsOf(7, limits);
      return order.map((key, index) => {
        const { projectId, apiKeyId, policyId } = calls[key]!;
        return callOf(limits, keyLimits[index], { projectId, apiKeyId, policyId });
      });
    };
    const [together, single] = [course(), course()];
    const charges = await atOnce(runtime, together);
    const oneByOne = [];
    for (const call of single) oneByOne.push(await runtime.charge(call));
    expect(charges).toEqual(oneByOne);
    expect(new Set(charges.map(({ kind }) => kind))).toEqual(new Set(['allowed', 'denied']));
    await runtime.flush();
    for (const outcome of ['allowed', 'rate_limited', 'quota_exceeded']) {
      const [{ projectId: ofTogether }, { projectId: ofSingle }] = [together[0]!, single[0]!];
      expect(store.decisions(ofTogether, outcome)).toBe(store.decisions(ofSingle, outcome));
    }
    for (const [index, { projectId, apiKeyId }] of together.entries()) {
      const other = single[index]!;
      expect(store.admissions(projectId, apiKeyId)).toBe(
        store.admissions(other.projectId, other.apiKeyId),
      );
    }
  });

  it('need a handful of calls where they are hundreds, and one per project', async () => {
    const { runtime, sends } = await start(redis().url);
    const calls = [...callsOf(5, {}), ...callsOf(5, {})];
    await atOnce(runtime, calls);
    sends.mockClear();
    expect(countAdmitted(await atOnce(runtime, repeated(calls, 30)))).toBe(300);
    expect(sends).toHaveBeenCalledTimes(2 * Math.ceil(150 / 64));
  });

  it('are too many if they are judged against the counters before the call', async () => {
    const before = chargeScriptText()
      .replace('local kinds, charges = ', 'local minutesBefore = { unpack(minuteCounts) }\n$&')
      .replace('minuteCounts[kind[at]] < rate', 'minutesBefore[kind[at]] < rate');
    const { runtime } = await start(redis().url, { chargeText: before });
    const [call] = callsOf(1, { rateLimitPerMinute: 10 });
    await runtime.charge(call!);
    expect(countAdmitted(await atOnce(runtime, repeated([call!], 40)))).toBe(40);
  });
});

describeOnEachRedis('a call of the script', (redis) => {
  const NOW_MS = Date.parse('2026-11-18T10:30:15.000Z');
  const MONTH = 2026 * 12 + 10;

  /** Runs a call, with the clock by hand and its arguments changed before they are sent. */
  async function run(
    charges: readonly Partial<CarriedCharge & { call: Call }>[],
    changed: (args: readonly (string | number)[]) => readonly (string | number)[] = (args) => args,
  ) {
    const time = `{ '${NOW_MS / 1000}', '0' }`;
    const script = createScript(chargeScriptText().replace("redis.call('TIME')", time));
    const spoiling: Script = {
      run: (client, keys, args) => script.run(client, keys, changed(args)),
    };
    const projectId = charges[0]?.call?.projectId ?? '';
    return runCharges(spoiling, redis().admin, {
      projectId,
      charges: charges.map(({ call, redisDeadlineMs = NOW_MS + 100, seeds }) => ({
        request: call!,
        redisDeadlineMs,
        seeds: seeds === undefined ? call!.scopes.map(() => ({ period: MONTH, total: 0 })) : seeds,
      })),
      freshId: randomUUID().replaceAll('-', ''),
      seenOf: () => undefined,
    });
  }

  const kindsOf = ({ charges }: Awaited<ReturnType<typeof run>>) => charges.map(({ kind }) => kind);
  const isWritten = async ({ projectId, apiKeyId }: Call) =>
    (await redis().admin.exists(apiKeyCounterKey(projectId, apiKeyId))) === 1;

  it('refuses a late charge and makes its neighbours', async () => {
    const [late, inTime] = callsOf(2, {});
    const reply = await run([
      { call: late!, redisDeadlineMs: NOW_MS - 1 },
      { call: inTime!, redisDeadlineMs: NOW_MS },
    ]);
    expect(kindsOf(reply)).toEqual(['late', 'allowed']);
    expect(await isWritten(late!)).toBe(false);
    expect(reply.usage.filter(({ field }) => field.includes(late!.apiKeyId))).toEqual([]);
  });

  it('asks for the seed of one counter, and makes the charges that do not touch it', async () => {
    const [known, unknown] = callsOf(2, {});
    await run([{ call: known! }]);
    const reply = await run([
      { call: known!, seeds: null },
      { call: unknown!, seeds: null },
      { call: known!, seeds: null },
    ]);
    expect(kindsOf(reply)).toEqual(['allowed', 'reseed', 'allowed']);
    expect(await isWritten(unknown!)).toBe(false);
  });

  it('refuses a malformed charge alone, and a malformed counter with its charges', async () => {
    const [first, second] = callsOf(2, {});
    const charges = [{ call: first! }, { call: second! }, { call: first! }];
    const costing = (cost: number) => (args: readonly (string | number)[]) =>
      args.with(2, `${args[2]}`.replace('[[[1,', `[[[${cost},`));
    for (const cost of [-1, 0.5, 1_000_001]) {
      expect(kindsOf(await run(charges, costing(cost)))).toEqual([
        'malformed',
        'allowed',
        'malformed',
      ]);
    }
    const spoil = (place: number) => (args: readonly (string | number)[]) =>
      args.with(1, JSON.stringify(JSON.parse(`${args[1]}`).with(5 * (place - 1) + 1, 29)));
    expect(kindsOf(await run(charges, spoil(3)))).toEqual(['allowed', 'malformed', 'allowed']);
    expect(kindsOf(await run(charges, spoil(1)))).toEqual(Array(3).fill('malformed'));
  });

  it('allows no charge that names no counter', async () => {
    const [call] = callsOf(1, {});
    const without = (args: readonly (string | number)[]) =>
      args.with(2, `[[[1,"k|p"]],[${NOW_MS},1]]`);
    expect(kindsOf(await run([{ call: call! }], without))).toEqual(['malformed']);
  });

  it('writes nothing if none of its charges is judged', async () => {
    const [first, second] = callsOf(2, {});
    const reply = await run([
      { call: first!, redisDeadlineMs: NOW_MS - 1 },
      { call: second!, seeds: null },
    ]);
    expect(kindsOf(reply)).toEqual(['late', 'reseed']);
    const { projectId } = first!;
    expect(await redis().admin.keys(`*${projectId}*`)).toEqual([]);
  });

  it('counts equal charges under one field, and each key under its own', async () => {
    const [first, second] = callsOf(2, {});
    const { usage } = await run([{ call: first! }, { call: second! }, { call: first! }]);
    const numbers = Object.values(await redis().admin.hgetall(usageKey(first!.projectId)));
    expect(usage.map(({ count }) => count)).toEqual([2, 1, 3, 2, 1]);
    expect(numbers).toEqual(expect.arrayContaining(['2', '3', '1']));
  });
});
