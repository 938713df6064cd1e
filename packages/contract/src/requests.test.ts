import { describe, expect, it } from 'vitest';
import { displayNameSchema, expirySchema } from './requests.ts';

describe('a name', () => {
  it.each([
    ['a zero-width space', 'Mobile\u200Bapp'],
    ['a byte order mark', 'Mobile\uFEFF app'],
    ['an override of the direction', 'Mobile \u202Eppa'],
    ['only a joiner', '\u200D'],
    ['only fillers of Hangul', '\u3164\u115F'],
    ['only the blank pattern of Braille', '\u2800'],
  ])('with %s is refused', (_, name) => {
    expect(displayNameSchema.safeParse(name).success).toBe(false);
  });

  it.each(['نامه\u200Cها', '👩\u200D👩\u200D👧', 'Zoë’s app', '日本'])(
    'in any script is accepted: %s',
    (name) => {
      expect(displayNameSchema.parse(name)).toBe(name);
    },
  );

  it('that is empty is reported once', () => {
    expect(displayNameSchema.safeParse(' ').error?.issues).toMatchObject([
      { message: 'must not be empty' },
    ]);
  });
});

describe('a time', () => {
  it.each(['2027-01-31T12:00:00Z', '2027-01-31t12:00:00z', '2027-01-31t13:00:00.000+01:00'])(
    'may be written as RFC 3339 permits: %s',
    (text) => {
      expect(new Date(expirySchema.parse(text) ?? '')).toEqual(new Date('2027-01-31T12:00:00Z'));
    },
  );

  it.each(['2027-01-31', '2027-01-31T12:00:00', '2027-02-30T12:00:00Z'])(
    'in another form is refused: %s',
    (text) => {
      expect(expirySchema.safeParse(text).success).toBe(false);
    },
  );
});
