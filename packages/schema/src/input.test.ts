import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { checked, InvalidInputError } from './input.ts';

const RULED = [
  ...(['displayName', 'note', 'description', 'name', 'expiresAt', 'eventTypes', 'email'] as const),
  ...(['monthlyQuota', 'rateLimitPerMinute', 'loggedAllowsPercent', 'usageDays'] as const),
  ...(['decisionDays', 'method', 'pathPattern', 'scopes', 'cost'] as const),
];

const problemsOf = (input: Partial<Record<(typeof RULED)[number], unknown>>) => {
  try {
    checked(input, RULED);
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
    expect(checked(input, ['displayName', 'note'])).toEqual({
      displayName: 'Mobile app',
      note: 'a\nb',
      token,
      projectId: ' p ',
    });
  });

  it('has labels in their order and each once, and an empty list as it is', () => {
    expect(checked({ scopes: ['b', 'a', 'b'] }, ['scopes'])).toEqual({ scopes: ['a', 'b'] });
    expect(checked({ scopes: [], cost: null }, ['scopes', 'cost'])).toEqual({
      scopes: [],
      cost: null,
    });
  });

  it('has no negative zero, which Postgres stores as 0', () => {
    const input = { metadata: { a: -0, b: [{ c: -0 }, null, '-0'] }, cost: -0 };
    expect(checked(input, ['metadata', 'cost'])).toEqual({
      metadata: { a: 0, b: [{ c: 0 }, null, '-0'] },
      cost: 0,
    });
  });

  it('keeps what removes a value, and what is left as it is', () => {
    const input = { monthlyQuota: null, rateLimitPerMinute: undefined, note: '' };
    expect(checked(input, ['monthlyQuota', 'rateLimitPerMinute', 'note'])).toEqual({
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
    [{ rateLimitPerMinute: 2 ** 31 }, 'must be at most 2,147,483,647'],
    [{ monthlyQuota: 1e12 + 1 }, 'must be at most 1,000,000,000,000'],
    [{ rateLimitPerMinute: 1.5 }, 'must be a whole number, 0 or more'],
    [{ loggedAllowsPercent: 101 }, 'must be at most 100'],
    [{ usageDays: 30 }, 'must be from 31 to 3,650 days, or empty'],
    [{ decisionDays: 91 }, 'must be from 1 to 90 days'],
    [{ monthlyQuota: Number.NaN }, 'must be a whole number, 0 or more'],
    [
      { expiresAt: new Date(Number.NaN) },
      'must be a date and time within the years 0100 to 9999 in UTC',
    ],
    [
      { expiresAt: new Date('+010000-01-01T00:00:00Z') },
      'must be a date and time within the years 0100 to 9999 in UTC',
    ],
    [{ eventTypes: [] }, 'must hold at least one alert'],
    [{ email: 'ops' }, 'must be an e-mail address'],
    [{ cost: 1_000_001 }, 'must be at most 1,000,000'],
    [{ cost: 0.5 }, 'must be a whole number, 0 or more'],
    [{ scopes: 'read' }, 'must be a list of labels'],
    [{ scopes: [7] }, 'must be a list of labels'],
    [{ scopes: Array.from({ length: 65 }, (_, n) => `l${n}`) }, 'must be at most 64 labels'],
    [
      { scopes: ['Read'] },
      'must hold labels of 1 to 64 characters of a-z, 0-9, ".", "_", ":" and "-", which begin with a letter or a digit',
    ],
    [{ method: 'get' }, 'must be in upper case, because methods are case-sensitive: write GET'],
    [{ pathPattern: 'v1' }, 'must start with / (or be a single *)'],
  ])('is refused with its field and the rule that it breaks: %j', (input, rule) => {
    expect(problemsOf(input)).toEqual([{ field: Object.keys(input)[0], rule }]);
  });

  it('names each field that has a rule, or does not compile', () => {
    // @ts-expect-error `note` is left out.
    checked({ displayName: 'Mobile app', note: '' }, ['displayName']);
    // @ts-expect-error `color` has no rule.
    expect(() => checked({ color: 'red' }, ['color'])).toThrow();
  });

  it('has rules of its own verb too', () => {
    const input = { address: ' OPS@example.com ', method: ' GET ' };
    const own = { address: z.string().trim().toLowerCase() };
    expect(checked(input, ['method'], own)).toEqual({ address: 'ops@example.com', method: 'GET' });
  });

  it('is refused with every field that breaks a rule', () => {
    expect(problemsOf({ displayName: '', note: '\0' })?.map(({ field }) => field)).toEqual([
      'displayName',
      'note',
    ]);
  });
});
