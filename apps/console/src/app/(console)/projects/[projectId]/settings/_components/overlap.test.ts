import { describe, expect, it } from 'vitest';
import { durationWords, overlapAt } from './overlap.ts';

const secret = {
  createdAt: '2026-11-20T12:00:00.000Z',
  previousExpiresAt: '2026-11-21T12:00:00.000Z',
};

describe('overlapAt', () => {
  it('returns what is left of the day and the part that is over', () => {
    expect(overlapAt(secret, new Date('2026-11-20T18:00:00Z'))).toEqual({
      remainingMs: 18 * 3_600_000,
      elapsed: 0.25,
    });
  });

  it('ends at its last instant', () => {
    expect(overlapAt(secret, new Date(secret.previousExpiresAt))).toBeNull();
    expect(overlapAt(secret, new Date('2026-11-21T11:59:59.999Z'))?.remainingMs).toBe(1);
  });

  it('is never longer than a day, even for a clock that is behind', () => {
    expect(overlapAt(secret, new Date('2026-11-20T11:59:30Z'))).toEqual({
      remainingMs: 24 * 3_600_000,
      elapsed: 0,
    });
  });

  it('does not exist before the first rotation', () => {
    expect(overlapAt({ ...secret, previousExpiresAt: null }, new Date(0))).toBeNull();
  });
});

describe('durationWords', () => {
  it.each([
    [1, '1 min'],
    [59 * 60_000, '59 min'],
    [60 * 60_000, '1 h 0 min'],
    [24 * 3_600_000 - 1, '24 h 0 min'],
    [23 * 3_600_000 + 12 * 60_000, '23 h 12 min'],
  ])('reads %i ms as %s', (ms, words) => {
    expect(durationWords(ms)).toBe(words);
  });
});
