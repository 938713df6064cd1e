import { describe, expect, test, vi } from 'vitest';
import { hashPassword, verifyPassword } from './password.ts';

/** Records calls of the library: its work is what an attacker could measure. */
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

const PASSWORD = 'correct horse battery staple';

describe('passwords', () => {
  test('are hashed with Argon2id at 19 MiB, two passes and one lane, each with a random salt', async () => {
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

  test('without an account cost the same work, and never match', async () => {
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
});
