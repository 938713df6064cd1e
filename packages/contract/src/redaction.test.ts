import { describe, expect, it } from 'vitest';
import { withoutCredentials } from './redaction.ts';

/** Whole numbers below a bound; the same seed repeats them (the mulberry32 generator). */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}
type Pick = ReturnType<typeof seeded>;
const oneOf = <T>(pick: Pick, items: readonly T[]): T => items[pick(items.length)] as T;

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const digits = (pick: Pick, length: number) =>
  Array.from({ length }, () => oneOf(pick, [...DIGITS])).join('');

const KEY = `ceiba_${digits(seeded(1), 49)}`;
const SECRET = `ceiba_secret_${digits(seeded(2), 49)}`;

const hexOf = (character: string, length: number) =>
  character.charCodeAt(0).toString(16).padStart(length, '0');

/** How encoders write a character, and the one that starts their escapes, which they escape too. */
const ENCODERS: readonly (readonly [starts: string, write: (character: string) => string])[] = [
  ['%', (it) => `%${hexOf(it, 2)}`],
  ['%', (it) => `%${hexOf(it, 2).toUpperCase()}`],
  ['%', (it) => `%u${hexOf(it, 4)}`],
  ['%', (it) => `%U${hexOf(it, 4).toUpperCase()}`],
  ['%', (it) => (it === '_' ? '%c1%9f' : it)],
  ['\\', (it) => `\\u${hexOf(it, 4)}`],
  ['\\', (it) => `\\\\u${hexOf(it, 4)}`],
  ['\\', (it) => `\\u{${hexOf(it, 2)}}`],
  ['\\', (it) => `\\x${hexOf(it, 2)}`],
  ['&', (it) => `&#${it.charCodeAt(0)};`],
  ['&', (it) => `&#x${hexOf(it, 2)};`],
  ['&', (it) => (it === '_' ? '&lowbar;' : it === '&' ? '&amp;' : it)],
];

/** What any reader may make of a text: each kind of escape by itself, until none is left. */
function readings(text: string): string {
  let plain = text;
  for (;;) {
    const next = plain
      .replace(/&amp;/g, '&')
      .replace(/&lowbar;/g, '_')
      .replace(/%c1%9f/g, '_')
      .replace(/&#x([\da-f]{1,6});?/gi, (_, hex) => String.fromCodePoint(Number.parseInt(hex, 16)))
      .replace(/&#(\d{1,6});?/g, (_, code) => String.fromCodePoint(Number(code)))
      .replace(/\\+u\{?([\da-f]{4}|[\da-f]{2}\})/gi, (_, hex) =>
        String.fromCodePoint(Number.parseInt(hex, 16)),
      )
      .replace(/\\+x([\da-f]{2})/gi, (_, hex) => String.fromCodePoint(Number.parseInt(hex, 16)))
      .replace(/\\+(?=\w)/g, '')
      .replace(/%u([\da-f]{4})/gi, (_, hex) => String.fromCodePoint(Number.parseInt(hex, 16)))
      .replace(/%([0-7][\da-f])/gi, (_, hex) => String.fromCodePoint(Number.parseInt(hex, 16)));
    if (next === plain) return plain;
    plain = next;
  }
}

/** The random part of a credential, of which no piece may be left. */
interface Hidden {
  text: string;
  secret: string;
}

function credential(pick: Pick): Hidden {
  const brand = oneOf(pick, [
    'ceiba_',
    'ceiba_secret_',
    'ceiba_invite_',
    'ceiba_reset_',
    'ceiba_setup_',
    'ceiba_token_',
    'whsec_',
  ]);
  const secret = digits(pick, brand === 'whsec_' ? 32 : 49);
  return { text: brand + secret, secret };
}

/** The text as an encoder writes it that escapes some characters of ASCII. */
function escaped(pick: Pick, text: string): string {
  const [starts, write] = oneOf(pick, ENCODERS);
  const percent = oneOf(pick, [2, 30, 100]);
  const isEscaped = Array.from({ length: 128 }, () => pick(100) < percent);
  return [...text]
    .map((it) => (it === starts || isEscaped[it.charCodeAt(0)] ? write(it) : it))
    .join('');
}

const BETWEEN = [
  '',
  '',
  '',
  '_',
  '/',
  '.',
  '-',
  '=',
  'ceiba_',
  'ceiba',
  'whsec_',
  '/v1/',
  '%20',
  '\\n',
  '"',
  'é',
];
const holds = (text: string, secret: string) => {
  for (let at = 0; at + 16 <= secret.length; at += 1) {
    if (text.includes(secret.slice(at, at + 16))) return true;
  }
  return false;
};

describe('a text', () => {
  it('holds no credential, however many it had, side by side or escaped', () => {
    for (let seed = 1; seed <= 1_000; seed += 1) {
      const pick = seeded(seed);
      const presented = digits(pick, 24);
      const all = Array.from({ length: 1 + pick(4) }, () =>
        pick(4) === 0 ? { text: presented, secret: presented } : credential(pick),
      );
      let text = all.map((each) => each.text + oneOf(pick, BETWEEN)).join('');
      for (let times = pick(4); times > 0; times -= 1) text = escaped(pick, text);
      const kept = readings(withoutCredentials(text, presented));
      for (const { secret } of all) {
        expect(holds(kept, secret), `seed ${seed}: ${text}\n${kept}`).toBe(false);
      }
    }
  });

  it('stays JSON, whatever it held', () => {
    for (let seed = 1; seed <= 300; seed += 1) {
      const pick = seeded(seed);
      const all = [credential(pick), credential(pick)];
      let text = all.map((each) => oneOf(pick, BETWEEN) + each.text).join('');
      for (let times = pick(7); times > 0 && text.length < 4_000; times -= 1) {
        text = escaped(pick, text);
      }
      const line = withoutCredentials(
        JSON.stringify({ text, inner: JSON.stringify({ text }), last: 1 }),
      );
      expect(JSON.parse(line), `seed ${seed}: ${line}`).toMatchObject({ last: 1 });
      for (const { secret } of all)
        expect(holds(readings(line), secret), `seed ${seed}`).toBe(false);
    }
  });

  it('holds none that is escaped more often than anyone reads', () => {
    const each = (text: string) => [...text].map((it) => `%${hexOf(it, 2)}`).join('');
    const cases = [KEY, `/v1/${KEY}`].flatMap((text) => {
      const forms = [text];
      for (let times = 1; times <= 7; times += 1) forms.push(each(forms.at(-1) ?? ''));
      return forms;
    });
    for (let times = 1, form = '_'; times <= 12; times += 1) {
      form = form.replaceAll(/[_&]/g, (it) => `&#${it.charCodeAt(0)};`);
      cases.push(`/v1/ceiba${form}${KEY.slice(6)}/x`);
    }
    for (const text of cases)
      expect(holds(readings(withoutCredentials(text)), KEY.slice(6))).toBe(false);
  });

  it.each([
    ['two side by side', `/v1/${KEY}${SECRET}/x`, '/v1/ceiba_[redacted]ceiba_[redacted]/x'],
    ['two with a mark between them', `${KEY}_${SECRET}`, 'ceiba_[redacted]_ceiba_[redacted]'],
    ['one within a brand', `ceiba_secret_${KEY}`, 'ceiba_secret_ceiba_[redacted]'],
    [
      'one whose mark is %u005f',
      `/v1/${KEY.replace('_', '%u005f')}/x%2Fy`,
      '/v1/ceiba_[redacted]/x%2Fy',
    ],
    [
      'the secret that signs webhooks',
      'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      'whsec_[redacted]',
    ],
    [
      'the secret that signs webhooks before a key',
      `whsec_MfKQ9r8GKY+/qr${KEY}`,
      'whsec_[redacted]ceiba_[redacted]',
    ],
    [
      'the password of an address',
      'redis://default:secret@cache:6379/0',
      'redis://default:[redacted]@cache:6379/0',
    ],
    [
      'a key of a project with another prefix',
      `/x?k=acme_live_${KEY.slice(6)}&y`,
      '/x?k=[redacted]&y',
    ],
    [
      'two such keys side by side',
      `acme_${KEY.slice(6)}acme_${KEY.slice(6)}/x`,
      '[redacted][redacted]/x',
    ],
    ['such a key within a word', `XYacme_${KEY.slice(6)}/x`, 'XYacme[redacted]/x'],
    ['a password with a colon', 'redis://:p:ss@cache:6379', 'redis://:[redacted]@cache:6379'],
    [
      'the password of an escaped address',
      '/x?u=redis%3A%2F%2Fa%3Asecret%40c',
      '/x?u=redis%3A%2F%2Fa%3A[redacted]%40c',
    ],
  ])('is shown without %s', (_, text, shown) => {
    expect(withoutCredentials(text)).toBe(shown);
  });

  it.each([
    `key ${KEY.slice(0, 14)} of it`,
    `/blobs/file_${'0f'.repeat(20)}/sha_${'0f'.repeat(32)}`,
    JSON.stringify({ url: 'http://host:80', email: 'ops@example.com' }),
    '/v1/caf%C3%A9/100%25/a%20b?x=%2525&y=&amp;',
    'C:\\new\\test',
    '%zz%u12&#;&unknown;',
    '',
  ])('without a credential stays as it is: %s', (text) => {
    expect(withoutCredentials(text)).toBe(text);
  });

  it('is shown without the text that came as a credential, unless that is a short word', () => {
    expect(withoutCredentials('job-hunter2222', 'hunter2222')).toBe('job-[redacted]');
    expect(withoutCredentials(`/v1/${KEY}`, KEY)).toBe('/v1/[redacted]');
    expect(withoutCredentials('/a/x%2Ay$(.%24(.hunter', 'x*y$(.$(.hunter')).toBe('/a/[redacted]');
    expect(withoutCredentials('/v1/reports', 'v1')).toBe('/v1/reports');
  });

  it('of any length is read once: its time grows with its length alone', () => {
    const long = 10_000;
    for (const part of ['a', '%25', '&amp;', '//a:', '\\', 'ceiba_', '%61', '&#38;#38;']) {
      expect(() => withoutCredentials(part.repeat(long))).not.toThrow();
    }
  });
});

it('finds a presented text of any length', () => {
  const presented = '(x'.repeat(50_000);
  expect(withoutCredentials(`a ${presented} b`, presented)).toBe('a [redacted] b');
});
