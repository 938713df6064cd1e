import { expect, it } from 'vitest';
import { tooManyAttempts } from './too-many-attempts.ts';

it.each([
  [1, 'Too many attempts. Try again in 1 minute.'],
  [61, 'Too many attempts. Try again in 2 minutes.'],
])('promises no attempt before the window of %i seconds is over', (seconds, sentence) => {
  expect(tooManyAttempts(seconds)).toBe(sentence);
});
