import { expect, it } from 'vitest';
import { tooManyAttempts } from './action-state.ts';

it.each([
  [1, 'Too many attempts. Try again in 1 minute.'],
  [61, 'Too many attempts. Try again in 2 minutes.'],
])(
  'rounds %i seconds up to whole minutes, so that the next attempt is not refused again',
  (seconds, sentence) => {
    expect(tooManyAttempts(seconds)).toBe(sentence);
  },
);
