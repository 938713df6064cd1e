import { DAY, eachLimit, type Scope } from '@ceiba/domain';
import { apiKeyScope, projectScope } from '@ceiba/domain/test-support';
import { describe, expect, it } from 'vitest';
import { chargeOf as chargeOfRequest } from './charge-of.ts';
import type { CountedReply } from './charge-reply.ts';

const chargeOf = (scopes: readonly Scope[], counted: CountedReply, cost = 1) =>
  chargeOfRequest({ scopes, cost }, counted);

/** 17.5 s into the last minute of November. */
const NOW_MS = Date.UTC(2026, 10, 30, 23, 59, 17, 500);

const scope = (rateLimitPerMinute: number | null, monthlyQuota: number | null) =>
  projectScope('p', { ...eachLimit(() => null), rateLimitPerMinute, monthlyQuota });

function reply(
  kind: CountedReply['kind'],
  counts: readonly (readonly [minuteCount: number, periodCount: number])[],
): CountedReply {
  return {
    kind,
    timeMs: NOW_MS,
    minute: Math.floor(NOW_MS / 60_000),
    counters: counts.map(([minuteCount, periodCount]) => ({ minuteCount, periodCount })),
  };
}

describe('the result of a charge', () => {
  it('reports what is left and when it resets, for an allowed call', () => {
    expect(chargeOf([scope(60, 1000)], reply('allowed', [[20, 400]]))).toEqual({
      kind: 'allowed',
      limits: {
        rateLimitPerMinute: 60,
        monthlyQuota: 1000,
        remainingThisMinute: 40,
        remainingThisMonth: 600,
      },
      resetAfterSeconds: { minute: 43, month: 43 },
    });
  });

  it.each([
    ['rate_limited', 43],
    ['quota_exceeded', 43],
  ] as const)('reports for %s when the window that is used up ends', (kind, seconds) => {
    expect(chargeOf([scope(60, 1000)], reply(kind, [[60, 1000]]))).toMatchObject({
      kind: 'denied',
      denialReason: kind,
      retryAfterSeconds: seconds,
    });
  });

  it('waits for the end of the month for the quota and of the minute for the rate', () => {
    const timeMs = Date.UTC(2026, 10, 30, 23, 58, 0);
    const early = { timeMs, minute: timeMs / 60_000 };
    const of = (kind: CountedReply['kind']) =>
      chargeOf([scope(1, 1)], { ...reply(kind, [[1, 1]]), ...early });
    expect(of('rate_limited')).toMatchObject({ retryAfterSeconds: 60 });
    expect(of('quota_exceeded')).toMatchObject({ retryAfterSeconds: 120 });
    expect(of('allowed')).toMatchObject({ resetAfterSeconds: { minute: 60, month: 120 } });
  });

  it('waits for the end of the period of the scope that it reports', () => {
    const fromThe15th = { ...scope(60, 10), period: 15 };
    expect(
      chargeOf(
        [scope(60, 1000), fromThe15th],
        reply('quota_exceeded', [
          [1, 1],
          [1, 10],
        ]),
      ),
    ).toMatchObject({
      retryAfterSeconds: 14 * 86_400 + 43,
    });
    expect(
      chargeOf(
        [scope(60, 1000), fromThe15th],
        reply('quota_exceeded', [
          [1, 1000],
          [1, 1],
        ]),
      ),
    ).toMatchObject({
      retryAfterSeconds: 43,
    });
  });

  it('reports per window the counter with the least left, the first of equal ones', () => {
    const scopes = [scope(60, 50), scope(10, 1000), scope(20, 40)];
    const charge = chargeOf(
      scopes,
      reply('allowed', [
        [20, 11],
        [7, 11],
        [17, 1],
      ]),
    );
    expect(charge.limits).toEqual({
      rateLimitPerMinute: 10,
      remainingThisMinute: 3,
      monthlyQuota: 50,
      remainingThisMonth: 39,
    });
  });

  it.each([
    { refused: 'the plan', counts: [60, 0], owner: 'plan' },
    { refused: 'the key', counts: [59, 10], owner: 'api_key' },
    { refused: 'the plan where both did', counts: [60, 11], owner: 'plan' },
  ])('says that $refused refused', ({ counts: [ofProject = 0, ofKey = 0], owner }) => {
    const own = { rateLimitPerMinute: 10, monthlyQuota: 10 };
    const scopes = [scope(60, 60), apiKeyScope('k', own, null)];
    const minutes = [
      [ofProject, 0],
      [ofKey, 0],
    ] as const;
    const months = [
      [0, ofProject],
      [0, ofKey],
    ] as const;
    expect(chargeOf(scopes, reply('rate_limited', minutes))).toMatchObject({
      exceeded: { owner, window: 'minute' },
    });
    expect(chargeOf(scopes, reply('quota_exceeded', months))).toMatchObject({
      exceeded: { owner, window: 'month' },
    });
  });

  it('ignores a scope without a limit, and never reports a negative number', () => {
    const scopes = [scope(null, 10), scope(5, null)];
    const charge = chargeOf(
      scopes,
      reply('allowed', [
        [9, 11],
        [8, 99],
      ]),
    );
    expect(charge.limits).toEqual({
      rateLimitPerMinute: 5,
      remainingThisMinute: 0,
      monthlyQuota: 10,
      remainingThisMonth: 0,
    });
  });

  it('reports the largest possible limit where no limit applies', () => {
    expect(chargeOf([scope(null, null)], reply('allowed', [[1, 1]])).limits).toEqual({
      rateLimitPerMinute: 2_147_483_647,
      remainingThisMinute: 2_147_483_647,
      monthlyQuota: 2_147_483_647,
      remainingThisMonth: 2_147_483_647,
    });
  });

  it('counts a counter that the reply lacks as used up', () => {
    expect(chargeOf([scope(60, 1000)], reply('allowed', [])).limits).toMatchObject({
      remainingThisMinute: 0,
      remainingThisMonth: 0,
    });
  });

  it('reports the first limit without room for its cost, and waits for all of them', () => {
    const fromThe15th = { ...scope(60, 10), period: 15 };
    const counted = reply('quota_exceeded', [
      [1, 7],
      [1, 998],
    ]);
    const refusal = chargeOf([fromThe15th, scope(60, 1000)], counted, 5);
    expect(refusal).toMatchObject({
      exceeded: { value: 10 },
      limits: { monthlyQuota: 1000, remainingThisMonth: 2 },
      retryAfterSeconds: 14 * 86_400 + 43,
    });
  });

  it('reports a quota above the largest of a plan', () => {
    const vast = { ...scope(60, 1e12), period: 28 };
    expect(chargeOf([vast], reply('allowed', [[1, 5]]))).toMatchObject({
      limits: { monthlyQuota: 1e12, remainingThisMonth: 1e12 - 5 },
      resetAfterSeconds: { month: 27 * 86_400 + 43 },
    });
  });

  const ofDay = (value: number): Scope => ({
    ...scope(null, null),
    period: DAY,
    quota: { owner: 'customer', window: 'day', value },
  });

  it('reports the day only where one is limited, with its end', () => {
    const scopes = [scope(60, 1000), ofDay(50), ofDay(40)];
    const counts = [
      [1, 1],
      [0, 9],
      [0, 9],
    ] as const;
    expect(chargeOf(scopes, reply('allowed', counts))).toMatchObject({
      limits: { monthlyQuota: 1000, dailyQuota: 40, remainingToday: 31 },
      resetAfterSeconds: { minute: 43, month: 43, day: 43 },
    });
  });

  it.each([
    { refused: 'the day', counts: [10, 50], window: 'day' },
    { refused: 'the month, also where the day is used up', counts: [1000, 50], window: 'month' },
  ])('says that $refused refused', ({ counts: [ofMonth = 0, ofDayCount = 0], window }) => {
    const timeMs = Date.UTC(2026, 10, 14, 23, 59);
    const scopes = [scope(60, 1000), ofDay(50)];
    const counts = [
      [0, ofMonth],
      [0, ofDayCount],
    ] as const;
    const counted = { ...reply('quota_exceeded', counts), timeMs, minute: timeMs / 60_000 };
    expect(chargeOf(scopes, counted)).toMatchObject({
      denialReason: 'quota_exceeded',
      exceeded: { window },
      retryAfterSeconds: window === 'day' ? 60 : 60 + 16 * 86_400,
    });
  });

  it("ends a customer's month on its billing day", () => {
    const timeMs = Date.UTC(2026, 10, 14, 23, 59);
    const ofCustomer: Scope = { ...scope(null, 10), kind: 'customer', period: 15 };
    const counted = { ...reply('quota_exceeded', [[0, 10]]), timeMs, minute: timeMs / 60_000 };
    expect(chargeOf([ofCustomer], counted)).toMatchObject({ retryAfterSeconds: 60 });
  });
});
