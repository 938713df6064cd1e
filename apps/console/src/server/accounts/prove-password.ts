import 'server-only';
import { verifyPassword } from '@ceiba/domain/password';
import {
  chargePasswordChange,
  findUserById,
  forgivePasswordChange,
  type User,
} from '@ceiba/schema';
import type { InDatabase } from '../in-database.ts';

export type PasswordProof =
  | { kind: 'proven'; user: User }
  | { kind: 'wrong' }
  | { kind: 'limited'; retryAfterSeconds: number };

/**
 * Checks the password of a signed-in user before a change of their account. The attempt is counted
 * before anything is hashed, and hashing holds no connection. The change has to name the session
 * version of the proof, so that it fails if the password was changed meanwhile.
 */
export async function provePassword(
  inDatabase: InDatabase,
  account: { userId: string; email: string },
  password: string,
): Promise<PasswordProof> {
  const { userId } = account;
  const begun = await inDatabase(async (ctx) => {
    const attempt = await chargePasswordChange(ctx, userId);
    if (attempt.kind === 'limited') return attempt;
    return { ...attempt, user: await findUserById(ctx.db, userId) };
  });
  if (begun.kind === 'limited') return begun;
  const { user } = begun;
  const matches = await verifyPassword(user?.passwordHash ?? null, password);
  if (user === null || !matches) return { kind: 'wrong' };
  await inDatabase((ctx) => forgivePasswordChange(ctx, account));
  return { kind: 'proven', user };
}
