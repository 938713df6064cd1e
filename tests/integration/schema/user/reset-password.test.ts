import { randomBytes } from 'node:crypto';
import { mintPasswordReset } from '@ceiba/domain';
import {
  addPasskey,
  createPasswordReset,
  findPasswordReset,
  findSession,
  findUserById,
  listAudit,
  listPasskeys,
  mustUsePasskey,
  setAdministrator,
  setEmail,
  setPassword,
  setSecondFactorRule,
  signOutEverywhere,
  startSession,
  usePasswordReset,
  type VerbContext,
} from '@ceiba/schema';
import { describe, expect, test } from 'vitest';
import { expectKind, makeOwner, useBench } from '../support.ts';
import { makeAdministrator } from './support.ts';

const bench = useBench();

/** A user with a password. */
async function makeUser(): Promise<string> {
  const userId = await makeOwner(bench.ctx);
  await setPassword(bench.ctx, { userId, passwordHash: 'old' });
  return userId;
}

async function createReset(
  userId: string,
  to: 'administrator' | 'mail' = 'administrator',
  ctx: VerbContext = bench.ctx,
) {
  const token = mintPasswordReset(randomBytes);
  const { email } = (await findUserById(bench.db, userId))!;
  const created = await createPasswordReset(ctx, { userId, email, to, token });
  return { tokenDigest: token.digest, expiresAt: expectKind(created, 'created').expiresAt };
}

const hashOf = async (userId: string) => (await findUserById(bench.db, userId))?.passwordHash;

describe('the reset of a password', () => {
  test('sets the password, ends every session, and is in the log of its user', async () => {
    const userId = await makeUser();
    const { sessionVersion } = (await findUserById(bench.db, userId))!;
    const session = await startSession(bench.ctx, {
      userId,
      sessionVersion,
      lifetimeSeconds: 60,
      userAgent: null,
      proof: { method: 'password' },
    });
    const { tokenDigest } = await createReset(userId);
    expect(await usePasswordReset(bench.ctx, { tokenDigest, passwordHash: 'new' })).toMatchObject({
      kind: 'updated',
      userId,
    });
    expect(await hashOf(userId)).toBe('new');
    expect(await findSession(bench.db, session!.sessionId)).toBeNull();
    const { items } = await listAudit(bench.db, { ownerId: userId, limit: 10 });
    expect(items.slice(0, 3).map(({ action, actor }) => [action, actor.kind])).toEqual([
      ['user.use_password_reset', 'user'],
      ['user.set_password', 'user'],
      ['user.create_password_reset', 'cli'],
    ]);
    expect(JSON.stringify(items)).not.toContain(tokenDigest.toString('hex'));
  });

  test('works once: of twenty at the same time, one succeeds', async () => {
    const userId = await makeUser();
    const { tokenDigest } = await createReset(userId);
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        usePasswordReset(bench.ctx, { tokenDigest, passwordHash: `new ${index}` }),
      ),
    );
    const winners = results.flatMap(({ kind }, index) => (kind === 'updated' ? [index] : []));
    expect(winners).toHaveLength(1);
    expect(await hashOf(userId)).toBe(`new ${winners[0]}`);
  });

  test('lasts a day for an administrator and an hour by mail, and then does nothing', async () => {
    const userId = await makeUser();
    const hours = async (to: 'administrator' | 'mail') => {
      const { expiresAt } = await createReset(userId, to);
      const [row] = await bench.db.sql`
        select round(extract(epoch from ${expiresAt.toISOString()}::timestamptz - now()) / 3600)::int as hours`;
      return row?.hours;
    };
    expect([await hours('administrator'), await hours('mail')]).toEqual([24, 1]);
    const { tokenDigest } = await createReset(userId);
    await bench.db.sql`update password_resets set expires_at = now() where user_id = ${userId}`;
    expect(await findPasswordReset(bench.db, tokenDigest)).toBeNull();
    expect(await usePasswordReset(bench.ctx, { tokenDigest, passwordHash: 'new' })).toEqual({
      kind: 'not_found',
    });
    expect(await hashOf(userId)).toBe('old');
  });

  test.each<[string, (userId: string) => Promise<unknown>]>([
    ['a newer one', (userId) => createReset(userId)],
    ['signing out everywhere', (userId) => signOutEverywhere(bench.ctx, userId)],
    ['a new password', (userId) => setPassword(bench.ctx, { userId, passwordHash: 'other' })],
    [
      'a new address',
      async (userId) => {
        const { sessionVersion } = (await findUserById(bench.db, userId))!;
        const email = `${userId}@example.org`;
        return expectKind(await setEmail(bench.ctx, { userId, email, sessionVersion }), 'updated');
      },
    ],
  ])('is ended by %s', async (_, end) => {
    const userId = await makeUser();
    const { tokenDigest } = await createReset(userId);
    expect(await findPasswordReset(bench.db, tokenDigest)).toMatchObject({ userId });
    await end(userId);
    expect(await findPasswordReset(bench.db, tokenDigest)).toBeNull();
  });

  /** Adds a passkey to the account of a user. */
  async function addPasskeyTo(userId: string) {
    const { sessionVersion } = (await findUserById(bench.db, userId))!;
    const credentialId = randomBytes(16).toString('base64url');
    const credential = { credentialId, publicKey: Buffer.from('k'), counter: 0, transports: [] };
    const passkey = { userId, sessionVersion, name: 'Laptop', isBackedUp: false };
    expectKind(await addPasskey(bench.ctx, { ...passkey, credential }), 'added');
  }

  test('removes the passkeys of the user, of which a thief may have added one, and no others', async () => {
    const [userId, other] = [await makeUser(), await makeUser()];
    for (const owner of [userId, other]) await addPasskeyTo(owner);
    const { tokenDigest } = await createReset(userId, 'mail');
    expect(await listPasskeys(bench.db, userId)).toHaveLength(1);
    expectKind(await usePasswordReset(bench.ctx, { tokenDigest, passwordHash: 'new' }), 'updated');
    expect(await listPasskeys(bench.db, userId)).toEqual([]);
    expect(await listPasskeys(bench.db, other)).toHaveLength(1);
    const { items } = await listAudit(bench.db, { ownerId: userId, limit: 1 });
    expect(items).toMatchObject([
      { action: 'user.remove_passkey', actor: { kind: 'user' }, before: { passkey: 'Laptop' } },
    ]);
  });

  test.each([
    ['mail', true],
    ['administrator', false],
  ] as const)(
    'by %s leaves the passkey that is the required second factor: %s',
    async (to, isKept) => {
      const userId = await makeUser();
      await addPasskeyTo(userId);
      const { tokenDigest } = await createReset(userId, to);
      await setSecondFactorRule(bench.ctx, { isRequired: true });
      expectKind(
        await usePasswordReset(bench.ctx, { tokenDigest, passwordHash: 'new' }),
        'updated',
      );
      expect(await mustUsePasskey(bench.db, userId)).toBe(isKept);
      expect(await listPasskeys(bench.db, userId)).toHaveLength(isKept ? 1 : 0);
      await setSecondFactorRule(bench.ctx, { isRequired: false });
    },
  );

  test('by mail, which strangers can ask for, does not end the link of an administrator', async () => {
    const userId = await makeUser();
    const byAdministrator = await createReset(userId);
    const first = await createReset(userId, 'mail');
    const second = await createReset(userId, 'mail');
    expect(await findPasswordReset(bench.db, byAdministrator.tokenDigest)).toMatchObject({
      userId,
    });
    expect(await findPasswordReset(bench.db, first.tokenDigest)).toBeNull();
    expect(await findPasswordReset(bench.db, second.tokenDigest)).toMatchObject({ userId });
    await createReset(userId);
    expect(await findPasswordReset(bench.db, second.tokenDigest)).toBeNull();
  });

  test('ends with the role of the administrator who created it', async () => {
    const [userId, administrator, other] = [await makeUser(), await makeUser(), await makeUser()];
    const linkOf = async (creator: string, target: string) => {
      const { email } = (await findUserById(bench.db, creator))!;
      const actor = { kind: 'user', userId: creator, email } as const;
      await setAdministrator(bench.ctx, { userId: creator, isAdministrator: true });
      return (await createReset(target, 'administrator', { ...bench.ctx, actor })).tokenDigest;
    };
    const ended = await linkOf(administrator, userId);
    const kept = await linkOf(other, administrator);
    await setAdministrator(bench.ctx, { userId: administrator, isAdministrator: false });
    expect(await findPasswordReset(bench.db, ended)).toBeNull();
    expect(await findPasswordReset(bench.db, kept)).toMatchObject({ userId: administrator });
  });

  test('is not created by an administrator who loses the role at that moment', async () => {
    const [userId, other] = [await makeUser(), await makeUser()];
    const creator = await makeAdministrator(bench);
    const email = (await findUserById(bench.db, userId))!.email;
    await setAdministrator(bench.ctx, { userId: other, isAdministrator: true });
    for (let round = 0; round < 5; round += 1) {
      await setAdministrator(bench.ctx, { userId: creator.userId, isAdministrator: true });
      const token = mintPasswordReset(randomBytes);
      const input = { userId, email, to: 'administrator', token } as const;
      await Promise.allSettled([
        createPasswordReset(creator.ctx, input),
        setAdministrator(bench.ctx, { userId: creator.userId, isAdministrator: false }),
      ]);
      expect(await findPasswordReset(bench.db, token.digest)).toBeNull();
    }
  });

  test('is refused for a user without a password, for one who is gone, and for an address they left', async () => {
    const token = mintPasswordReset(randomBytes);
    const reset = (userId: string, email: string) =>
      createPasswordReset(bench.ctx, { userId, email, to: 'administrator', token });
    const emailOf = async (userId: string) => (await findUserById(bench.db, userId))!.email;
    const [userId, provider] = [await makeUser(), await makeOwner(bench.ctx)];
    expect(await reset(provider, await emailOf(provider))).toEqual({ kind: 'no_password' });
    const gone = '00000000-0000-4000-8000-000000000000';
    expect(await reset(gone, 'gone@example.com')).toEqual({ kind: 'not_found' });
    const left = await emailOf(userId);
    const { sessionVersion } = (await findUserById(bench.db, userId))!;
    await setEmail(bench.ctx, { userId, email: `${userId}@example.net`, sessionVersion });
    expect(await reset(userId, left)).toEqual({ kind: 'not_found' });
  });
});
