import { InvalidInputError } from '@ceiba/schema';
import { expect, test } from 'vitest';
import { exitCodeOf, forPrograms } from './errors.ts';

test('an input that a verb refuses is an error of the command line, which names the field', () => {
  const refused = new InvalidInputError([
    { field: 'displayName', rule: 'must not be empty' },
    { field: 'note', rule: 'must not hold NUL or lone surrogates' },
  ]);
  expect(exitCodeOf(refused)).toBe(2);
  expect(forPrograms(refused)).toEqual({
    code: 'invalid_input',
    message: 'displayName must not be empty; note must not hold NUL or lone surrogates',
    field: 'displayName',
  });
});
