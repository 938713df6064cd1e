import { describe, expect, it } from 'vitest';
import type { Verdict } from './caller.ts';
import { type Ask, type Fault, type History, judge, openHistory } from './history.ts';
import type { Rule } from './violation.ts';

const QUOTA = 3;
const LIMITED = { project: { quota: QUOTA, ratePerMinute: null }, keys: {} };

/** A question that was under way from one time to another; an allow tells which charge it was. */
const ask = (
  verdict: Verdict,
  sentAtMs: number,
  answeredAtMs: number,
  { charge = null as number | null, key = 'key', window = 0 } = {},
): Ask => ({
  verdict,
  sentAtMs,
  answeredAtMs,
  key,
  window,
  status: null,
  words: verdict,
  limits: charge === null ? null : limitsAfter(charge),
});

const limitsAfter = (charge: number) => ({
  rateLimitPerMinute: 100,
  remainingThisMinute: 100 - charge,
  monthlyQuota: 100,
  remainingThisMonth: 100 - charge,
});

const outage: Fault = {
  words: 'away',
  strikesAtMs: 90,
  fromMs: 100,
  toMs: 1_000,
  isTotal: true,
  keepsCounts: true,
  answerWithinMs: 600,
  recoverWithinMs: 500,
  mostLateCharges: 1,
};

const revoked = {
  what: 'key',
  key: 'key',
  sentAtMs: 100,
  answeredAtMs: 110,
  becomes: 'revoked_api_key',
} as const;
const restored = {
  what: 'key',
  key: 'key',
  sentAtMs: 200,
  answeredAtMs: 210,
  becomes: 'allowed',
} as const;

const historyOf = (parts: Partial<History>): History => ({ ...openHistory(LIMITED), ...parts });
const threeAdmitted = [
  ask('allowed', 0, 10, { charge: 1 }),
  ask('allowed', 1, 9, { charge: 2 }),
  ask('allowed', 20, 30, { charge: 3 }),
];

describe('a history without a breach', () => {
  const good: Record<string, Partial<History>> = {
    'admits up to the limit and refuses the rest': {
      asks: [...threeAdmitted, ask('quota_exceeded', 25, 35)],
    },
    'answers 503 during an outage and soon after it, and may have charged for it': {
      faults: [outage],
      asks: [
        ask('unavailable', 150, 650),
        ask('unavailable', 1_100, 1_400),
        ask('allowed', 1_450, 1_460, { charge: 2 }),
      ],
    },
    'holds a change from its acknowledgement on, and may hold it from its sending on': {
      changes: [revoked, restored],
      asks: [
        ask('allowed', 50, 60),
        ask('revoked_api_key', 90, 105),
        ask('allowed', 105, 120),
        ask('revoked_api_key', 120, 130),
        ask('revoked_api_key', 150, 205),
        ask('allowed', 220, 230),
      ],
    },
    'denies for any of two changes that hold': {
      changes: [revoked, { ...revoked, what: 'policies', becomes: 'policy_no_match' }],
      asks: [ask('revoked_api_key', 120, 130), ask('policy_no_match', 120, 130)],
    },
    'loses what the promise gives up': {
      losses: [{ words: 'lost', forgets: 1 }],
      asks: [...threeAdmitted, ask('allowed', 40, 50, { charge: 3 })],
      usage: [{ atMs: 60, outcomes: { allowed: 3 }, months: { 0: 3 } }],
    },
    'counts each month alone': {
      asks: [...threeAdmitted, ask('allowed', 40, 50, { charge: 1, window: 1 })],
      usage: [{ atMs: 60, outcomes: { allowed: 4 }, months: { 0: 3, 1: 1 } }],
    },
    'counts an answer that was lost, or not': {
      losses: [{ words: 'a kill', forgets: 0 }],
      asks: [ask('allowed', 0, 10), ask('no_answer', 0, 10)],
      usage: [
        { atMs: 20, outcomes: { allowed: 1 }, months: { 0: 1 } },
        { atMs: 20, outcomes: { allowed: 2 }, months: { 0: 2 } },
      ],
    },
    'shows what was charged once the limits are lifted': {
      limitsLiftedAtMs: 40,
      asks: [...threeAdmitted, ask('allowed', 50, 60, { charge: 4 })],
    },
  };

  it.each(Object.entries(good))('%s', (_, parts) => {
    expect(() => judge(historyOf(parts), 'it')).not.toThrow();
  });
});

describe('a history breaks the rule', () => {
  const bad: [Rule, string, Partial<History>][] = [
    [
      'admits exactly what the limits leave',
      'where more is admitted than the limit',
      { asks: [...threeAdmitted, ask('allowed', 40, 50, { charge: 4 })] },
    ],
    [
      'admits exactly what the limits leave',
      'where something is refused that there is room for',
      { asks: [ask('allowed', 0, 10, { charge: 1 }), ask('quota_exceeded', 20, 30)] },
    ],
    [
      'admits exactly what the limits leave',
      'where the minute refuses what the month has to refuse',
      {
        limits: { project: { quota: 1, ratePerMinute: 1 }, keys: {} },
        asks: [ask('allowed', 0, 10, { charge: 1 }), ask('rate_limited', 20, 30)],
      },
    ],
    [
      'admits exactly what the limits leave',
      'where a key is admitted more than its own limit',
      {
        limits: { ...LIMITED, keys: { key: { quota: 1, ratePerMinute: null } } },
        asks: [ask('allowed', 0, 10), ask('allowed', 20, 30)],
      },
    ],
    [
      'admits exactly what the limits leave',
      'where a remaining number is told twice',
      { asks: [ask('allowed', 0, 10, { charge: 1 }), ask('allowed', 5, 15, { charge: 1 })] },
    ],
    [
      'admits exactly what the limits leave',
      'where a later call is told an older number',
      {
        asks: [
          ask('allowed', 0, 10, { charge: 1 }),
          ask('allowed', 0, 10, { charge: 3 }),
          ask('unavailable', 0, 40),
          ask('allowed', 20, 30, { charge: 2 }),
        ],
        faults: [{ ...outage, strikesAtMs: -1, isTotal: false }],
      },
    ],
    [
      'a denial costs nothing',
      'where more was charged than was admitted',
      { asks: [ask('allowed', 0, 10, { charge: 2 })] },
    ],
    [
      'usage is what was admitted',
      'where an admission is missing',
      { asks: threeAdmitted, usage: [{ atMs: 50, outcomes: { allowed: 2 }, months: { 0: 3 } }] },
    ],
    [
      'usage is what was admitted',
      'where the month has one too many',
      { asks: threeAdmitted, usage: [{ atMs: 50, outcomes: { allowed: 3 }, months: { 0: 4 } }] },
    ],
    [
      'usage is what was admitted',
      'where a month holds what another was charged',
      {
        asks: [...threeAdmitted, ask('allowed', 40, 50, { charge: 1, window: 1 })],
        usage: [{ atMs: 60, outcomes: { allowed: 4 }, months: { 0: 4 } }],
      },
    ],
    [
      'a change holds from the next decision on',
      'where a call is admitted after the acknowledgement',
      { changes: [revoked], asks: [ask('allowed', 111, 120)] },
    ],
    [
      'a change holds from the next decision on',
      'where a call is denied for something else',
      { changes: [revoked], asks: [ask('invalid_api_key', 111, 120)] },
    ],
    [
      'a change holds from the next decision on',
      'where a call is denied after it was taken back',
      { changes: [revoked, restored], asks: [ask('revoked_api_key', 211, 220)] },
    ],
    [
      'a change holds from the next decision on',
      'where one of two changes is forgotten',
      {
        changes: [revoked, restored, { ...revoked, what: 'policies', becomes: 'policy_no_match' }],
        asks: [ask('allowed', 211, 220)],
      },
    ],
    [
      'a loss hands nothing out again',
      'where more is admitted than the limit and what may be forgotten',
      {
        losses: [{ words: 'lost', forgets: 1 }],
        asks: [...threeAdmitted, ...threeAdmitted],
      },
    ],
    [
      'a fault never admits',
      'where a call is admitted while nothing can be decided',
      { faults: [outage], asks: [ask('allowed', 150, 160)] },
    ],
    [
      'a fault is no denial',
      'where an outage is answered as a bad key',
      { faults: [outage], asks: [ask('invalid_api_key', 150, 160)] },
    ],
    [
      'a fault is no denial',
      'where a call is denied and nothing was changed',
      { asks: [ask('invalid_api_key', 150, 160)] },
    ],
    [
      'a fault is answered in time',
      'where a 503 is late',
      { faults: [outage], asks: [ask('unavailable', 150, 751)] },
    ],
    [
      'a fault is answered in time',
      'where there is no answer',
      { faults: [outage], asks: [ask('no_answer', 150, 160)] },
    ],
    [
      'a fault leaves strangers alone',
      'where nothing is away and a call is answered 503',
      { asks: [ask('unavailable', 0, 10)] },
    ],
    [
      'a thaw charges only a handful late',
      'where too much was charged that was answered 503',
      {
        faults: [outage],
        asks: [
          ask('unavailable', 150, 650),
          ask('unavailable', 150, 650),
          ask('allowed', 1_100, 1_110, { charge: 3 }),
        ],
      },
    ],
    [
      'recovers by itself in time',
      'where a call is answered 503 long after it is over',
      { faults: [outage], asks: [ask('unavailable', 1_400, 1_501)] },
    ],
  ];

  it.each(bad)('“%s” %s', (rule, _, parts) => {
    expect(() => judge(historyOf(parts), 'it')).toThrow(expect.objectContaining({ rule }));
  });
});
