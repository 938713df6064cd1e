import { hash, verify } from '@node-rs/argon2';

/** Argon2id, the library's default, with 19 MiB, two passes and one lane, as OWASP recommends. */
const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** A hash that no password matches: checking against it takes as long as a real check. */
const DECOY =
  '$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';

/** @returns Argon2id in PHC form, with a random salt */
export const hashPassword = (password: string): Promise<string> => hash(password, OPTIONS);

/**
 * Checks a password. Without a hash (no such user, or no password set) it returns false after the
 * same work, so that the time reveals nothing.
 */
export async function verifyPassword(
  passwordHash: string | null,
  password: string,
): Promise<boolean> {
  const matches = await verify(passwordHash ?? DECOY, password);
  return passwordHash !== null && matches;
}
