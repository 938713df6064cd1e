import { describe, expect, it } from 'vitest';
import { authorizeRequestSchema, displayNameSchema, expirySchema } from './requests.ts';
import { UUID } from './sets.ts';

describe('a name', () => {
  it.each([
    ['of nothing', ''],
    ['of blanks', '   '],
    ['of a line feed', '\n'],
    ['of 101 characters', 'x'.repeat(101)],
    ['with a NUL', 'a\u0000b'],
    ['with a bell', 'a\u0007b'],
    ['of two lines', 'a\nb'],
    ['with a delete', 'a\u007fb'],
    ['with a C1 control', 'a\u0085b'],
    ['with a line separator', 'a\u2028b'],
    ['with a lone high surrogate', 'a\ud800'],
    ['with a lone low surrogate', '\udc00b'],
    ['with two surrogates the wrong way round', '\udc00\ud800'],
    ['with a zero-width space', 'Mobile\u200Bapp'],
    ['with a byte order mark', 'Mobile\uFEFF app'],
    ['with an override of the direction', 'Mobile \u202Eppa'],
    ['of a joiner', '\u200D'],
    ['of fillers of Hangul', '\u3164\u115F'],
    ['of the blank pattern of Braille', '\u2800'],
    ['that is null', null],
    ['that is a number', 7],
    ['that is an array', ['x']],
    ['that is an object', { toString: 'x' }],
  ])('%s is refused', (_, name) => {
    expect(displayNameSchema.safeParse(name).success).toBe(false);
  });

  it.each([
    'x'.repeat(100),
    '🌳'.repeat(100),
    'نامه\u200Cها',
    '👩\u200D👩\u200D👧',
    'Zoë’s app',
    'Клавиша المفتاح 鍵',
    `"'; drop table api_keys; --<b>&amp;\\\``,
  ])('in any script, of up to a hundred characters, is accepted and trimmed: %s', (name) => {
    expect(displayNameSchema.parse(`  ${name} `)).toBe(name);
  });

  it('that is empty is reported once', () => {
    expect(displayNameSchema.safeParse(' ').error?.issues).toMatchObject([
      { message: 'must not be empty' },
    ]);
  });
});

describe('a time', () => {
  it.each([
    ['2027-01-31T12:00:00Z', '2027-01-31T12:00:00.000Z'],
    ['2027-01-31t12:00:00z', '2027-01-31T12:00:00.000Z'],
    ['2027-01-31t13:00:00.000+01:00', '2027-01-31T12:00:00.000Z'],
    ['2031-01-31T12:00:00.5Z', '2031-01-31T12:00:00.500Z'],
    ['2031-01-31T12:00:00.123456789Z', '2031-01-31T12:00:00.123Z'],
    [`2031-01-31T12:00:00.5${'0'.repeat(15_000)}Z`, '2031-01-31T12:00:00.500Z'],
    ['2031-01-31T12:00:00+05:30', '2031-01-31T06:30:00.000Z'],
    ['2031-01-31T12:00:00-08:00', '2031-01-31T20:00:00.000Z'],
    ['2031-01-31T23:59:59-23:59', '2031-02-01T23:58:59.000Z'],
    ['2031-01-31T12:00:00-00:00', '2031-01-31T12:00:00.000Z'],
    ['2028-02-29T00:00:00Z', '2028-02-29T00:00:00.000Z'],
    ['2000-02-29T00:00:00Z', '2000-02-29T00:00:00.000Z'],
    ['1969-12-31T23:59:59Z', '1969-12-31T23:59:59.000Z'],
    ['0100-01-01T00:00:00Z', '0100-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    ['9999-12-31T23:59:59+14:00', '9999-12-31T09:59:59.000Z'],
  ])('may be written as RFC 3339 permits: %s is %s', (text, instant) => {
    expect(new Date(expirySchema.parse(text) ?? '').toISOString()).toBe(instant);
  });

  it.each([
    '2031-01-31T12:00:00',
    '2031-01-31',
    '12:00:00Z',
    '2031-01-31T12:00Z',
    '2031-01-31T12Z',
    '2031-02-30T12:00:00Z',
    '2031-02-29T12:00:00Z',
    '1900-02-29T12:00:00Z',
    '2031-04-31T12:00:00Z',
    '2031-13-01T12:00:00Z',
    '2031-00-01T12:00:00Z',
    '2031-01-00T12:00:00Z',
    '2031-01-31T24:00:00Z',
    '2031-01-31T12:60:00Z',
    '2031-01-31T12:00:61Z',
    '2016-12-31T23:59:60Z',
    '10000-01-01T00:00:00Z',
    '+010000-01-01T00:00:00Z',
    '-000001-01-01T00:00:00Z',
    '0000-01-01T00:00:00Z',
    '9999-12-31T23:59:59-01:00',
    '0099-12-31T23:59:59Z',
    '0100-01-01T00:00:00+01:00',
    '2031-01-31T12:00:00+0530',
    '2031-01-31T12:00:00+05',
    '2031-01-31T12:00:00+24:00',
    '2031-01-31T12:00:00 Europe/Berlin',
    '2031-01-31 12:00:00Z',
    '2031-01-31T12:00:00,5Z',
    ' 2031-01-31T12:00:00Z ',
    '2031-01-31T12:00:00Z\n',
    '31-01-31T12:00:00Z',
    '2031-W05-5T12:00:00Z',
    'Fri, 31 Jan 2031 12:00:00 GMT',
    'infinity',
    'tomorrow',
    '２０３１-01-31T12:00:00Z',
    '',
    '2031-01-31T12:00:00Z\u0000',
    1_927_627_200,
    1_927_627_200_000,
    0,
    true,
    false,
    ['2031-01-31T12:00:00Z'],
    { $date: '2031-01-31T12:00:00Z' },
    undefined,
  ])('in another form is refused: %j', (value) => {
    expect(expirySchema.safeParse(value).success).toBe(false);
  });
});

describe('a question', () => {
  const GOOD = { apiKey: 'k', method: 'GET', path: '/' };

  it.each([
    ...[7, true, ['x'], { a: 1 }].map((apiKey) => ({ apiKey })),
    ...[
      undefined,
      null,
      7,
      ['GET'],
      '',
      'GET ',
      'GET\n',
      'GET,POST',
      'G\u0000T',
      'GÉT',
      '\ud800',
    ].map((method) => ({ method })),
    { method: 'X'.repeat(65) },
    ...[undefined, null, 7, ['/'], {}].map((path) => ({ path })),
  ])('with a field of another type or form is refused at that field: %j', (wrong) => {
    const { error } = authorizeRequestSchema.safeParse({ ...GOOD, ...wrong });
    expect(error?.issues.map(({ path }) => path)).toEqual([Object.keys(wrong)]);
  });
});

describe('a UUID', () => {
  it.each([
    'nope',
    '42',
    '0196000000007000800000000000000a',
    '{01960000-0000-7000-8000-000000000001}',
    'urn:uuid:01960000-0000-7000-8000-000000000001',
    '01960000-0000-7000-8000-00000000000',
    '01960000-0000-7000-8000-0000000000011',
    '01960000-0000-7000-8000-00000000000g',
    '01960000-0000-7000-8000-000000000001 ',
    '01960000-0000-7000-8000-000000000001\n',
    '01960000-0000-7000-8000-000000000001\u0000',
    '０1960000-0000-7000-8000-000000000001',
  ])('is none with another length, digit or character: %j', (text) => {
    expect(UUID.test(text)).toBe(false);
  });
});
