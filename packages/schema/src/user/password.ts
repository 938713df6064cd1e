import { hash, verify } from '@node-rs/argon2';

/** Argon2id is the library's default; 19 MiB, two passes, one lane: what OWASP's password storage guidance asks of it. */
const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** A hash of no password that anyone has: checking against it takes as long as a real check. */
const DECOY =
  '$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';

/** @returns Argon2id in PHC form, with a salt of its own */
export const hashPassword = (password: string): Promise<string> => hash(password, OPTIONS);

/**
 * Checks a password. Without a hash (no such person, or no password set) the answer is false after
 * the same work, so that the time tells nothing.
 */
export async function verifyPassword(
  passwordHash: string | null,
  password: string,
): Promise<boolean> {
  const matches = await verify(passwordHash ?? DECOY, password);
  return passwordHash !== null && matches;
}
