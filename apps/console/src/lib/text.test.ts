import { describe, expect, it } from 'vitest';
import { legible, withoutSecrets } from './text.ts';

it.each([
  ['a changed direction', 'Mobile\u202Eppa', 'Mobile\uFFFDppa'],
  ['the end of the surrounding isolate', 'a\u2069\u202Eb', 'a\uFFFD\uFFFDb'],
  ['a character without width', '\u200B', '\uFFFD'],
])('shows a control character in a name: %s', (_what, name, seen) => {
  expect(legible(name)).toBe(seen);
});

it.each(['Mobile app', 'אפליקציה', 'می\u200Cخواهم', 'a\u200Fb', '👩\u200D💻', '🏴󠁧󠁢󠁥󠁮󠁧󠁿'])(
  'leaves a name in any script as it is: %s',
  (name) => {
    expect(legible(name)).toBe(name);
  },
);

describe('withoutSecrets', () => {
  it.each([
    ['ceiba_0123456789abcdef', 'ceiba_01234567'],
    ['ceiba_secret_0123456789abcdef', 'ceiba_secret_01234567'],
    ['/join#ceiba_invite_0123456789abcdef', '/join#ceiba_invite_01234567'],
    ['/reset-password#ceiba_reset_0123456789abcdef', '/reset-password#ceiba_reset_01234567'],
    ['Bearer ceiba_token_0123456789abcdef', 'Bearer ceiba_token_01234567'],
    [' by ceiba_01234567ZZ, ceiba_secret_abcdefghZZ', ' by ceiba_01234567, ceiba_secret_abcdefgh'],
    [`acme_live_${'0123456789'.repeat(5)}`, 'acme_live_01234567'],
    ['user_2NNEqL2nrIRdJ194ndJqAHwEfxC', 'user_2NNEqL2nrIRdJ194ndJqAHwEfxC'],
    ['ceiba_01234567', 'ceiba_01234567'],
    ['Mobile app', 'Mobile app'],
  ])('cuts %s to %s', (text, cut) => {
    expect(withoutSecrets(text)).toBe(cut);
  });
});
