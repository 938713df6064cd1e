import { describe, expect, it } from 'vitest';
import { formatShare, formatShares, zeroOf } from './format.ts';

describe('formatShare', () => {
  it.each([
    [0, 0, '0%'],
    [0, 10, '0%'],
    [1, 1_000, '<1%'],
    [1, 3, '33%'],
    [999, 1_000, '>99%'],
    [10, 10, '100%'],
  ])('shows %i of %i as %s', (part, whole, share) => {
    expect(formatShare(part, whole)).toBe(share);
  });
});

describe('formatShares', () => {
  it.each([
    [[], []],
    [
      [0, 0],
      ['0%', '0%'],
    ],
    [[10], ['100%']],
    // Rounded one by one they would be 101%.
    [
      [455, 455, 90],
      ['46%', '45%', '9%'],
    ],
    [
      [1, 1, 1],
      ['34%', '33%', '33%'],
    ],
    [
      [995, 5],
      ['>99%', '<1%'],
    ],
    [
      [986, 7, 7],
      ['99%', '<1%', '<1%'],
    ],
  ])('shows %j as %j', (parts, shares) => {
    expect(formatShares(parts)).toEqual(shares);
  });

  it('adds up to 100% if every part is at least one percent', () => {
    for (let seed = 1; seed < 500; seed += 1) {
      const parts = Array.from(
        { length: 1 + (seed % 9) },
        (_, index) => 50 + ((seed * 37 * (index + 3)) % 101),
      );
      const numbers = formatShares(parts).map((text) => Number.parseInt(text, 10));
      expect(numbers.reduce((one, other) => one + other)).toBe(100);
    }
  });
});

it('says of a quota of 0 that free calls pass, and of a rate that none do', () => {
  expect(zeroOf('rateLimitPerMinute')).toBe('0 allows no requests.');
  for (const quota of ['dailyQuota', 'monthlyQuota'] as const) {
    expect(zeroOf(quota)).toBe('0 allows only requests that cost nothing.');
  }
});
