import { SUBSCRIPTION_STATUSES } from '@ceiba/contract/sets';
import { describe, expect, it } from 'vitest';
import { PLAN_LIMIT_MAX } from './limits.ts';
import { ADMITS, DEFAULT_PLAN_NAME, SEEDED_PLANS, statusesThatAdmit } from './subscription.ts';

describe('subscriptions', () => {
  it('allow calls only while active or trialing', () => {
    expect(statusesThatAdmit()).toEqual(['active', 'trialing']);
    expect(Object.keys(ADMITS)).toEqual([...SUBSCRIPTION_STATUSES]);
  });
});

describe('plans', () => {
  it('starts a new project on a seeded plan', () => {
    expect(SEEDED_PLANS.map((plan) => plan.name)).toContain(DEFAULT_PLAN_NAME);
  });

  it('seeds plans in rising order, each limit a whole number within the bounds', () => {
    const limits = SEEDED_PLANS.map(({ name: _, ...rest }) => Object.values(rest));
    for (const limit of limits.flat()) {
      expect(Number.isInteger(limit) && limit >= 0 && limit <= PLAN_LIMIT_MAX).toBe(true);
    }
    for (const [smaller, larger] of limits.slice(1).map((next, i) => [limits[i]!, next] as const)) {
      expect(larger.every((limit, column) => limit > smaller[column]!)).toBe(true);
    }
  });

  it('fits the largest limit into a PostgreSQL integer, exactly', () => {
    expect(PLAN_LIMIT_MAX).toBe(2 ** 31 - 1);
  });
});
