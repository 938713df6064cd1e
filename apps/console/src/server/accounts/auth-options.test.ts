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
vi.mock('../../env.ts', () => ({
  env: () => ({ sessionSecret: 'x'.repeat(32), trustedProxyHops: 0 }),
}));

afterEach(() => {
  vi.restoreAllMocks();
  database.withDatabase.mockReset();
});

function authorize(email: string): Promise<unknown> {
  const [provider] = authOptions().providers as unknown as [{ options: CredentialsConfig }];
  const { authorize } = provider.options;
  return Promise.resolve(authorize({ email, password: 'any password' }, {}));
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

describe('a session token', () => {
  const token = { sub: randomUUID(), sid: randomUUID() };
  const renew = () => authOptions().callbacks?.jwt?.({ token } as never);

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
    const refused = await Promise.resolve(renew()).catch((thrown: unknown) => thrown);
    expect(refused).toBeInstanceOf(Error);
    authOptions().logger?.error?.('JWT_SESSION_ERROR', refused as Error);
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
