import { randomUUID } from 'node:crypto';
import { encode } from 'next-auth/jwt';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { changeEmailLink, signUpLink } from './confirmation-link.ts';

const settings = vi.hoisted(() => ({ sessionSecret: 'x'.repeat(32) }));

vi.mock('server-only', () => ({}));
vi.mock('../../env.ts', () => ({
  env: () => ({ ...settings, publicOrigin: 'https://ceiba.example.com' }),
}));

afterEach(() => {
  vi.useRealTimers();
  settings.sessionSecret = 'x'.repeat(32);
});

const email = 'ana@example.com';
const tokenOf = (link: string) => link.slice(link.indexOf('#') + 1);

describe('a link that confirms an address', () => {
  it('leads to its page, with a token in the fragment that says what it confirms', async () => {
    const link = await signUpLink.create({ email });
    expect(link).toMatch(/^https:\/\/ceiba\.example\.com\/sign-up\/confirm#[\w.-]+$/);
    expect(link).not.toContain('ana');
    expect(await signUpLink.read(tokenOf(link))).toEqual({ email });
    const change = { email, userId: randomUUID(), sessionVersion: 3 };
    expect(await changeEmailLink.read(tokenOf(await changeEmailLink.create(change)))).toEqual(
      change,
    );
  });

  it('is refused on another page, and a session is no link', async () => {
    const change = { email, userId: randomUUID(), sessionVersion: 0 };
    expect(await signUpLink.read(tokenOf(await changeEmailLink.create(change)))).toBeNull();
    const session = await encode({ token: { ...change }, secret: settings.sessionSecret });
    expect(await changeEmailLink.read(session)).toBeNull();
  });

  it('is refused with one character changed, cut short, empty, and under another secret', async () => {
    const token = tokenOf(await signUpLink.create({ email }));
    const last = token.endsWith('A') ? 'B' : 'A';
    const middle = token.length - 40;
    for (const wrong of [
      `${token.slice(0, middle)}${token[middle] === 'A' ? 'B' : 'A'}${token.slice(middle + 1)}`,
      token.slice(0, -4) + last.repeat(4),
      token.slice(0, -10),
      '',
    ]) {
      expect(await signUpLink.read(wrong)).toBeNull();
    }
    settings.sessionSecret = 'y'.repeat(32);
    expect(await signUpLink.read(token)).toBeNull();
  });

  it('ends after an hour', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 0 });
    const token = tokenOf(await signUpLink.create({ email }));
    vi.setSystemTime(59 * 60_000);
    expect(await signUpLink.read(token)).toEqual({ email });
    vi.setSystemTime(61 * 60_000);
    expect(await signUpLink.read(token)).toBeNull();
  });
});
