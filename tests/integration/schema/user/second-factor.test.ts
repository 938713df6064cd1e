import { createHash, randomBytes } from 'node:crypto';
import {
  chargeSecondFactor,
  completeSecondFactor,
  confirmAuthenticator,
  countRecoveryCodes,
  enrollAuthenticator,
  findAuthenticator,
  findChallenge,
  findSession,
  findUserById,
  listAudit,
  listUsers,
  removeSecondFactors,
  replaceRecoveryCodes,
  type SecondFactor,
  setPassword,
  startChallenge,
  startSession,
  takeChallenge,
  turnOffSecondFactor,
} from '@ceiba/schema';
import { describe, expect, test } from 'vitest';
import { countAuditRows, expectKind, makeOwner, useBench } from '../support.ts';

const bench = useBench();
const sealedSecret = Buffer.from('sealed');
const digestOf = (text: string) => createHash('sha256').update(text).digest();
const RECOVERY = ['one', 'two'].map(digestOf);
const STEP = 1_000;

const provenOf = async (userId: string) => {
  const { sessionVersion } = (await findUserById(bench.db, userId))!;
  return { userId, sessionVersion };
};

/** A user whose second factor is on since the code of {@link STEP}. */
async function makeUser(): Promise<string> {
  const userId = await makeOwner(bench.ctx);
  const proven = await provenOf(userId);
  expectKind(await enrollAuthenticator(bench.ctx, { ...proven, sealedSecret }), 'enrolled');
  const first = { ...proven, sealedSecret, step: STEP, recoveryDigests: RECOVERY };
  expectKind(await confirmAuthenticator(bench.ctx, first), 'confirmed');
  return userId;
}

/** The token that a browser gets for a right password. */
async function afterPassword(userId: string): Promise<Buffer> {
  const tokenDigest = digestOf(randomBytes(16).toString('hex'));
  const user = await provenOf(userId);
  await startChallenge(bench.ctx, { purpose: 'second_factor', tokenDigest, user });
  return tokenDigest;
}

const complete = (tokenDigest: Buffer, factor: SecondFactor) =>
  completeSecondFactor(bench.ctx, { tokenDigest, factor, lifetimeSeconds: 60, userAgent: null });
const step = (number: number): SecondFactor => ({ kind: 'step', step: number });

describe('an authenticator app', () => {
  test('counts only once a code has confirmed it, and shows in the list of accounts', async () => {
    const userId = await makeOwner(bench.ctx);
    const proven = await provenOf(userId);
    await enrollAuthenticator(bench.ctx, { ...proven, sealedSecret });
    expect(await findAuthenticator(bench.db, userId)).toMatchObject({ isConfirmed: false });
    const seen = async () => {
      const { items } = await listUsers(bench.db, { limit: 100, cursor: null });
      return items.find((user) => user.userId === userId)?.hasSecondFactor;
    };
    expect(await seen()).toBe(false);
    const input = { ...proven, sealedSecret, step: STEP, recoveryDigests: RECOVERY };
    await confirmAuthenticator(bench.ctx, input);
    expect(await findAuthenticator(bench.db, userId)).toMatchObject({ isConfirmed: true });
    expect(await seen()).toBe(true);
    const { items } = await listAudit(bench.db, { ownerId: userId, limit: 1 });
    expect(items[0]?.action).toBe('user.add_second_factor');
  });

  test('is not replaced once it is confirmed, nor enrolled after the sessions ended', async () => {
    const userId = await makeUser();
    const proven = await provenOf(userId);
    const again = { ...proven, sealedSecret: Buffer.from('other') };
    expect(await enrollAuthenticator(bench.ctx, again)).toEqual({ kind: 'has_one' });
    await setPassword(bench.ctx, { userId, passwordHash: 'new' });
    expect(await enrollAuthenticator(bench.ctx, again)).toEqual({ kind: 'outdated' });
    expect((await findAuthenticator(bench.db, userId))?.sealedSecret).toEqual(sealedSecret);
  });

  test('cannot be confirmed with the code of a secret that was replaced, nor too late', async () => {
    const userId = await makeOwner(bench.ctx);
    const proven = await provenOf(userId);
    await enrollAuthenticator(bench.ctx, { ...proven, sealedSecret });
    const latest = Buffer.from('latest');
    await enrollAuthenticator(bench.ctx, { ...proven, sealedSecret: latest });
    const confirm = (secret: Buffer) =>
      confirmAuthenticator(bench.ctx, {
        ...proven,
        sealedSecret: secret,
        step: STEP,
        recoveryDigests: RECOVERY,
      });
    expect(await confirm(sealedSecret)).toEqual({ kind: 'not_found' });
    await bench.db.sql`update authenticators set created_at = now() - interval '16 minutes'
      where user_id = ${userId}`;
    expect(await findAuthenticator(bench.db, userId)).toBeNull();
    expect(await confirm(latest)).toEqual({ kind: 'not_found' });
  });

  test('is not confirmed after the sessions ended', async () => {
    const userId = await makeOwner(bench.ctx);
    const proven = await provenOf(userId);
    await enrollAuthenticator(bench.ctx, { ...proven, sealedSecret });
    await setPassword(bench.ctx, { userId, passwordHash: 'new' });
    const input = { ...proven, sealedSecret, step: STEP, recoveryDigests: RECOVERY };
    expect(await confirmAuthenticator(bench.ctx, input)).toEqual({ kind: 'outdated' });
    expect(await findAuthenticator(bench.db, userId)).toMatchObject({ isConfirmed: false });
  });
});

describe('new recovery codes', () => {
  const replace = async (userId: string, factor: SecondFactor) =>
    replaceRecoveryCodes(bench.ctx, {
      ...(await provenOf(userId)),
      factor,
      recoveryDigests: ['three', 'four', 'five'].map(digestOf),
    });
  const recovery = (text: string): SecondFactor => ({
    kind: 'recovery_code',
    digest: digestOf(text),
  });

  test('replace all earlier ones, at the price of a code', async () => {
    const userId = await makeUser();
    expect(await replace(userId, step(STEP))).toEqual({ kind: 'wrong' });
    expect(await countRecoveryCodes(bench.db, userId)).toBe(RECOVERY.length);
    expect(await replace(userId, recovery('one'))).toEqual({ kind: 'replaced' });
    expect(await countRecoveryCodes(bench.db, userId)).toBe(3);
    expect(await complete(await afterPassword(userId), recovery('two'))).toEqual({ kind: 'wrong' });
    const signedIn = await complete(await afterPassword(userId), recovery('three'));
    expect(signedIn.kind).toBe('signed_in');
  });

  test('are refused without a second factor, and after the sessions ended', async () => {
    const userId = await makeOwner(bench.ctx);
    const proven = await provenOf(userId);
    await enrollAuthenticator(bench.ctx, { ...proven, sealedSecret });
    expect(await replace(userId, step(STEP))).toEqual({ kind: 'wrong' });
    expect(await countRecoveryCodes(bench.db, userId)).toBe(0);
    await setPassword(bench.ctx, { userId, passwordHash: 'new' });
    const input = { ...proven, factor: step(STEP), recoveryDigests: RECOVERY };
    expect(await replaceRecoveryCodes(bench.ctx, input)).toEqual({ kind: 'outdated' });
  });
});

describe('a sign-in with a second factor', () => {
  test('starts a session with a code, and the challenge is used up', async () => {
    const userId = await makeUser();
    const tokenDigest = await afterPassword(userId);
    const signedIn = expectKind(await complete(tokenDigest, step(STEP + 1)), 'signed_in');
    expect(await findSession(bench.db, signedIn.sessionId)).toMatchObject({ userId });
    expect(await complete(tokenDigest, step(STEP + 2))).toEqual({ kind: 'expired' });
  });

  test('accepts no code twice, nor one that is older than the last', async () => {
    const userId = await makeUser();
    for (const used of [STEP, STEP - 1]) {
      expect(await complete(await afterPassword(userId), step(used))).toEqual({ kind: 'wrong' });
    }
    expectKind(await complete(await afterPassword(userId), step(STEP + 1)), 'signed_in');
    expect(await complete(await afterPassword(userId), step(STEP + 1))).toEqual({ kind: 'wrong' });
  });

  test('with one code in twenty browsers at the same time succeeds in one', async () => {
    const userId = await makeUser();
    const tokens = await Promise.all(Array.from({ length: 20 }, () => afterPassword(userId)));
    for (const factor of [
      step(STEP + 1),
      { kind: 'recovery_code', digest: RECOVERY[0]! } as const,
    ]) {
      const results = await Promise.all(tokens.map((token) => complete(token, factor)));
      expect(results.filter(({ kind }) => kind === 'signed_in')).toHaveLength(1);
    }
  });

  test('accepts each recovery code once, of its user alone', async () => {
    const userId = await makeUser();
    const stranger = await makeUser();
    await bench.db.sql`delete from recovery_codes where user_id = ${stranger}`;
    const code = { kind: 'recovery_code', digest: RECOVERY[0]! } as const;
    expect(await complete(await afterPassword(stranger), code)).toEqual({ kind: 'wrong' });
    expectKind(await complete(await afterPassword(userId), code), 'signed_in');
    expect(await complete(await afterPassword(userId), code)).toEqual({ kind: 'wrong' });
    expect(await countRecoveryCodes(bench.db, userId)).toBe(1);
  });

  test('needs the password again after five minutes, and after a change of the password', async () => {
    const userId = await makeUser();
    const tokenDigest = await afterPassword(userId);
    await bench.db.sql`update sign_in_challenges set expires_at = now()`;
    expect(await complete(tokenDigest, step(STEP + 1))).toEqual({ kind: 'expired' });
    const second = await afterPassword(userId);
    await setPassword(bench.ctx, { userId, passwordHash: 'new' });
    expect(await complete(second, step(STEP + 2))).toEqual({ kind: 'expired' });
  });

  test('takes ten codes in fifteen minutes, and ten more after a right one', async () => {
    const userId = await makeUser();
    for (let attempt = 0; attempt < 10; attempt += 1) {
      expect(await chargeSecondFactor(bench.ctx, userId)).toEqual({ kind: 'admitted' });
    }
    expect(await chargeSecondFactor(bench.ctx, userId)).toMatchObject({ kind: 'limited' });
    expect(await chargeSecondFactor(bench.ctx, await makeUser())).toEqual({ kind: 'admitted' });
    expectKind(await complete(await afterPassword(userId), step(STEP + 1)), 'signed_in');
    expect(await chargeSecondFactor(bench.ctx, userId)).toEqual({ kind: 'admitted' });
  });
});

describe('a challenge', () => {
  test('is taken once, for its own purpose alone', async () => {
    const tokenDigest = digestOf(randomBytes(8).toString('hex'));
    const ref = { purpose: 'sign_in_passkey', tokenDigest } as const;
    await startChallenge(bench.ctx, { ...ref, user: null, challenge: 'sign this' });
    expect(await findChallenge(bench.db, { ...ref, purpose: 'second_factor' })).toBeNull();
    expect(await takeChallenge(bench.db, { ...ref, purpose: 'add_passkey' })).toBeNull();
    const taken = await Promise.all(Array.from({ length: 10 }, () => takeChallenge(bench.db, ref)));
    expect(taken.filter((it) => it !== null)).toMatchObject([{ challenge: 'sign this' }]);
  });

  test('that has expired is deleted by the next ones', async () => {
    const start = (user: null) =>
      startChallenge(bench.ctx, {
        purpose: 'sign_in_passkey',
        tokenDigest: digestOf(randomBytes(8).toString('hex')),
        user,
      });
    await bench.db.sql`delete from sign_in_challenges`;
    await start(null);
    await bench.db.sql`update sign_in_challenges set expires_at = now() - interval '1 second'`;
    await start(null);
    const [row] = await bench.db.sql`select count(*)::int as count from sign_in_challenges`;
    expect(row?.count).toBe(1);
  });
});

describe('the second factor', () => {
  test('is turned off by a code that was not used, and its recovery codes with it', async () => {
    const userId = await makeUser();
    const proven = await provenOf(userId);
    const turnOff = (factor: SecondFactor) => turnOffSecondFactor(bench.ctx, { ...proven, factor });
    expect(await turnOff(step(STEP))).toEqual({ kind: 'wrong' });
    expect(await turnOff(step(STEP + 1))).toEqual({ kind: 'removed' });
    expect(await findAuthenticator(bench.db, userId)).toBeNull();
    expect(await countRecoveryCodes(bench.db, userId)).toBe(0);
  });

  test('is removed by an administrator once, which ends the sessions and is in the log of its user', async () => {
    const userId = await makeUser();
    const user = {
      ...(await provenOf(userId)),
      lifetimeSeconds: 60,
      userAgent: null,
      proof: { method: 'password' } as const,
    };
    const session = await startSession(bench.ctx, user);
    expect(await removeSecondFactors(bench.ctx, { userId })).toEqual({ kind: 'removed' });
    // The device that the user lost is signed in.
    expect(await findSession(bench.db, session!.sessionId)).toBeNull();
    const before = await countAuditRows(bench.db);
    expect(await removeSecondFactors(bench.ctx, { userId })).toEqual({ kind: 'nothing' });
    expect(await countAuditRows(bench.db)).toBe(before);
    const { items } = await listAudit(bench.db, { ownerId: userId, limit: 1 });
    expect(items[0]?.action).toBe('user.remove_second_factor');
    expect(await complete(await afterPassword(userId), step(STEP + 9))).toEqual({ kind: 'wrong' });
  });
});
