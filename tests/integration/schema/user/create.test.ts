import { randomUUID } from 'node:crypto';
import { hashPassword, verifyPassword } from '@ceiba/domain/password';
import { createUser, findUserByEmail, findUserById, setPassword } from '@ceiba/schema';
import { beforeEach, describe, expect, test } from 'vitest';
import { expectKind, useBench } from '../support.ts';

const bench = useBench();

const PASSWORD = 'correct horse battery staple';

describe('users', () => {
  const signUp = (email: string) => createUser(bench.ctx, { email, passwordHash: null });
  beforeEach(async () => {
    await bench.db.sql`truncate users cascade`;
  });

  test('created by 20 concurrent calls on an empty installation include exactly one administrator', async () => {
    for (let round = 0; round < 5; round += 1) {
      await bench.db.sql`truncate users cascade`;
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, index) => signUp(`user${index}@example.com`)),
      );
      const created = results.map((result) => expectKind(result, 'created'));
      expect(created.filter(({ isAdministrator }) => isAdministrator)).toHaveLength(1);
      const [row] = await bench.db.sql`
        select count(*)::int as count from users where is_administrator`;
      expect(row).toEqual({ count: 1 });
    }
  });

  test('with one address are created once by 20 concurrent calls', async () => {
    const spellings = Array.from({ length: 20 }, (_, index) =>
      index % 2 === 0 ? 'ops@example.com' : 'Ops@Example.com',
    );
    const results = await Promise.all(spellings.map(signUp));
    expect(results.filter(({ kind }) => kind === 'created')).toHaveLength(1);
    expect(results.filter(({ kind }) => kind === 'email_taken')).toHaveLength(19);
  });

  test('are found by address regardless of letter case, and by id', async () => {
    const { userId } = expectKind(await signUp('Ops@Example.com'), 'created');
    expect(await findUserByEmail(bench.db, 'oPS@example.COM')).toMatchObject({
      userId,
      email: 'Ops@Example.com',
    });
    expect(await findUserById(bench.db, userId)).toMatchObject({ userId });
    expect(await findUserByEmail(bench.db, 'missing@example.com')).toBeNull();
    expect(await findUserById(bench.db, randomUUID())).toBeNull();
  });

  test('get a new session version with each new password', async () => {
    const { userId } = expectKind(await signUp('ops@example.com'), 'created');
    const before = (await findUserById(bench.db, userId))!.sessionVersion;
    const passwordHash = await hashPassword(PASSWORD);
    expect(await setPassword(bench.ctx, { userId, passwordHash })).toEqual({ kind: 'updated' });
    expect(await setPassword(bench.ctx, { userId, passwordHash })).toEqual({ kind: 'updated' });
    const after = await findUserById(bench.db, userId);
    expect(after).toMatchObject({ sessionVersion: before + 2, passwordHash });
    expect(await verifyPassword(after!.passwordHash, PASSWORD)).toBe(true);
  });

  test('get 10 new session versions from 10 concurrent password changes', async () => {
    const { userId } = expectKind(await signUp('ops@example.com'), 'created');
    await Promise.all(
      Array.from({ length: 10 }, () => setPassword(bench.ctx, { userId, passwordHash: 'x' })),
    );
    expect((await findUserById(bench.db, userId))!.sessionVersion).toBe(10);
  });

  test('change the password once if 10 concurrent calls prove the same one', async () => {
    const { userId } = expectKind(await signUp('ops@example.com'), 'created');
    const { sessionVersion } = (await findUserById(bench.db, userId))!;
    const results = await Promise.all(
      Array.from({ length: 10 }, async (_, index) => {
        const passwordHash = `hash ${index}`;
        return {
          passwordHash,
          ...(await setPassword(bench.ctx, { userId, passwordHash, sessionVersion })),
        };
      }),
    );
    const winners = results.filter(({ kind }) => kind === 'updated');
    expect(winners).toHaveLength(1);
    expect(results.filter(({ kind }) => kind === 'outdated')).toHaveLength(9);
    const { passwordHash } = (await findUserById(bench.db, userId))!;
    expect(passwordHash).toBe(winners[0]!.passwordHash);
    const audited = await bench.db.sql`select 1 from audit_log where action = 'user.set_password'
      and target_id = ${userId}`;
    expect(audited).toHaveLength(1);
  });

  test('that do not exist get no password, with or without proof', async () => {
    const input = { userId: randomUUID(), passwordHash: 'x' };
    expect(await setPassword(bench.ctx, input)).toEqual({ kind: 'not_found' });
    const proven = { ...input, sessionVersion: 0 };
    expect(await setPassword(bench.ctx, proven)).toEqual({ kind: 'not_found' });
  });
});
