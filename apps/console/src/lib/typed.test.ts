import { describe, expect, it } from 'vitest';
import {
  changedFields,
  seen,
  typedInstant,
  typedLimit,
  typedLimitOrNone,
  typedMetadata,
} from './typed.ts';

it('metadata keeps every name, so that the verb refuses a wrong one instead of losing it', () => {
  const text = '{"__proto__": {"x": 1}, "a": 2}';
  expect(JSON.stringify(typedMetadata.parse(text))).toBe('{"__proto__":{"x":1},"a":2}');
});

it.each(['7', '[]', 'null', '{'])('metadata is an object: %s is refused', (text) => {
  expect(typedMetadata.safeParse(text).success).toBe(false);
});

it('metadata is empty for an empty field', () => {
  expect(typedMetadata.parse('')).toEqual({});
});

it.each([
  ['0', 0],
  ['007', 7],
  ['1000', 1_000],
  [' 30 ', 30],
  ['1,000', 1_000],
  ['10,000', 10_000],
  ['1 000 000', 1_000_000],
  ['1\u00a0000', 1_000],
  ['1\u202f000', 1_000],
  ['250_000', 250_000],
  ["1'000", 1_000],
  ['1’000', 1_000],
])('a limit may be typed as %j', (text, limit) => {
  expect(typedLimit.parse(text)).toBe(limit);
  expect(typedLimitOrNone.parse(text)).toBe(limit);
});

it.each([
  '1,5',
  '0,5',
  '0,500',
  '1,00',
  '1,0000',
  '1000,000',
  '1,,000',
  ',000',
  '1.5',
  '1.000',
  '-1',
  '1e3',
  'ten',
  ' ',
])('%j is refused as a limit', (text) => {
  expect(typedLimit.parse(text)).toBeNaN();
  expect(typedLimitOrNone.parse(text)).toBeNaN();
});

it('an empty field means none, where a limit is optional', () => {
  expect(typedLimitOrNone.parse('')).toBeNull();
  expect(typedLimit.parse('')).toBeNaN();
});

describe('what is saved of a form', () => {
  const changes = (given: object, opened: object) =>
    changedFields(given, seen.parse(JSON.stringify(opened)));

  it('is what differs from what the user saw, so that a change made elsewhere meanwhile stays', () => {
    const opened = {
      planId: 'p',
      name: 'Pro',
      monthlyQuota: 10_000,
      dailyQuota: null,
      scopes: ['a'],
    };
    const given = { name: 'Pro 2', monthlyQuota: 10_000, dailyQuota: null, scopes: ['a'] };
    expect(changes(given, opened)).toEqual({ name: 'Pro 2' });
    const cleared = { monthlyQuota: null, scopes: null, dailyQuota: 0 };
    expect(changes(cleared, opened)).toEqual(cleared);
  });

  it('is also what is no number and no time, which the verb refuses', () => {
    const given = { dailyQuota: typedLimitOrNone.parse('many'), end: typedInstant.parse('') };
    expect(changes(given, { dailyQuota: null, end: null })).toEqual(given);
  });

  it('is no text with other line ends, and no time as it was', () => {
    const given = { note: 'a\r\nb', end: new Date('2027-01-01T00:00:00.123Z') };
    expect(changes(given, { note: 'a\nb', end: given.end })).toEqual({});
    expect(changes({ end: null }, { end: given.end })).toEqual({ end: null });
  });

  it.each(['', '{', '[]', 'null'])('is all of it where nothing was seen: %j', (text) => {
    expect(changedFields({ a: 1, b: null }, seen.parse(text))).toEqual({ a: 1, b: null });
  });
});
