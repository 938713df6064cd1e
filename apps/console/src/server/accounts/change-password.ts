import 'server-only';
import { hashPassword, verifyPassword } from '@ceiba/domain/password';
import {
  chargePasswordChange,
  findUserById,
  forgivePasswordChange,
  type SetPasswordResult,
  setPassword,
} from '@ceiba/schema';
import type { InDatabase } from '../in-database.ts';

export type ChangePasswordResult =
  | SetPasswordResult
  | { kind: 'wrong' }
  | { kind: 'limited'; retryAfterSeconds: number };

/**
 * Sets a new password if the current one is right. Both are hashed between two transactions, so that
 * hashing holds no connection. The second transaction writes only if nothing else has set a password
 * or ended all sessions since the first.
 */
export async function changePasswordOf(
  inDatabase: InDatabase,
  person: { userId: string; email: string },
  { currentPassword, newPassword }: { currentPassword: string; newPassword: string },
): Promise<ChangePasswordResult> {
  const { userId } = person;
  const begun = await inDatabase(async (ctx) => {
    const attempt = await chargePasswordChange(ctx, userId);
    if (attempt.kind === 'limited') return attempt;
    return { ...attempt, user: await findUserById(ctx.db, userId) };
  });
  if (begun.kind === 'limited') return begun;
  const { user } = begun;
  const matches = await verifyPassword(user?.passwordHash ?? null, currentPassword);
  if (user === null || !matches) return { kind: 'wrong' };
  const passwordHash = await hashPassword(newPassword);
  return inDatabase(async (ctx) => {
    await forgivePasswordChange(ctx, person);
    return setPassword(ctx, { userId, passwordHash, sessionVersion: user.sessionVersion });
  });
}
