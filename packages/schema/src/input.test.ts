import { describe, expect, it } from 'vitest';
import { checked, InvalidInputError } from './input.ts';

const problemsOf = (input: object) => {
  try {
    checked(input);
    return null;
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    return error.problems;
  }
};

describe('the input of a verb', () => {
  it('is stored trimmed, with line ends of one kind, and other fields as they are', () => {
    const token = Buffer.of(1);
    const input = { displayName: ' Mobile app ', note: ' a\r\nb ', token, projectId: ' p ' };
    expect(checked(input)).toEqual({
      displayName: 'Mobile app',
      note: 'a\nb',
      token,
      projectId: ' p ',
    });
  });

  it('keeps what removes a value, and what is left as it is', () => {
    expect(checked({ monthlyQuota: null, rateLimitPerMinute: undefined, note: '' })).toEqual({
      monthlyQuota: null,
      rateLimitPerMinute: undefined,
      note: '',
    });
  });

  it.each([
    [{ note: 'a\0b' }, 'must not hold NUL or lone surrogates'],
    [{ description: '\ud800' }, 'must not hold NUL or lone surrogates'],
    [{ note: 'x'.repeat(501) }, 'must be at most 500 characters'],
    [
      { name: '\u200b' },
      'must not hold zero-width characters or overrides of the direction of text',
    ],
    [{ monthlyQuota: 2 ** 31 }, 'must be at most 2,147,483,647'],
    [{ rateLimitPerMinute: 1.5 }, 'must be a whole number, 0 or more'],
    [{ loggedAllowsPercent: 101 }, 'must be at most 100'],
    [{ usageDays: 30 }, 'must be from 31 to 3,650 days, or empty'],
    [{ decisionDays: 91 }, 'must be from 1 to 90 days'],
  ])('is refused with its field and the rule that it breaks: %j', (input, rule) => {
    expect(problemsOf(input)).toEqual([{ field: Object.keys(input)[0], rule }]);
  });

  it('is refused with every field that breaks a rule', () => {
    expect(problemsOf({ displayName: '', note: '\0' })?.map(({ field }) => field)).toEqual([
      'displayName',
      'note',
    ]);
  });
});
