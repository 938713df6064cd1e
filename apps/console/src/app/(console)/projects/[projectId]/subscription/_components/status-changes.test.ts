import { SUBSCRIPTION_STATUSES } from '@ceiba/contract/sets';
import { expect, it } from 'vitest';
import { effectOf } from './status-changes.ts';

it.each(SUBSCRIPTION_STATUSES)(
  '%s promises no allowed call after the end of the period',
  (status) => {
    expect(effectOf(status, true)).not.toMatch(/allowed/);
    expect(effectOf(status, true)).toMatch(/denied/);
  },
);

it.each(['active', 'trialing'] as const)('%s allows calls within the period', (status) => {
  expect(effectOf(status, false)).toMatch(/^Calls are allowed from the next decision on/);
});
