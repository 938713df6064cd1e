import { randomBytes } from 'node:crypto';
import { mintSetupToken } from '@ceiba/domain';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { countedTransactions } from './counted-transactions.fixture.ts';
import { signUpWithPassword } from './sign-up.ts';

const verbs = vi.hoisted(() => ({
  chargeAttempt: vi.fn(),
  checkSetup: vi.fn(),
  hashPassword: vi.fn(),
  signUp: vi.fn(),
  whyPasswordRefused: vi.fn(),
}));

vi.mock('server-only', () => ({}));
vi.mock('../../env.ts', () => ({}));
vi.mock('../database.ts', () => ({}));
vi.mock('../own-cookies.ts', () => ({}));
vi.mock('@ceiba/domain/password', () => verbs);
vi.mock('@ceiba/domain/password-rule', () => verbs);
vi.mock('@ceiba/schema', () => verbs);

const transactions = countedTransactions();
const CREATED = { kind: 'created', userId: 'owner', isAdministrator: true };

const signUp = (setupToken?: string) =>
  signUpWithPassword(
    transactions.inDatabase,
    { email: 'owner@example.com', password: 'typed', setupToken },
    'open',
  );

beforeEach(() => {
  vi.resetAllMocks();
  verbs.chargeAttempt.mockResolvedValue({ kind: 'admitted' });
  verbs.checkSetup.mockResolvedValue('done');
  verbs.hashPassword.mockResolvedValue('hash');
  verbs.signUp.mockResolvedValue(CREATED);
  verbs.whyPasswordRefused.mockResolvedValue(null);
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
      setupTokenDigest: null,
    });
  });

  it('judges and hashes nothing for an attempt that is over the limit', async () => {
    verbs.chargeAttempt.mockResolvedValue({ kind: 'limited', retryAfterSeconds: 5 });
    expect(await signUp()).toEqual({ kind: 'limited', retryAfterSeconds: 5 });
    expect(verbs.whyPasswordRefused).not.toHaveBeenCalled();
    expect(verbs.hashPassword).not.toHaveBeenCalled();
  });

  it('judges and hashes nothing for a wrong setup token', async () => {
    verbs.checkSetup.mockResolvedValue('refused');
    expect(await signUp('wrong')).toEqual({ kind: 'setup_token' });
    expect(verbs.checkSetup).toHaveBeenCalledExactlyOnceWith(expect.anything(), null);
    expect(verbs.whyPasswordRefused).not.toHaveBeenCalled();
    expect(verbs.hashPassword).not.toHaveBeenCalled();
  });

  it('hashes no weak password, and says why it is one', async () => {
    verbs.whyPasswordRefused.mockResolvedValue('repeats itself');
    expect(await signUp()).toEqual({ kind: 'weak_password', reason: 'repeats itself' });
    expect(verbs.whyPasswordRefused).toHaveBeenCalledWith('typed', 'owner@example.com');
    expect(verbs.chargeAttempt).toHaveBeenCalledOnce();
    expect(verbs.hashPassword).not.toHaveBeenCalled();
  });

  it('passes the digest of the setup token to the transaction that creates the account', async () => {
    verbs.checkSetup.mockResolvedValue('permitted');
    const { plaintext, digest } = mintSetupToken(randomBytes);
    await signUp(` ${plaintext}\n`);
    expect(verbs.signUp.mock.calls[0]?.[1]).toMatchObject({ setupTokenDigest: digest });
  });
});
