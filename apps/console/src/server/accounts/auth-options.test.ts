import { randomUUID } from 'node:crypto';
import type { CredentialsConfig } from 'next-auth/providers/credentials';
import type { OAuthConfig } from 'next-auth/providers/index';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { FailedQuery } from '../failed-query.fixture.ts';
import { log } from '../log.ts';
import { authOptions } from './auth-options.ts';

const database = vi.hoisted(() => {
  const withDatabase = vi.fn();
  return { withDatabase, withSessionDatabase: withDatabase };
});

const identity = vi.hoisted(() => ({ signInWithIdentity: vi.fn() }));

vi.mock('server-only', () => ({}));
vi.mock('./identity.ts', () => identity);
vi.mock('../database.ts', () => database);
vi.mock('next/headers', () => ({ headers: async () => new Headers() }));
vi.mock('../own-cookies.ts', () => ({
  cookieName: async (purpose: string) => `ceiba.1a2b3c4d.${purpose}`,
  cookieAttributes: () => ({ httpOnly: true, secure: false, path: '/' }),
  readCookie: async () => undefined,
}));
vi.mock('../../env.ts', () => ({
  env: () => ({
    sessionSecret: 'x'.repeat(32),
    trustedProxyHops: 0,
    github: { clientId: 'console', clientSecret: 'any secret' },
  }),
}));

afterEach(() => {
  vi.restoreAllMocks();
  database.withDatabase.mockReset();
});

async function authorize(email: string): Promise<unknown> {
  const [provider] = (await authOptions()).providers as unknown as [{ options: CredentialsConfig }];
  const { authorize } = provider.options;
  return authorize({ email, password: 'any password' }, {});
}

describe('signing in with a password', () => {
  it.each(['a\0@example.com', 'a\n@example.com', 'a\u0085@example.com'])(
    'refuses an e-mail address with a control character without a query: %j',
    async (email) => {
      expect(await authorize(email)).toBeNull();
      expect(database.withDatabase).not.toHaveBeenCalled();
    },
  );

  it('logs an error, and sends no details to the browser', async () => {
    const error = vi.spyOn(log, 'error').mockReturnValue();
    const failure = new FailedQuery('select 1', ['typed'], new Error('invalid byte sequence'));
    database.withDatabase.mockRejectedValue(failure);
    await expect(authorize('a@example.com')).rejects.toThrow(/^unavailable$/);
    expect(error).toHaveBeenCalledExactlyOnceWith({ err: failure }, 'sign_in.failed');
  });
});

describe('signing in at a provider', () => {
  it.each([
    [{}, undefined],
    [{ email_verified: true }, true],
    [{ email_verified: 'true' }, true],
    [{ email_verified: false }, false],
    [{ email_verified: 'false' }, false],
    [{ email_verified: 0 }, false],
    [{ email_verified: null }, false],
  ])('takes an address as verified only if its provider states that: %j', async (profile, is) => {
    database.withDatabase.mockImplementation(async (work) => work({}));
    identity.signInWithIdentity.mockResolvedValue({ kind: 'closed' });
    const user = { id: 'subject', email: 'a@example.com' };
    const account = { provider: 'google', type: 'oauth', providerAccountId: 'subject' };
    const signIn = (await authOptions()).callbacks?.signIn;
    await signIn?.({ user, account, profile } as never);
    expect(identity.signInWithIdentity.mock.lastCall?.[1]).toMatchObject({ emailVerified: is });
  });

  it.each([
    ['the primary one', {}, { email: 'first@example.com', email_verified: true }],
    ['a public one', { email: 'b@example.com' }, { email: 'b@example.com', email_verified: false }],
    ['no answer', {}, { email_verified: false }],
  ])('reads from GitHub whether an address is verified: %s', async (which, user, expected) => {
    const addresses = [
      { email: 'b@example.com', primary: false, verified: false },
      { email: 'first@example.com', primary: true, verified: true },
    ];
    const status = which === 'no answer' ? 404 : 200;
    vi.spyOn(globalThis, 'fetch').mockResolvedValue(Response.json(addresses, { status }));
    const providers = (await authOptions()).providers as unknown as OAuthConfig<unknown>[];
    const userinfo = providers.find(({ id }) => id === 'github')?.options?.userinfo;
    const { request } = userinfo as unknown as { request: (asked: object) => Promise<unknown> };
    const client = { userinfo: async () => ({ id: 1, ...user }) };
    const asked = request({ client, tokens: { access_token: 'any' } });
    expect(await asked).toMatchObject({ id: 1, ...expected });
  });
});

describe('the cookies of next-auth', () => {
  it('all have names of this installation, and attributes that a `__Host-` cookie may have', async () => {
    const { cookies } = await authOptions();
    const names = Object.values(cookies ?? {}).map(({ name }) => name);
    expect(new Set(names).size).toBe(6);
    for (const { name, options } of Object.values(cookies ?? {})) {
      expect(name).toMatch(/^ceiba\.1a2b3c4d\.[a-z-]+$/);
      expect(options).toEqual({ httpOnly: true, secure: false, path: '/', sameSite: 'lax' });
    }
  });
});

describe('a session token', () => {
  const token = { sub: randomUUID(), sid: randomUUID() };
  const renew = async () => (await authOptions()).callbacks?.jwt?.({ token } as never);

  it('is renewed while the session lasts', async () => {
    database.withDatabase.mockResolvedValue({ userId: token.sub });
    expect(await renew()).toEqual(token);
  });

  it.each([
    ['has ended', null],
    ['belongs to another user', { userId: randomUUID() }],
  ])('is not renewed for a session that %s, and nothing is logged', async (_how, user) => {
    const error = vi.spyOn(log, 'error').mockReturnValue();
    database.withDatabase.mockResolvedValue(user);
    const refused = await renew().catch((thrown: unknown) => thrown);
    expect(refused).toBeInstanceOf(Error);
    (await authOptions()).logger?.error?.('JWT_SESSION_ERROR', refused as Error);
    expect(error).not.toHaveBeenCalled();
  });

  it('is renewed during a database outage, which is logged', async () => {
    const error = vi.spyOn(log, 'error').mockReturnValue();
    const outage = new Error('Postgres cannot be reached');
    database.withDatabase.mockRejectedValue(outage);
    expect(await renew()).toEqual(token);
    expect(error).toHaveBeenCalledExactlyOnceWith({ err: outage }, 'session.not_checked');
  });
});
