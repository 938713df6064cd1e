import 'server-only';
import { hashPassword } from '@ceiba/domain/password';
import { type SetPasswordResult, setPassword } from '@ceiba/schema';
import type { InDatabase } from '../in-database.ts';
import { type PasswordProof, provePassword } from './prove-password.ts';

export type ChangePasswordResult = SetPasswordResult | Exclude<PasswordProof, { kind: 'proven' }>;

/**
 * Sets a new password if the current one is correct, and only if the password and the sessions have
 * not changed since it was checked.
 */
export async function changePasswordOf(
  inDatabase: InDatabase,
  account: { userId: string; email: string },
  { currentPassword, newPassword }: { currentPassword: string; newPassword: string },
): Promise<ChangePasswordResult> {
  const proof = await provePassword(inDatabase, account, currentPassword);
  if (proof.kind !== 'proven') return proof;
  const { userId, sessionVersion } = proof.user;
  const passwordHash = await hashPassword(newPassword);
  return inDatabase((ctx) => setPassword(ctx, { userId, passwordHash, sessionVersion }));
}
