import { beforeEach, describe, expect, it, vi } from 'vitest';
import { countedTransactions } from './counted-transactions.fixture.ts';
import { signUpWithPassword } from './sign-up.ts';

const verbs = vi.hoisted(() => ({
  chargeAttempt: vi.fn(),
  hashPassword: vi.fn(),
  signUp: vi.fn(),
}));

vi.mock('server-only', () => ({}));
vi.mock('../../env.ts', () => ({}));
vi.mock('../database.ts', () => ({}));
vi.mock('@ceiba/domain/password', () => verbs);
vi.mock('@ceiba/schema', () => verbs);

const transactions = countedTransactions();
const CREATED = { kind: 'created', userId: 'owner', isAdministrator: true };

const signUp = () =>
  signUpWithPassword(
    transactions.inDatabase,
    { email: 'owner@example.com', password: 'typed' },
    'open',
  );

beforeEach(() => {
  vi.resetAllMocks();
  verbs.chargeAttempt.mockResolvedValue({ kind: 'admitted' });
  verbs.hashPassword.mockResolvedValue('hash');
  verbs.signUp.mockResolvedValue(CREATED);
});

describe('signUpWithPassword', () => {
  it('holds no connection while a password is hashed', async () => {
    verbs.hashPassword.mockImplementation(async () => {
      expect(transactions.open()).toBe(0);
      return 'hash';
    });
    expect(await signUp()).toEqual(CREATED);
    expect(verbs.signUp).toHaveBeenCalledExactlyOnceWith(expect.anything(), {
      email: 'owner@example.com',
      passwordHash: 'hash',
      policy: 'open',
    });
  });

  it('hashes nothing for an attempt that is over the limit', async () => {
    verbs.chargeAttempt.mockResolvedValue({ kind: 'limited', retryAfterSeconds: 5 });
    expect(await signUp()).toEqual({ kind: 'limited', retryAfterSeconds: 5 });
    expect(verbs.hashPassword).not.toHaveBeenCalled();
  });
});
