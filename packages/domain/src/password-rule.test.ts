import { describe, expect, test } from 'vitest';
import { whyPasswordRefused } from './password-rule.ts';

describe('a new password', () => {
  test.each([
    ['of 11 characters is refused', 'ki6Z-92mm-x', /at least 12 characters, this one is 11/],
    ['of 12 characters is accepted', 'ki6Z-92mm-xQ', null],
    ['of 11 characters that are 22 code units is refused', '🌳'.repeat(11), /at least 12/],
    [
      'of 256 characters is accepted',
      'copper lantern over the fjord '.repeat(9).slice(0, 256),
      null,
    ],
    ['of 257 characters is refused', 'a'.repeat(257), /at most 256 characters/],
  ])('%s', async (_, password, reason) => {
    const refusal = await whyPasswordRefused(password);
    if (reason === null) expect(refusal).toBeNull();
    else expect(refusal).toMatch(reason);
  });

  test.each([
    ['1111111111!!', 'repeats one character'],
    ['passwordpassword', 'repeats itself'],
    ['aaaaaaaaaaaa', 'repeats one character'],
    ['abc1abc1abc1', 'repeats itself'],
    ['🌳🌳🌳🌳🌳🌳🌳🌳🌳🌳🌳🌳', 'repeats itself'],
    [' . . . . . . ', 'repeats itself'],
    ['1qaz2wsx3edc', 'is among the first that attackers try'],
    ['123456789012', 'is among the first that attackers try'],
    ['Password1234', 'is close to one that attackers try first'],
    ['P@ssw0rd1234!', 'is close to one that attackers try first'],
    ['iloveyou1234', 'is close to one that attackers try first'],
    ['qwertyuiop[]', 'is a row of keys on the keyboard'],
    ['abcdefghijkl', 'is a sequence such as “abc” or “123”'],
    ['correct horse battery staple', 'is made of your address or of a well-known example'],
    ['Welcome2026!!', 'can be guessed'],
    ['summer2026summer', 'can be guessed'],
    ['my password is', 'can be guessed'],
    ['привет123456', 'can be guessed'],
  ])('such as %s is refused because it %s', async (password, reason) => {
    expect(await whyPasswordRefused(password)).toBe(
      `${reason}: choose a phrase only you would think of`,
    );
  });

  test.each([
    'copper lantern over the fjord',
    'a passphrase of some length',
    'kubernetes-otter-42',
    'my dog eats nine socks',
    'пароль длинный очень',
    '正しい馬の電池と裁縫の針a',
    '%)$=}?{+<|>~4',
    'passwortschlüssel',
  ])('such as %s is accepted', async (password) => {
    expect(await whyPasswordRefused(password)).toBeNull();
  });

  test('is refused if it is made of the address of its account, and only then', async () => {
    const [email, password] = ['marguerite.okonkwo@example.com', 'marguerite.okonkwo1'];
    expect(await whyPasswordRefused(password, email)).toMatch(/made of your address/);
    expect(await whyPasswordRefused(password)).toBeNull();
  });

  test('is judged by its first 64 characters, so that a long one takes no more time', async () => {
    const strong = 'copper lantern over the fjord, and nine socks of the dog at noon';
    expect(strong).toHaveLength(64);
    expect(await whyPasswordRefused(`${'a'.repeat(64)}${strong}`)).toMatch(/^repeats/);
    expect(await whyPasswordRefused(strong + 'a'.repeat(192))).toBeNull();
  });

  test('never occurs in the refusal', async () => {
    for (const password of ['tooshort', 'password1234', 'x'.repeat(257)]) {
      expect(await whyPasswordRefused(password)).not.toContain(password);
    }
  });
});
