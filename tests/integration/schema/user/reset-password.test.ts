import { randomBytes } from 'node:crypto';
import { mintPasswordReset } from '@ceiba/domain';
import {
  createPasswordReset,
  findPasswordReset,
  findSession,
  findUserById,
  listAudit,
  setEmail,
  setPassword,
  startSession,
  usePasswordReset,
} from '@ceiba/schema';
import { describe, expect, test } from 'vitest';
import { expectKind, makeOwner, useBench } from '../support.ts';

const bench = useBench();

/** A user with a password. */
async function makeUser(): Promise<string> {
  const userId = await makeOwner(bench.ctx);
  await setPassword(bench.ctx, { userId, passwordHash: 'old' });
  return userId;
}

async function createReset(userId: string, to: 'administrator' | 'mail' = 'administrator') {
  const token = mintPasswordReset(randomBytes);
  const created = await createPasswordReset(bench.ctx, { userId, to, token });
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
    });
    const { tokenDigest } = await createReset(userId);
    expect(await usePasswordReset(bench.ctx, { tokenDigest, passwordHash: 'new' })).toMatchObject({
      kind: 'updated',
      userId,
    });
    expect(await hashOf(userId)).toBe('new');
    expect(await findSession(bench.db, session!.sessionId)).toBeNull();
    const { items } = await listAudit(bench.db, { ownerId: userId, limit: 10 });
    expect(items.slice(0, 2).map(({ action, actor }) => [action, actor.kind])).toEqual([
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

  test('is refused for a user without a password, and for one who is gone', async () => {
    const token = mintPasswordReset(randomBytes);
    const reset = (userId: string) =>
      createPasswordReset(bench.ctx, { userId, to: 'administrator', token });
    expect(await reset(await makeOwner(bench.ctx))).toEqual({ kind: 'no_password' });
    expect(await reset('00000000-0000-4000-8000-000000000000')).toEqual({ kind: 'not_found' });
  });
});
