import type { LimitScope } from '@ceiba/domain';
import { describe, expect, it, vi } from 'vitest';
import { Deadline } from '../deadline.ts';
import type { RedisClient } from '../redis/client.ts';
import { RedisClock } from '../redis/clock.ts';
import { UnavailableError } from '../unavailable.ts';
import { UsageLedger } from '../usage/ledger.ts';
import { createLimiter, type LimiterOptions } from './limiter.ts';

const PROJECT = '11111111-1111-4111-8111-111111111111';
const KEY = '22222222-2222-4222-8222-222222222222';
const SCOPES: LimitScope[] = [
  { kind: 'project', id: PROJECT, rateLimitPerMinute: 60, monthlyQuota: 1000 },
  { kind: 'api_key', id: KEY, rateLimitPerMinute: null, monthlyQuota: null },
];
const REQUEST = { projectId: PROJECT, apiKeyId: KEY, policyId: 'policy', scopes: SCOPES };
const KEYS = [
  `ceiba:{${PROJECT}}:usage`,
  `ceiba:{${PROJECT}}:counter:project`,
  `ceiba:{${PROJECT}}:counter:key:${KEY}`,
];

const NOW_MS = Date.UTC(2026, 10, 22, 10, 0, 30);
const MINUTE = Math.floor(NOW_MS / 60_000);
const MONTH = 2026 * 12 + 10;
const WINDOWS = [NOW_MS, MINUTE, MONTH, 'incarnation'] as const;
const ALLOWED = ['allowed', ...WINDOWS, 'one', 5, 50, 'two', 3, 30, 7, 49, 29];
const LATE = ['late', NOW_MS];
const RESEED = ['reseed', NOW_MS, MONTH];

/** A limiter whose Redis gives these answers, one by one; an `Error` is thrown. */
function limiterBefore(answers: readonly unknown[], options: Partial<LimiterOptions> = {}) {
  const calls: { keys: readonly string[]; args: readonly unknown[] }[] = [];
  const sends: unknown[] = [];
  const ledger = new UsageLedger();
  const onMemoryFull = vi.fn();
  const readMonthTotals = vi.fn(async (items: readonly unknown[]) => items.map((_, i) => 40 + i));
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
    readMonthTotals,
    ledger,
    newId: () => `id${++ids}`,
    onMemoryFull,
    redisBudgetMs: 100.5,
    ...options,
  });
  const charge = (totalMs = 500) => limiter.charge(REQUEST, new Deadline(totalMs, () => 0));
  return { charge, calls, sends, ledger, onMemoryFull, readMonthTotals };
}

/** The arguments that belong to one scope. */
const scopeOf = (args: readonly unknown[] | undefined, index: number) =>
  args?.slice(5 + 8 * index, 13 + 8 * index);

describe('a charge', () => {
  it('is one call, with the deadline on the clock of Redis and with each scope in order', async () => {
    const { charge, calls, sends } = limiterBefore([ALLOWED]);
    expect(await charge()).toMatchObject({
      kind: 'allowed',
      limits: { remainingThisMinute: 55, remainingThisMonth: 950 },
      resetAfterSeconds: { minute: 30 },
    });
    expect(sends).toEqual([{ budgetMs: 100.5, key: KEYS[1] }]);
    expect(calls).toEqual([
      {
        keys: KEYS,
        args: [
          ...[100, 'id1', KEY, 'policy', 0],
          ...['project', 60, 1000, 0, '-', 0, 0, 0],
          ...[KEY, -1, -1, 0, '-', 0, 0, 0],
        ],
      },
    ]);
  });

  it('sends the counts that it has seen, and uses the time that Redis answered', async () => {
    const { charge, calls } = limiterBefore([ALLOWED, ALLOWED]);
    await charge();
    await charge(40);
    const args = calls[1]?.args;
    expect(args?.slice(0, 2)).toEqual([NOW_MS + 40, 'id2']);
    expect(scopeOf(args, 0)?.slice(4)).toEqual(['one', MINUTE, 5, 50]);
    expect(scopeOf(args, 1)?.slice(4)).toEqual(['two', MINUTE, 3, 30]);
  });

  it('reads the month that Redis needs from Postgres, and retries with it', async () => {
    const { charge, calls, readMonthTotals } = limiterBefore([RESEED, ALLOWED]);
    expect(await charge()).toMatchObject({ kind: 'allowed' });
    expect(readMonthTotals.mock.calls.map(([items]) => items)).toEqual([
      [
        { projectId: PROJECT, month: MONTH, scope: 'project' },
        { projectId: PROJECT, month: MONTH, scope: KEY },
      ],
    ]);
    const args = calls[1]?.args;
    expect(args?.[4]).toBe(MONTH);
    expect([scopeOf(args, 0)?.[3], scopeOf(args, 1)?.[3]]).toEqual([40, 41]);
  });

  it('is retried once after each answer that wrote nothing', async () => {
    const { charge, calls, readMonthTotals } = limiterBefore([LATE, RESEED, ALLOWED]);
    expect(await charge()).toMatchObject({ kind: 'allowed' });
    expect(calls.map(({ args }) => args[1])).toEqual(['id1', 'id2', 'id3']);
    expect(readMonthTotals).toHaveBeenCalledTimes(1);
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
    const { charge } = limiterBefore([['rate_limited', ...WINDOWS, 'one', 0, 0, 'two', 0, 0, 1]]);
    expect(await charge()).toMatchObject({ limits: { remainingThisMonth: 1000 } });
  });

  it('is an outage when the month totals cannot be read', async () => {
    const readMonthTotals = async () => {
      throw new Error('no connection');
    };
    const { charge } = limiterBefore([RESEED, ALLOWED], { readMonthTotals });
    await expect(charge()).rejects.toMatchObject({ dependency: 'database' });
  });
});

describe('the usage that a charge keeps', () => {
  const hour = {
    kind: 'hour',
    projectId: PROJECT,
    hour: Math.floor(MINUTE / 60),
    apiKeyId: KEY,
    policyId: 'policy',
    incarnation: 'incarnation',
    count: 7,
  };

  it('is the outcome, the month of each scope and the last use, for an allowed call', async () => {
    const { charge, ledger } = limiterBefore([ALLOWED]);
    await charge();
    const month = {
      kind: 'month',
      projectId: PROJECT,
      month: MONTH,
      incarnation: 'incarnation',
    };
    expect(ledger.pending()).toEqual([
      { ...hour, outcome: 'allowed' },
      { ...month, scope: 'project', count: 49 },
      { ...month, scope: KEY, count: 29 },
      { kind: 'lastUse', projectId: PROJECT, apiKeyId: KEY, count: NOW_MS },
    ]);
  });

  it.each(['quota_exceeded', 'rate_limited'])('is the outcome alone, for %s', async (kind) => {
    const { charge, ledger } = limiterBefore([[kind, ...ALLOWED.slice(1, -2)]]);
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
    [[7], 1],
    [['late'], 2],
    [['late', -1], 2],
    [['late', 1.5], 2],
    [['late', '1'], 2],
    [['reseed', 1], 3],
    [['allowed', ...WINDOWS.slice(0, 3), ''], 5],
    [ALLOWED.slice(0, -1), 14],
    [ALLOWED.with(5, 5), 6],
  ])('cannot pass a malformed answer like %j', async (answer, position) => {
    const { charge } = limiterBefore([answer]);
    await expect(charge()).rejects.toThrow(`the charge returned a malformed field ${position}`);
  });

  it('cannot pass an unknown outcome', async () => {
    const { charge } = limiterBefore([['admitted', ...ALLOWED.slice(1)]]);
    await expect(charge()).rejects.toThrow('the charge returned an unknown outcome');
  });
});
