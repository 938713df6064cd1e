import { randomUUID } from 'node:crypto';
import { whyPasswordRefused } from '@ceiba/domain';
import { hashPassword, verifyPassword } from '@ceiba/domain/password';
import { createUser, findUserByEmail, findUserById, setPassword } from '@ceiba/schema';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { expectKind, useBench } from './support.ts';

/** The library itself, watched: how much it was asked to do is what an attacker could time. */
const argon2 = vi.hoisted(() => ({ verified: [] as string[] }));
vi.mock('@node-rs/argon2', async (original) => {
  const library = await original<typeof import('@node-rs/argon2')>();
  return {
    ...library,
    verify: (passwordHash: string, password: string) => {
      argon2.verified.push(passwordHash);
      return library.verify(passwordHash, password);
    },
  };
});

const bench = useBench();

const PASSWORD = 'correct horse battery staple';

describe('passwords', () => {
  test('are hashed with Argon2id at 19 MiB, two passes and one lane, each with a salt of its own', async () => {
    const [first, second] = [await hashPassword(PASSWORD), await hashPassword(PASSWORD)];
    expect(first).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(first).not.toBe(second);
    expect(first).not.toContain(PASSWORD);
  });

  test('verify against their own hash and no other', async () => {
    const passwordHash = await hashPassword(PASSWORD);
    expect(await verifyPassword(passwordHash, PASSWORD)).toBe(true);
    expect(await verifyPassword(passwordHash, `${PASSWORD} `)).toBe(false);
    expect(await verifyPassword(passwordHash, '')).toBe(false);
  });

  test('of any script and length verify', async () => {
    for (const password of [
      'пароль-с-буквами',
      '密码密码密码密码密码密码',
      '\u0000'.repeat(12),
      'a'.repeat(256),
    ]) {
      expect(await verifyPassword(await hashPassword(password), password)).toBe(true);
    }
  });

  test('without an account do the same work as with one, and are never right', async () => {
    const passwordHash = await hashPassword(PASSWORD);
    const costOf = (hash: string) => hash.split('$').slice(0, 4).join('$');
    argon2.verified.length = 0;
    expect(await verifyPassword(passwordHash, PASSWORD)).toBe(true);
    expect(await verifyPassword(null, PASSWORD)).toBe(false);
    const [real, decoy, ...more] = argon2.verified;
    expect(more).toEqual([]);
    expect(costOf(decoy!)).toBe(costOf(real!));
    expect(decoy!.length).toBe(real!.length);
  });

  test.each([
    ['of 11 characters is refused', 'a'.repeat(11), /at least 12 characters/],
    ['of 12 characters is taken', 'a'.repeat(12), null],
    ['of 12 characters outside the first plane is taken', '🌳'.repeat(12), null],
    ['of 11 characters that are 22 code units is refused', '🌳'.repeat(11), /at least 12/],
    ['of 257 characters is refused', 'a'.repeat(257), /at most 256 characters/],
  ])('a new password %s', (_, password, reason) => {
    const told = whyPasswordRefused(password);
    if (reason === null) expect(told).toBeNull();
    else expect(told).toMatch(reason);
    expect(told ?? '').not.toContain(password);
  });
});

describe('accounts', () => {
  const signUp = (email: string) => createUser(bench.ctx, { email, passwordHash: null });
  beforeEach(async () => {
    await bench.db.sql`truncate users cascade`;
  });

  test('of 20 that sign up at once on an empty installation, exactly one is administrator', async () => {
    for (let round = 0; round < 5; round += 1) {
      await bench.db.sql`truncate users cascade`;
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, index) => signUp(`person${index}@example.com`)),
      );
      const created = results.map((result) => expectKind(result, 'created'));
      expect(created.filter(({ isAdministrator }) => isAdministrator)).toHaveLength(1);
      const [row] = await bench.db.sql`
        select count(*)::int as count from users where is_administrator`;
      expect(row).toEqual({ count: 1 });
    }
  });

  test('of 20 that take one address at once, one gets it', async () => {
    const spellings = Array.from({ length: 20 }, (_, index) =>
      index % 2 === 0 ? 'ops@example.com' : 'Ops@Example.com',
    );
    const results = await Promise.all(spellings.map(signUp));
    expect(results.filter(({ kind }) => kind === 'created')).toHaveLength(1);
    expect(results.filter(({ kind }) => kind === 'email_taken')).toHaveLength(19);
  });

  test('are found by address whatever the letter case, and by id', async () => {
    const { userId } = expectKind(await signUp('Ops@Example.com'), 'created');
    expect(await findUserByEmail(bench.db, 'oPS@example.COM')).toMatchObject({
      userId,
      email: 'Ops@Example.com',
    });
    expect(await findUserById(bench.db, userId)).toMatchObject({ userId });
    expect(await findUserByEmail(bench.db, 'nobody@example.com')).toBeNull();
    expect(await findUserById(bench.db, randomUUID())).toBeNull();
  });

  test('setting a password signs out everywhere: the session version goes up each time', async () => {
    const { userId } = expectKind(await signUp('ops@example.com'), 'created');
    const before = (await findUserById(bench.db, userId))!.sessionVersion;
    const passwordHash = await hashPassword(PASSWORD);
    expect(await setPassword(bench.ctx, { userId, passwordHash })).toEqual({ kind: 'updated' });
    expect(await setPassword(bench.ctx, { userId, passwordHash })).toEqual({ kind: 'updated' });
    const after = await findUserById(bench.db, userId);
    expect(after).toMatchObject({ sessionVersion: before + 2, passwordHash });
    expect(await verifyPassword(after!.passwordHash, PASSWORD)).toBe(true);
  });

  test('of 10 passwords set at once each counts as a sign-out', async () => {
    const { userId } = expectKind(await signUp('ops@example.com'), 'created');
    await Promise.all(
      Array.from({ length: 10 }, () => setPassword(bench.ctx, { userId, passwordHash: 'x' })),
    );
    expect((await findUserById(bench.db, userId))!.sessionVersion).toBe(10);
  });

  test('of 10 who proved the same password at once exactly one sets another', async () => {
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

  test('a password for nobody is not found, also with a proof', async () => {
    const input = { userId: randomUUID(), passwordHash: 'x' };
    expect(await setPassword(bench.ctx, input)).toEqual({ kind: 'not_found' });
    const proven = { ...input, sessionVersion: 0 };
    expect(await setPassword(bench.ctx, proven)).toEqual({ kind: 'not_found' });
  });
});
