import { describe, expect, it } from 'vitest';
import { isCommonPassword } from './common-passwords.ts';

describe('isCommonPassword', () => {
  it.each([
    'passwordpassword',
    'Password1234',
    'password123456',
    'P@ssw0rd1234!',
    'Welcome2026!!',
    'Welcome-to-Ceiba-1',
    'adminadmin12',
    'administrator1',
    'iloveyou1234',
    'summer2026summer',
    'my password is',
    'letmeinletmein',
    'qwertyuiop12',
    'qwertyuiop[]',
    '1qaz2wsx3edc',
    '1q2w3e4r5t6y',
    'zxcvbnm12345',
    '123456789012',
    '098765432109',
    '1234-5678-9012',
    'abcdefghijkl',
    'zyxwvutsrqpo',
    'aaaaaaaaaaaa',
    'abc1abc1abc1',
    '🌳🌳🌳🌳🌳🌳🌳🌳🌳🌳🌳🌳',
    'correct horse battery staple',
    '314159265358',
    'привет123456',
    '------------',
    ' . . . . . . ',
  ])('refuses %s', (password) => {
    expect(isCommonPassword(password)).toBe(true);
  });

  it.each([
    'copper lantern over the fjord',
    'a passphrase of some length',
    'another passphrase altogether',
    'ki6Z-92mm-xQ0p',
    '839201847562',
    'kubernetes-otter-42',
    'correcthorsebatterystapler',
    'my dog eats nine socks',
    'пароль длинный очень',
    'моя собака любит колбасу 7',
    '正しい馬の電池と裁縫の針a',
    '%)$=}?{+<|>~4',
    'passwortschlüssel',
    'welcome the sunshine of my summer in winter',
  ])('accepts %s', (password) => {
    expect(isCommonPassword(password)).toBe(false);
  });
});
