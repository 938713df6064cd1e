import { describe, expect, it } from 'vitest';
import { usedUpText } from './used-up.ts';

describe('usedUpText', () => {
  it.each([
    [{ quota: 10_000, window: 'month' }, undefined, 'all 10,000 requests of this month are used'],
    [{ quota: 50, window: 'day' }, 'this key', 'all 50 requests of this day are used by this key'],
    [{ quota: 1, window: 'day' }, 'this key', 'the 1 request of this day is used by this key'],
    [{ quota: 0, window: 'month' }, undefined, 'the quota of this month is 0'],
    [{ quota: 0, window: 'day' }, 'its customer', 'the quota of this day is 0 for its customer'],
  ] as const)('of %o, of %s, is: %s', (used, whose, text) => {
    expect(usedUpText(used, whose)).toBe(text);
  });
});
