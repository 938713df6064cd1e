import type { CredentialsConfig } from 'next-auth/providers/credentials';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { FailedQuery } from '../failed-query.fixture.ts';
import { log } from '../log.ts';
import { authOptions } from './auth-options.ts';

const database = vi.hoisted(() => ({ withDatabase: vi.fn() }));

vi.mock('server-only', () => ({}));
vi.mock('../database.ts', () => database);
vi.mock('../request-context.ts', () => ({
  requestContext: async () => ({ clientAddress: null, requestId: null }),
}));
vi.mock('../../env.ts', () => ({ env: () => ({ sessionSecret: 'x'.repeat(32) }) }));

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
    'knows nobody by an address with a control character, and asks no database: %j',
    async (email) => {
      expect(await authorize(email)).toBeNull();
      expect(database.withDatabase).not.toHaveBeenCalled();
    },
  );

  it('tells a stranger no fault, and the log every one', async () => {
    const error = vi.spyOn(log, 'error').mockReturnValue();
    const fault = new FailedQuery('select 1', ['typed'], new Error('invalid byte sequence'));
    database.withDatabase.mockRejectedValue(fault);
    await expect(authorize('a@example.com')).rejects.toThrow(/^unavailable$/);
    expect(error).toHaveBeenCalledExactlyOnceWith('sign_in.failed', { fault });
  });
});
