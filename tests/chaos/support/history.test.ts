import { describe, expect, it } from 'vitest';
import type { Verdict } from './caller.ts';
import { type Ask, type Fault, type History, judge, type Limits, openHistory } from './history.ts';
import type { Rule } from './violation.ts';

const QUOTA = 3;
const LIMITED = { project: { quota: QUOTA, ratePerMinute: null }, keys: {} };

interface Charge {
  charge?: number | null;
}

/** A question in flight from one time to another; an allow reports its number among the charges. */
const ask = (
  verdict: Verdict,
  sentAtMs: number,
  answeredAtMs: number,
  { charge = null as number | null, key = 'key', window = 0, ...more }: Partial<Ask> & Charge = {},
): Ask => ({
  ...more,
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
  beginsAtMs: 90,
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

const limitsOf = (limits: Partial<Limits>): Limits => openHistory(limits).limits;

const historyOf = (parts: Partial<History>): History => ({ ...openHistory(LIMITED), ...parts });
const threeAdmitted = [
  ask('allowed', 0, 10, { charge: 1 }),
  ask('allowed', 1, 9, { charge: 2 }),
  ask('allowed', 20, 30, { charge: 3 }),
];

describe('a valid history', () => {
  const good: Record<string, Partial<History>> = {
    'allows calls up to the limit and denies the rest': {
      asks: [...threeAdmitted, ask('quota_exceeded', 25, 35)],
    },
    'answers 503 during an outage and soon after it, and may have charged those calls': {
      faults: [outage],
      asks: [
        ask('unavailable', 150, 650),
        ask('unavailable', 1_100, 1_400),
        ask('allowed', 1_450, 1_460, { charge: 2 }),
      ],
    },
    'applies a change from its acknowledgement on, and may apply it from its sending on': {
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
    'denies for either of two changes': {
      changes: [revoked, { ...revoked, what: 'policies', becomes: 'policy_no_match' }],
      asks: [ask('revoked_api_key', 120, 130), ask('policy_no_match', 120, 130)],
    },
    'loses what the promise permits to lose': {
      losses: [{ words: 'lost', forgets: 1 }],
      asks: [...threeAdmitted, ask('allowed', 40, 50, { charge: 3 })],
      usage: [{ atMs: 60, outcomes: { allowed: 3 }, months: { 0: 3 } }],
    },
    'counts each month separately': {
      asks: [...threeAdmitted, ask('allowed', 40, 50, { charge: 1, window: 1 })],
      usage: [{ atMs: 60, outcomes: { allowed: 4 }, months: { 0: 3, 1: 1 } }],
    },
    'may or may not count a lost answer': {
      losses: [{ words: 'a kill', forgets: 0 }],
      asks: [ask('allowed', 0, 10), ask('no_answer', 0, 10)],
      usage: [
        { atMs: 20, outcomes: { allowed: 1 }, months: { 0: 1 } },
        { atMs: 20, outcomes: { allowed: 2 }, months: { 0: 2 } },
      ],
    },
    'charges a batch in its order, except what has no counter yet': {
      asks: [
        ask('allowed', 0, 10, { charge: 1 }),
        ask('allowed', 20, 30, { charge: 3, key: 'new', batch: { id: 1, place: 0 } }),
        ask('allowed', 20, 30, { charge: 2, apiKeyId: 'key', batch: { id: 1, place: 1 } }),
      ],
    },
    'shows the number of charges once the limits are lifted': {
      limitsLiftedAtMs: 40,
      asks: [...threeAdmitted, ask('allowed', 50, 60, { charge: 4 })],
    },
  };

  it.each(Object.entries(good))('%s', (_, parts) => {
    expect(() => judge(historyOf(parts), 'it')).not.toThrow();
  });
});

describe('a history breaks the rule', () => {
  const bad: Partial<Record<Rule, Record<string, Partial<History>>>> = {
    'allows exactly what the limits leave': {
      'where more calls are allowed than the limit': {
        asks: [...threeAdmitted, ask('allowed', 40, 50, { charge: 4 })],
      },
      'where a call is denied although the limit has room': {
        asks: [ask('allowed', 0, 10, { charge: 1 }), ask('quota_exceeded', 20, 30)],
      },
      'where the minute denies a call that the month has to deny': {
        limits: limitsOf({ project: { quota: 1, ratePerMinute: 1 } }),
        asks: [ask('allowed', 0, 10, { charge: 1 }), ask('rate_limited', 20, 30)],
      },
      'where a key is allowed more calls than its own limit': {
        limits: limitsOf({ ...LIMITED, keys: { key: { quota: 1, ratePerMinute: null } } }),
        asks: [ask('allowed', 0, 10), ask('allowed', 20, 30)],
      },
      'where a customer is allowed more calls than its limit': {
        limits: limitsOf({
          ...LIMITED,
          customers: { one: { quota: 1, ratePerMinute: null } },
          customerOf: { key: 'one' },
        }),
        asks: [ask('allowed', 0, 10), ask('allowed', 20, 30)],
      },
      'where a remaining count is reported twice': {
        asks: [ask('allowed', 0, 10, { charge: 1 }), ask('allowed', 5, 15, { charge: 1 })],
      },
      'where a later call reports an older count': {
        asks: [
          ask('allowed', 0, 10, { charge: 1 }),
          ask('allowed', 0, 10, { charge: 3 }),
          ask('unavailable', 0, 40),
          ask('allowed', 20, 30, { charge: 2 }),
        ],
        faults: [{ ...outage, beginsAtMs: -1, isTotal: false }],
      },
    },
    'a denial costs nothing': {
      'where more calls were charged than allowed': {
        asks: [ask('allowed', 0, 10, { charge: 2 })],
      },
    },
    'an answer is about its own question': {
      'where an allow names another key': {
        asks: [ask('allowed', 0, 10, { charge: 1, apiKeyId: 'another' })],
      },
    },
    'a batch is charged in its order': {
      'where a later question was charged first': {
        asks: [
          ask('allowed', 0, 10, { charge: 1 }),
          ask('allowed', 20, 30, { charge: 3, batch: { id: 1, place: 0 } }),
          ask('allowed', 20, 30, { charge: 2, batch: { id: 1, place: 1 } }),
        ],
      },
    },
    'usage equals the allowed calls': {
      'where an allowed call is missing': {
        asks: threeAdmitted,
        usage: [{ atMs: 50, outcomes: { allowed: 2 }, months: { 0: 3 } }],
      },
      'where the month has one call too many': {
        asks: threeAdmitted,
        usage: [{ atMs: 50, outcomes: { allowed: 3 }, months: { 0: 4 } }],
      },
      'where a month has a call of another month': {
        asks: [...threeAdmitted, ask('allowed', 40, 50, { charge: 1, window: 1 })],
        usage: [{ atMs: 60, outcomes: { allowed: 4 }, months: { 0: 4 } }],
      },
    },
    'a change applies from the next decision on': {
      'where a call is allowed after the acknowledgement': {
        changes: [revoked],
        asks: [ask('allowed', 111, 120)],
      },
      'where a call is denied for another reason': {
        changes: [revoked],
        asks: [ask('invalid_api_key', 111, 120)],
      },
      'where a call is denied after the change was undone': {
        changes: [revoked, restored],
        asks: [ask('revoked_api_key', 211, 220)],
      },
      'where one of two changes is forgotten': {
        changes: [revoked, restored, { ...revoked, what: 'policies', becomes: 'policy_no_match' }],
        asks: [ask('allowed', 211, 220)],
      },
    },
    'a loss hands nothing out again': {
      'where more calls are allowed than the limit and the permitted loss': {
        losses: [{ words: 'lost', forgets: 1 }],
        asks: [...threeAdmitted, ...threeAdmitted],
      },
    },
    'a fault never allows a call': {
      'where a call is allowed while no decision is possible': {
        faults: [outage],
        asks: [ask('allowed', 150, 160)],
      },
    },
    'a fault is not a denial': {
      'where an outage is answered as an invalid key': {
        faults: [outage],
        asks: [ask('invalid_api_key', 150, 160)],
      },
      'where a call is denied without a change': { asks: [ask('invalid_api_key', 150, 160)] },
    },
    'a fault is answered in time': {
      'where a 503 is late': { faults: [outage], asks: [ask('unavailable', 150, 751)] },
      'where there is no answer': { faults: [outage], asks: [ask('no_answer', 150, 160)] },
    },
    'a fault does not affect others': {
      'where a call is answered 503 without an outage': { asks: [ask('unavailable', 0, 10)] },
    },
    'few charges run late': {
      'where too many calls were charged that were answered 503': {
        faults: [outage],
        asks: [
          ask('unavailable', 150, 650),
          ask('unavailable', 150, 650),
          ask('allowed', 1_100, 1_110, { charge: 3 }),
        ],
      },
    },
    'recovers in time': {
      'where a call is answered 503 long after the outage': {
        faults: [outage],
        asks: [ask('unavailable', 1_400, 1_501)],
      },
    },
  };

  describe.each(Object.entries(bad))('“%s”', (rule, histories) => {
    it.each(Object.entries(histories))('%s', (_, parts) => {
      expect(() => judge(historyOf(parts), 'it')).toThrow(expect.objectContaining({ rule }));
    });
  });
});
