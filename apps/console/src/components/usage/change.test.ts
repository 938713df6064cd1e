import { describe, expect, it } from 'vitest';
import { countChange, shareChange } from './change.ts';

describe('the change of a count', () => {
  it.each([
    [112, 100, 'Up 12% on the day before'],
    [0, 100, 'Down 100% on the day before'],
    [1_000, 100, 'Up 900% on the day before'],
    [1_001, 100, 'Over 10 times the day before'],
  ])('of %i after %i reads "%s"', (count, before, text) => {
    expect(countChange(count, before)).toBe(text);
  });

  it('is no news below five percent, because the current hour is incomplete', () => {
    expect(countChange(96, 100)).toBe('About as many as the day before');
    expect(countChange(95, 100)).toBe('Down 5% on the day before');
  });

  it('is absent if there was no traffic before', () => {
    expect(countChange(100, 0)).toBeUndefined();
  });
});

describe('the change of a share', () => {
  it('names the share of the day before', () => {
    expect(shareChange([12, 100], [18, 200])).toBe('Up from 9% the day before');
    expect(shareChange([8, 100], [18, 200])).toBe('Down from 9% the day before');
  });

  it('is none if both days read the same', () => {
    expect(shareChange([90, 1_000], [94, 1_000])).toBe('Also 9% the day before');
  });

  it('is absent if one of the days had no traffic', () => {
    expect(shareChange([0, 0], [1, 10])).toBeUndefined();
    expect(shareChange([1, 10], [0, 0])).toBeUndefined();
  });
});
