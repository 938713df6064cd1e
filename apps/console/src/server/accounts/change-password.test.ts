import { beforeEach, describe, expect, it, vi } from 'vitest';
import { changePasswordOf } from './change-password.ts';
import { countedTransactions } from './counted-transactions.fixture.ts';

const verbs = vi.hoisted(() => ({
  chargePasswordChange: vi.fn(),
  findUserById: vi.fn(),
  forgivePasswordChange: vi.fn(),
  hashPassword: vi.fn(),
  setPassword: vi.fn(),
  verifyPassword: vi.fn(),
}));

vi.mock('server-only', () => ({}));
vi.mock('@ceiba/domain/password', () => verbs);
vi.mock('@ceiba/schema', () => verbs);

const transactions = countedTransactions();

const change = () =>
  changePasswordOf(
    transactions.inDatabase,
    { userId: 'owner', email: 'owner@example.com' },
    { currentPassword: 'typed', newPassword: 'new' },
  );

beforeEach(() => {
  vi.resetAllMocks();
  verbs.chargePasswordChange.mockResolvedValue({ kind: 'admitted' });
  verbs.findUserById.mockResolvedValue({
    userId: 'owner',
    passwordHash: 'old hash',
    sessionVersion: 7,
  });
  verbs.verifyPassword.mockResolvedValue(true);
  verbs.hashPassword.mockResolvedValue('new hash');
  verbs.setPassword.mockResolvedValue({ kind: 'updated' });
});

describe('changePasswordOf', () => {
  it('holds no connection while a password is hashed', async () => {
    const whileHashing = vi.fn(transactions.open);
    verbs.verifyPassword.mockImplementation(async () => whileHashing() >= 0);
    verbs.hashPassword.mockImplementation(async () => `hash ${whileHashing()}`);
    expect(await change()).toEqual({ kind: 'updated' });
    expect(whileHashing.mock.results.map(({ value }) => value)).toEqual([0, 0]);
  });

  it('sets the password only if the one that it checked is still set', async () => {
    await change();
    expect(verbs.verifyPassword).toHaveBeenCalledExactlyOnceWith('old hash', 'typed');
    expect(verbs.setPassword).toHaveBeenCalledExactlyOnceWith(expect.anything(), {
      userId: 'owner',
      passwordHash: 'new hash',
      sessionVersion: 7,
    });
  });

  it('reports that another password was set in the meantime', async () => {
    verbs.setPassword.mockResolvedValue({ kind: 'outdated' });
    expect(await change()).toEqual({ kind: 'outdated' });
  });

  it.each([
    [
      'a wrong password',
      {
        userId: 'owner',
        passwordHash: 'old hash',
        sessionVersion: 7,
      },
    ],
    ['a user who was deleted', null],
  ])('sets no password and keeps the attempt counted for %s', async (_case, user) => {
    verbs.findUserById.mockResolvedValue(user);
    verbs.verifyPassword.mockResolvedValue(false);
    expect(await change()).toEqual({ kind: 'wrong' });
    expect(verbs.forgivePasswordChange).not.toHaveBeenCalled();
    expect(verbs.setPassword).not.toHaveBeenCalled();
  });

  it('hashes nothing for an attempt that is over the limit', async () => {
    verbs.chargePasswordChange.mockResolvedValue({ kind: 'limited', retryAfterSeconds: 5 });
    expect(await change()).toEqual({ kind: 'limited', retryAfterSeconds: 5 });
    expect(verbs.verifyPassword).not.toHaveBeenCalled();
    expect(verbs.hashPassword).not.toHaveBeenCalled();
  });
});
