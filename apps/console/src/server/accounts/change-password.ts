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
 * Sets a new password if the current one is correct. Hashing happens between two transactions, so
 * that it holds no connection. The second one writes only if the password and the sessions have not
 * changed since the first.
 */
export async function changePasswordOf(
  inDatabase: InDatabase,
  account: { userId: string; email: string },
  { currentPassword, newPassword }: { currentPassword: string; newPassword: string },
): Promise<ChangePasswordResult> {
  const { userId } = account;
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
    await forgivePasswordChange(ctx, account);
    return setPassword(ctx, { userId, passwordHash, sessionVersion: user.sessionVersion });
  });
}
