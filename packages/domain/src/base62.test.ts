import { expect, it } from 'vitest';
import { base62 } from './base62.ts';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const readBack = (text: string) =>
  [...text].reduce((value, digit) => value * 62n + BigInt(DIGITS.indexOf(digit)), 0n);

it.each([
  [0n, '000000'],
  [61n, '00000z'],
  [62n, '000010'],
  [62n ** 6n - 1n, 'zzzzzz'],
  [62n ** 6n, '1000000'],
])('base62 writes %s as %s', (value, text) => {
  expect(base62(value, 6)).toBe(text);
});

it('base62 writes each number exactly, also those too large for a double', () => {
  for (const power of [32n, 53n, 54n, 64n, 256n]) {
    for (const value of [2n ** power - 1n, 2n ** power, 2n ** power + 1n]) {
      expect(readBack(base62(value, 1))).toBe(value);
    }
  }
});
