import 'server-only';
import { randomBytes } from 'node:crypto';
import { mintPasswordReset, type PasswordResetRecipient } from '@ceiba/domain';
import { type CreatePasswordResetResult, createPasswordReset } from '@ceiba/schema';
import { env } from '../../env.ts';
import type { DatabaseContext } from '../in-database.ts';

/**
 * Creates the link with which a user sets a new password. The token is in the fragment, which browsers
 * send to no server, neither in requests nor as `Referer`.
 */
export async function createResetLink(
  ctx: DatabaseContext,
  user: { userId: string; email: string },
  to: PasswordResetRecipient,
): Promise<CreatePasswordResetResult & { link: string }> {
  const token = mintPasswordReset(randomBytes);
  const result = await createPasswordReset(ctx, { ...user, to, token });
  return { ...result, link: `${env().publicOrigin}/reset-password#${token.plaintext}` };
}
