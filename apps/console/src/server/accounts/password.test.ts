import { beforeEach, describe, expect, it, vi } from 'vitest';
import { countedTransactions } from './counted-transactions.fixture.ts';
import { signInWithPassword } from './password.ts';

const verbs = vi.hoisted(() => ({
  chargeAttempt: vi.fn(),
  findAuthenticator: vi.fn(),
  findUserByEmail: vi.fn(),
  forgiveAttempt: vi.fn(),
  forgivePasswordChange: vi.fn(),
  mustUsePasskey: vi.fn(),
  recordRefusedSignIn: vi.fn(),
  startChallenge: vi.fn(),
  startSession: vi.fn(),
  verifyPassword: vi.fn(),
}));

vi.mock('server-only', () => ({}));
vi.mock('@ceiba/domain/password', () => verbs);
vi.mock('@ceiba/schema', () => verbs);
vi.mock('../log.ts', () => ({ log: { error: vi.fn() } }));
vi.mock('next/server', () => ({ after: (work: () => Promise<void>) => afterAnswer.push(work) }));
vi.mock('./challenge-cookie.ts', () => ({ issueChallengeToken: async () => 'digest' }));

const OWNER = { userId: 'owner', passwordHash: 'hash', sessionVersion: 7 };
const transactions = countedTransactions();
/** What runs once the answer is sent. */
const afterAnswer = vi.hoisted(() => [] as (() => Promise<void>)[]);

const signIn = () =>
  signInWithPassword(
    transactions.inDatabase,
    { email: 'owner@example.com', password: 'typed' },
    60,
  );

beforeEach(() => {
  vi.resetAllMocks();
  afterAnswer.length = 0;
  verbs.chargeAttempt.mockResolvedValue({ kind: 'admitted' });
  verbs.findUserByEmail.mockResolvedValue(OWNER);
  verbs.verifyPassword.mockResolvedValue(true);
  verbs.findAuthenticator.mockResolvedValue(null);
  verbs.mustUsePasskey.mockResolvedValue(false);
  verbs.startSession.mockResolvedValue({ sessionId: 'session' });
});

describe('signInWithPassword', () => {
  it('holds no connection while a password is hashed', async () => {
    verbs.verifyPassword.mockImplementation(async () => {
      expect(transactions.open()).toBe(0);
      return true;
    });
    expect(await signIn()).toEqual({ kind: 'signed_in', userId: 'owner', sessionId: 'session' });
    expect(verbs.verifyPassword).toHaveBeenCalledOnce();
  });

  it('starts the session with the version that was read with the hash', async () => {
    await signIn();
    expect(verbs.startSession).toHaveBeenCalledExactlyOnceWith(expect.anything(), {
      userId: 'owner',
      sessionVersion: 7,
      lifetimeSeconds: 60,
      userAgent: 'browser',
      proof: { method: 'password' },
    });
  });

  it('refuses, and keeps the attempt counted, if that version has changed', async () => {
    verbs.startSession.mockResolvedValue(null);
    expect(await signIn()).toEqual({ kind: 'wrong' });
    expect(verbs.forgiveAttempt).not.toHaveBeenCalled();
  });

  it('does the same work for an unknown address', async () => {
    verbs.findUserByEmail.mockResolvedValue(null);
    verbs.verifyPassword.mockResolvedValue(false);
    expect(await signIn()).toEqual({ kind: 'wrong' });
    expect(verbs.verifyPassword).toHaveBeenCalledExactlyOnceWith(null, 'typed');
    expect(afterAnswer).toEqual([]);
  });

  it('records a wrong password of an account, and only once the answer is sent', async () => {
    verbs.verifyPassword.mockResolvedValue(false);
    expect(await signIn()).toEqual({ kind: 'wrong' });
    expect(verbs.recordRefusedSignIn).not.toHaveBeenCalled();
    for (const work of afterAnswer) await work();
    expect(verbs.recordRefusedSignIn).toHaveBeenCalledExactlyOnceWith(expect.anything(), {
      action: 'sign_in.refuse',
      userId: 'owner',
    });
  });

  it('answers although a refusal cannot be recorded', async () => {
    verbs.verifyPassword.mockResolvedValue(false);
    verbs.recordRefusedSignIn.mockRejectedValue(new Error('no database'));
    expect(await signIn()).toEqual({ kind: 'wrong' });
    for (const work of afterAnswer) await work();
  });

  it('starts no session, and forgives no attempt, where a second factor is on', async () => {
    verbs.findAuthenticator.mockResolvedValue({ isConfirmed: true });
    expect(await signIn()).toEqual({ kind: 'second_factor' });
    expect(verbs.startSession).not.toHaveBeenCalled();
    expect(verbs.forgiveAttempt).not.toHaveBeenCalled();
    expect(verbs.startChallenge).toHaveBeenCalledExactlyOnceWith(expect.anything(), {
      purpose: 'second_factor',
      tokenDigest: 'digest',
      user: { userId: 'owner', sessionVersion: 7 },
    });
  });

  it('starts no session where a passkey is the required second factor, and records the password', async () => {
    verbs.mustUsePasskey.mockResolvedValue(true);
    expect(await signIn()).toEqual({ kind: 'passkey_required' });
    expect(verbs.startSession).not.toHaveBeenCalled();
    for (const work of afterAnswer) await work();
    expect(verbs.recordRefusedSignIn).toHaveBeenCalledExactlyOnceWith(expect.anything(), {
      action: 'sign_in.refuse_without_passkey',
      userId: 'owner',
    });
  });

  it('counts a right password beside a required passkey as no guess, and remembers no network', async () => {
    verbs.mustUsePasskey.mockResolvedValue(true);
    await signIn();
    expect(verbs.forgivePasswordChange).toHaveBeenCalledExactlyOnceWith(expect.anything(), {
      userId: 'owner',
      email: 'owner@example.com',
    });
    expect(verbs.forgiveAttempt).not.toHaveBeenCalled();
  });

  it('asks for no code of an app that was never confirmed', async () => {
    verbs.findAuthenticator.mockResolvedValue({ isConfirmed: false });
    expect(await signIn()).toMatchObject({ kind: 'signed_in' });
  });

  it('hashes nothing for an attempt that is over the limit', async () => {
    verbs.chargeAttempt.mockResolvedValue({ kind: 'limited', retryAfterSeconds: 5 });
    expect(await signIn()).toEqual({ kind: 'limited', retryAfterSeconds: 5 });
    expect(verbs.verifyPassword).not.toHaveBeenCalled();
    expect(afterAnswer).toEqual([]);
  });
});
