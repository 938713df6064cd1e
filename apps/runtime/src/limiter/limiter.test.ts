import { type ChargeRequest, eachLimit } from '@ceiba/domain';
import { apiKeyScope, projectScope } from '@ceiba/domain/test-support';
import type { RedisClient } from '@ceiba/process/redis';
import { describe, expect, it, vi } from 'vitest';
import { Deadline } from '../deadline.ts';
import { RedisClock } from '../redis/clock.ts';
import { UnavailableError } from '../unavailable.ts';
import { UsageLedger } from '../usage/ledger.ts';
import { createLimiter, type LimiterOptions } from './limiter.ts';

const PROJECT = '11111111-1111-4111-8111-111111111111';
const KEY = '22222222-2222-4222-8222-222222222222';
const NONE = eachLimit(() => null);
const SCOPES = [
  projectScope(PROJECT, { ...NONE, rateLimitPerMinute: 60, monthlyQuota: 1000 }),
  apiKeyScope(KEY, NONE, null),
];
const POLICY = '33333333-3333-4333-8333-333333333333';
const REQUEST = { projectId: PROJECT, apiKeyId: KEY, policyId: POLICY, cost: 1, scopes: SCOPES };
const KEYS = [
  `ceiba:{${PROJECT}}:usage`,
  `ceiba:{${PROJECT}}:counter:project`,
  `ceiba:{${PROJECT}}:counter:key:${KEY}`,
];

const NOW_MS = Date.UTC(2026, 10, 22, 10, 0, 30);
const MINUTE = Math.floor(NOW_MS / 60_000);
const MONTH = 2026 * 12 + 10;
const WINDOWS = [NOW_MS, MINUTE] as const;
const HOUR = Math.floor(MINUTE / 60);
/** A counter as Redis keeps it. */
const counterOf = (lineage: string, ofMinute: number, ofMonth: number) =>
  `e:${lineage}:${MINUTE}:0:${ofMinute}:0:${ofMonth}`;
/** A counter as a call left it, in a reply. */
const left = (lineage: string, ofMinute: number, ofMonth: number) => [
  counterOf(lineage, ofMinute, ofMonth),
  ofMinute,
  ofMonth,
];
const UNTOUCHED = ['', 0, 0];
const OF_PROJECT = left('one', 5, 50);
const OF_KEY = left('two', 3, 30);
const INCARNATION_AT = 3;
const ALLOWED = [...WINDOWS, 'allowed', 'i', ...OF_PROJECT, ...OF_KEY, 7, 49, 29];
const LATE = [...WINDOWS, 'late'];
const RESEED = [...WINDOWS, 'reseed'];

/** A limiter whose Redis gives these answers, one by one; an `Error` is thrown. */
function limiterBefore(answers: readonly unknown[], options: Partial<LimiterOptions> = {}) {
  const calls: { keys: readonly string[]; args: readonly unknown[] }[] = [];
  const sends: unknown[] = [];
  const ledger = new UsageLedger();
  const onMemoryFull = vi.fn();
  const readPeriodTotals = vi.fn(async (items: readonly unknown[]) => items.map((_, i) => 40 + i));
  let ids = 0;
  const limiter = createLimiter({
    link: {
      async send(budgetMs, run, key) {
        sends.push({ budgetMs, key });
        return run({} as RedisClient);
      },
    },
    clock: new RedisClock(
      () => 0,
      () => NOW_MS,
    ),
    script: {
      async run(_client, keys, args) {
        const answer = answers[calls.length];
        calls.push({ keys, args });
        if (answer instanceof Error) throw answer;
        return answer;
      },
    },
    readPeriodTotals,
    ledger,
    newId: () => `id${++ids}`,
    onMemoryFull,
    redisBudgetMs: 100.5,
    ...options,
  });
  const charge = (totalMs = 500, request: Partial<ChargeRequest> = {}) =>
    limiter.charge({ ...REQUEST, ...request }, new Deadline(totalMs, () => 0));
  return { charge, calls, sends, ledger, onMemoryFull, readPeriodTotals };
}

describe('a charge', () => {
  it('is one call, with the deadline on the clock of Redis and with each scope in order', async () => {
    const { charge, calls, sends } = limiterBefore([ALLOWED]);
    expect(await charge()).toMatchObject({
      kind: 'allowed',
      limits: { remainingThisMinute: 55, remainingThisMonth: 950 },
      resetAfterSeconds: { minute: 30 },
    });
    expect(sends).toEqual([{ budgetMs: 100.5, key: KEYS[0] }]);
    expect(calls).toEqual([
      {
        keys: KEYS,
        args: [
          'id1',
          `["project",1,"",0,0,"${KEY}",1,"",0,0]`,
          `[[[1,"${KEY}|${POLICY}",1,60,1000,2,-1,-1]],[100,1]]`,
        ],
      },
    ]);
  });

  it('sends the counts that it has seen, and uses the time that Redis answered', async () => {
    const { charge, calls } = limiterBefore([ALLOWED, ALLOWED]);
    await charge();
    await charge(40);
    const [id, counters, charges] = calls[1]?.args ?? [];
    expect(id).toBe('id2');
    expect(JSON.parse(`${counters}`)).toEqual([
      ...['project', 1, OF_PROJECT[0], 0, 0],
      ...[KEY, 1, OF_KEY[0], 0, 0],
    ]);
    expect(charges).toMatch(`[${NOW_MS + 40},1]`);
  });

  it('reads the month that Redis needs from Postgres, and retries with it', async () => {
    const { charge, calls, readPeriodTotals } = limiterBefore([RESEED, ALLOWED]);
    expect(await charge()).toMatchObject({ kind: 'allowed' });
    expect(readPeriodTotals.mock.calls.map(([items]) => items)).toEqual([
      [
        { projectId: PROJECT, number: MONTH, scope: 'project' },
        { projectId: PROJECT, number: MONTH, scope: KEY },
      ],
    ]);
    expect(JSON.parse(`${calls[1]?.args[1]}`)).toEqual([
      ...['project', 1, '', MONTH, 40],
      ...[KEY, 1, '', MONTH, 41],
    ]);
  });

  it('is retried once after each answer that wrote nothing', async () => {
    const { charge, calls, readPeriodTotals } = limiterBefore([LATE, RESEED, ALLOWED]);
    expect(await charge()).toMatchObject({ kind: 'allowed' });
    expect(calls.map(({ args }) => args[0])).toEqual(['id1', 'id2', 'id3']);
    expect(readPeriodTotals).toHaveBeenCalledTimes(1);
  });

  it.each([
    [[LATE, LATE], 'reached too late to charge'],
    [[RESEED, RESEED], 'asked for seeds twice'],
    [[LATE, RESEED, LATE], 'reached too late to charge'],
  ])('is an outage when Redis answers %j', async (answers, message) => {
    const { charge, calls, ledger } = limiterBefore([...answers, ALLOWED]);
    await expect(charge()).rejects.toThrow(new UnavailableError('redis', message));
    expect(calls).toHaveLength(answers.length);
    expect(ledger.pending()).toEqual([]);
  });

  it('is an outage that names the clock of Redis when that is far ahead', async () => {
    const anHourAgo = () => NOW_MS - 3_600_000;
    const clock = new RedisClock(() => 0, anHourAgo);
    const { charge } = limiterBefore([LATE, LATE], { clock });
    await expect(charge()).rejects.toThrow('its clock is 3600 s ahead');
  });

  it('is an outage, and sends nothing, while Redis has a known problem', async () => {
    let problem: string | null = 'several servers behind one address';
    const { charge, calls } = limiterBefore([ALLOWED], { problem: () => problem });
    await expect(charge()).rejects.toThrow(new UnavailableError('redis', problem));
    expect(calls).toEqual([]);
    problem = null;
    expect(await charge()).toMatchObject({ kind: 'allowed' });
  });

  it('accepts counts of zero', async () => {
    const { charge } = limiterBefore([
      [...WINDOWS, 'rate_limited', 'i', ...left('one', 0, 0), ...left('two', 0, 0), 1],
    ]);
    expect(await charge()).toMatchObject({ limits: { remainingThisMonth: 1000 } });
  });

  it('is an outage when the month totals cannot be read', async () => {
    const readPeriodTotals = async () => {
      throw new Error('no connection');
    };
    const { charge } = limiterBefore([RESEED, ALLOWED], { readPeriodTotals });
    await expect(charge()).rejects.toMatchObject({ dependency: 'database' });
  });
});

describe('charges that share a call', () => {
  const OTHER = '44444444-4444-4444-8444-444444444444';
  const [project] = SCOPES;
  const ofOther = {
    apiKeyId: OTHER,
    scopes: [project!, apiKeyScope(OTHER, { ...NONE, rateLimitPerMinute: 5 }, null)],
  };

  it('name each counter once, and their own deadlines and limits', async () => {
    const { charge, calls } = limiterBefore([]);
    const lowered = {
      scopes: [projectScope(PROJECT, { ...NONE, rateLimitPerMinute: 60, monthlyQuota: 9 })],
    };
    await Promise.allSettled([charge(), charge(40, ofOther), charge(50.9, lowered)]);
    expect(calls).toHaveLength(1);
    expect(calls[0]?.keys).toEqual([...KEYS, `ceiba:{${PROJECT}}:counter:key:${OTHER}`]);
    expect(calls[0]?.args).toEqual([
      'id1',
      `["project",1,"",0,0,"${KEY}",1,"",0,0,"${OTHER}",1,"",0,0]`,
      `[[[1,"${KEY}|${POLICY}",1,60,1000,2,-1,-1],[1,"${OTHER}|${POLICY}",1,60,1000,3,5,-1],` +
        `[1,"${KEY}|${POLICY}",1,60,9]],[100,1,40,2,50,3]]`,
    ]);
  });

  it('and differ only in their deadlines name the rest of them once', async () => {
    const { charge, calls } = limiterBefore([]);
    await Promise.allSettled([charge(), charge(40), charge(500, { cost: 7 })]);
    expect(calls[0]?.args[2]).toBe(
      `[[[1,"${KEY}|${POLICY}",1,60,1000,2,-1,-1],[7,"${KEY}|${POLICY}",1,60,1000,2,-1,-1]],` +
        '[100,1,40,1,100,2]]',
    );
  });

  it('get their own results, and the counters are seen as the last one left them', async () => {
    const { charge, calls, ledger } = limiterBefore([
      [
        ...[...WINDOWS, 'allowed', 'late', 'allowed', 'rate_limited', 'i'],
        ...[...left('one', 6, 51), ...left('two', 4, 31), ...UNTOUCHED],
        ...[2, 1, 51, 31],
      ],
      ALLOWED,
      ALLOWED,
    ]);
    const charges = [charge(), charge(500, ofOther), charge(), charge()];
    expect(await charges[0]).toMatchObject({ limits: { remainingThisMonth: 950 } });
    expect(await charges[2]).toMatchObject({ limits: { remainingThisMonth: 949 } });
    expect(await charges[3]).toMatchObject({ kind: 'denied', denialReason: 'rate_limited' });
    expect(ledger.pending()).toMatchObject([
      { kind: 'hour', outcome: 'allowed', count: 2 },
      { kind: 'hour', outcome: 'rate_limited', count: 1 },
      { kind: 'month', scope: 'project', count: 51 },
      { kind: 'month', scope: KEY, count: 31 },
      { kind: 'lastUse', apiKeyId: KEY, count: NOW_MS },
    ]);
    await charges[1];
    await charge();
    expect(JSON.parse(`${calls[1]?.args[1]}`)).toEqual([
      ...['project', 1, counterOf('one', 6, 51), 0, 0],
      ...[OTHER, 1, '', 0, 0],
    ]);
    expect(calls[2]?.args[1]).toContain(counterOf('two', 4, 31));
  });

  it('are retried alone: a neighbour that was counted is not sent again', async () => {
    const { charge, calls } = limiterBefore([
      [...WINDOWS, 'allowed', 'reseed', 'i', ...OF_PROJECT, ...OF_KEY, ...UNTOUCHED, 7, 49, 29],
      ALLOWED,
    ]);
    await Promise.all([charge(), charge(500, ofOther)]);
    const [first, second] = calls.map(({ args }) => JSON.parse(`${args[2]}`));
    expect(first[1]).toEqual([100, 1, 100, 2]);
    expect(second).toEqual([
      [[1, `${OTHER}|${POLICY}`, 1, 60, 1000, 2, 5, -1]],
      [expect.any(Number), 1],
    ]);
  });

  it('are refused where the script could not parse them, and their neighbours are not', async () => {
    const { charge } = limiterBefore([
      [...WINDOWS, 'malformed', 'allowed', 'i', ...OF_PROJECT, ...UNTOUCHED, ...OF_KEY, 7, 49, 29],
    ]);
    const [spoiled, sound] = [charge(), charge(500, ofOther)];
    await expect(spoiled).rejects.toThrow(
      new UnavailableError('redis', 'could not parse the charge'),
    );
    expect(await sound).toMatchObject({ kind: 'allowed' });
  });

  it('have the whole budget of a call, however little time one of them has left', async () => {
    const { charge, sends } = limiterBefore([]);
    await Promise.allSettled([charge(5), charge(50)]);
    expect(sends).toEqual([{ budgetMs: 100.5, key: KEYS[0] }]);
  });
});

describe('the usage that a charge keeps', () => {
  const hour = {
    kind: 'hour',
    projectId: PROJECT,
    hour: HOUR,
    apiKeyId: KEY,
    policyId: POLICY,
    incarnation: 'i',
    count: 7,
  };

  it('is the outcome, the month of each scope and the last use, for an allowed call', async () => {
    const { charge, ledger } = limiterBefore([ALLOWED]);
    await charge();
    const month = {
      kind: 'month',
      projectId: PROJECT,
      month: MONTH,
      incarnation: 'i',
    };
    expect(ledger.pending()).toEqual([
      { ...hour, outcome: 'allowed' },
      { ...month, scope: 'project', count: 49 },
      { ...month, scope: KEY, count: 29 },
      { kind: 'lastUse', projectId: PROJECT, apiKeyId: KEY, count: NOW_MS },
    ]);
  });

  it.each(['quota_exceeded', 'rate_limited'])('is the outcome alone, for %s', async (kind) => {
    const { charge, ledger } = limiterBefore([ALLOWED.slice(0, -2).with(2, kind)]);
    expect(await charge()).toMatchObject({ kind: 'denied', denialReason: kind });
    expect(ledger.pending()).toEqual([{ ...hour, outcome: kind }]);
  });
});

describe('a failing Redis', () => {
  const outage = (message: string) =>
    new UnavailableError('redis', 'failed', { cause: new Error(message) });

  it.each([
    ['OOM command not allowed', true],
    ['@user_script: 1: -OOM command not allowed', true],
    ['MISCONF OOM', false],
    ['BOOM command', false],
    ['READONLY', false],
  ])('counts as full after %j: %s', async (message, isFull) => {
    const { charge, onMemoryFull } = limiterBefore([outage(message)]);
    await expect(charge()).rejects.toThrow('failed');
    expect(onMemoryFull).toHaveBeenCalledTimes(isFull ? 1 : 0);
  });

  it('fails the charge even without a listener for a full memory', async () => {
    const { charge } = limiterBefore([outage('OOM x')], { onMemoryFull: undefined! });
    await expect(charge()).rejects.toThrow('failed');
  });

  it.each([
    new Error('OOM x'),
    new UnavailableError('redis', 'OOM x'),
    new UnavailableError('redis', 'failed', { cause: 'OOM x' }),
  ])('does not count as full after an error of another shape: %s', async (error) => {
    const { charge, onMemoryFull } = limiterBefore([error]);
    await expect(charge()).rejects.toBe(error);
    expect(onMemoryFull).not.toHaveBeenCalled();
  });

  it.each([
    [null, 1],
    [[], 1],
    [[''], 1],
    [['late'], 1],
    [[-1], 1],
    [[1.5], 1],
    [['1'], 1],
    [[1], 2],
    [WINDOWS, 3],
    [[...WINDOWS, ''], 3],
    [[...WINDOWS, 7], 3],
    [ALLOWED.with(INCARNATION_AT, ''), 4],
    [ALLOWED.slice(0, 6), 7],
    [ALLOWED.with(7, 5), 8],
    [ALLOWED.with(9, '5'), 10],
    [ALLOWED.slice(0, -1), 13],
  ])('cannot pass a malformed answer like %j', async (answer, position) => {
    const { charge } = limiterBefore([answer]);
    await expect(charge()).rejects.toThrow(`the charge returned a malformed field ${position}`);
  });

  it('is an outage where the usage was counted under an unknown field', async () => {
    const { charge } = limiterBefore([ALLOWED.with(INCARNATION_AT, 'i|x')]);
    await expect(charge()).rejects.toBeInstanceOf(UnavailableError);
  });

  it('cannot pass numbers of usage that it did not ask for', async () => {
    const { charge } = limiterBefore([[...ALLOWED, 1]]);
    await expect(charge()).rejects.toThrow('the charge returned more than its usage');
  });

  it('cannot pass an unknown outcome', async () => {
    const { charge } = limiterBefore([ALLOWED.with(2, 'admitted')]);
    await expect(charge()).rejects.toThrow('the charge returned an unknown outcome');
  });
});
