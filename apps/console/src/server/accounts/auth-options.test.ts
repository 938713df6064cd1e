import { randomUUID } from 'node:crypto';
import type { CredentialsConfig } from 'next-auth/providers/credentials';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { FailedQuery } from '../failed-query.fixture.ts';
import { log } from '../log.ts';
import { authOptions } from './auth-options.ts';

const database = vi.hoisted(() => {
  const withDatabase = vi.fn();
  return { withDatabase, withSessionDatabase: withDatabase };
});

vi.mock('server-only', () => ({}));
vi.mock('../database.ts', () => database);
vi.mock('next/headers', () => ({ headers: async () => new Headers() }));
vi.mock('../own-cookies.ts', () => ({
  cookieName: async (purpose: string) => `ceiba.1a2b3c4d.${purpose}`,
  cookieAttributes: () => ({ httpOnly: true, secure: false, path: '/' }),
}));
vi.mock('../../env.ts', () => ({
  env: () => ({ sessionSecret: 'x'.repeat(32), trustedProxyHops: 0 }),
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
