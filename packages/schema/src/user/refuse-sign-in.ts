import type { AuditAction } from '../audit/actions.ts';
import { countAudit } from '../audit/write.ts';
import { inTransaction, type VerbContext } from '../context.ts';
import { emailOf } from './change.ts';

export interface RefusedSignIn {
  /** A wrong password or passkey; after a right password a wrong code, or no required passkey. */
  action: Extract<AuditAction, `sign_in.refuse${string}`>;
  userId: string;
}

/**
 * Records a sign-in to an account that was refused, in one row per account and hour. Unknown addresses
 * have none, and a limit is checked before: strangers cannot fill the log.
 */
export function recordRefusedSignIn(
  ctx: VerbContext,
  { action, userId }: RefusedSignIn,
): Promise<void> {
  return inTransaction(ctx, async (tx) => {
    const label = await emailOf(tx, userId);
    if (label === undefined) return;
    await countAudit(tx, ctx, { action, target: { id: userId, label }, ownerId: userId });
  });
}
