import {
  type MintedCredential,
  PASSWORD_RESET_MINUTES,
  type PasswordResetRecipient,
} from '@ceiba/domain';
import { and, eq, sql } from 'drizzle-orm';
import { revokeAccessTokens } from '../access-token/revoke.ts';
import type { Executor } from '../connection/database.ts';
import { inTransaction, type VerbContext } from '../context.ts';
import { mustUsePasskey } from '../settings/second-factor.ts';
import { passwordResets, users } from '../tables.ts';
import { auditAccount } from './change.ts';
import { removePasskeys } from './passkey.ts';
import { setPassword } from './set-password.ts';

export interface CreatePasswordResetInput {
  userId: string;
  /** The user's address when they were found: a link does not go to one that they have left. */
  email: string;
  /** Who gets the link: an administrator, who passes it on, or the user, by mail. */
  to: PasswordResetRecipient;
  /** The plaintext is in the link; only its digest is stored. */
  token: MintedCredential;
}

export type CreatePasswordResetResult =
  | { kind: 'created'; expiresAt: Date }
  /** The user signs in through a provider only. */
  | { kind: 'no_password' }
  /** Deleted, or with another address by now. */
  | { kind: 'not_found' };

/**
 * Lets the holder of the token set the user's password, once. A link of an administrator ends all
 * earlier ones, a mailed one the mailed one before it.
 */
export function createPasswordReset(
  ctx: VerbContext,
  { userId, email, to, token }: CreatePasswordResetInput,
): Promise<CreatePasswordResetResult> {
  return inTransaction(ctx, async (tx) => {
    const createdBy = to === 'administrator' && ctx.actor.kind === 'user' ? ctx.actor.userId : null;
    const [user] = await tx
      .select({ email: users.email, passwordHash: users.passwordHash })
      .from(users)
      .where(eq(users.id, userId))
      .for('no key update');
    if (user?.email !== email) return { kind: 'not_found' };
    if (user.passwordHash === null) return { kind: 'no_password' };
    // Strangers can ask for a mail; they do not end what an administrator made.
    const isReplaced = to === 'mail' ? eq(passwordResets.sentTo, 'mail') : undefined;
    await tx.delete(passwordResets).where(and(eq(passwordResets.userId, userId), isReplaced));
    const [created] = await tx
      .insert(passwordResets)
      .values({
        userId,
        sentTo: to,
        createdBy,
        tokenDigest: token.digest,
        expiresAt: sql`now() + make_interval(mins => ${PASSWORD_RESET_MINUTES[to]})`,
      })
      .returning({ expiresAt: passwordResets.expiresAt });
    if (created === undefined) throw new Error('an insert returned no row');
    const after = { sentTo: to, expiresAt: created.expiresAt.toISOString() };
    await auditAccount(tx, ctx, 'user.create_password_reset', { userId, email }, { after });
    return { kind: 'created', ...created };
  });
}

export interface PasswordReset {
  userId: string;
  email: string;
  expiresAt: Date;
}

/** @returns null when the token was used, replaced or never created, or has expired */
export async function findPasswordReset(
  db: { orm: Executor },
  tokenDigest: Buffer,
): Promise<PasswordReset | null> {
  const [row] = await db.orm
    .select({
      userId: passwordResets.userId,
      email: users.email,
      expiresAt: passwordResets.expiresAt,
    })
    .from(passwordResets)
    .innerJoin(users, eq(users.id, passwordResets.userId))
    .where(isValid(tokenDigest));
  return row ?? null;
}

/**
 * Uses up a token: sets the password, removes the passkeys and access tokens and ends all sessions of
 * its user. A user who resets a password may have lost the account to someone who added one. After a
 * mailed link the passkeys stay where they are the required second factor: who only reads the mail must
 * not get around it. Of two that present the same token, one succeeds.
 */
export function usePasswordReset(
  ctx: VerbContext,
  { tokenDigest, passwordHash }: { tokenDigest: Buffer; passwordHash: string },
): Promise<{ kind: 'updated'; userId: string; email: string } | { kind: 'not_found' }> {
  return inTransaction(ctx, async (tx) => {
    const reset = await findPasswordReset({ orm: tx }, tokenDigest);
    if (reset === null) return { kind: 'not_found' };
    const { userId, email } = reset;
    // As every other change of a password does, before the row of the token: no deadlock.
    await tx.select({ one: sql`1` }).from(users).where(eq(users.id, userId)).for('no key update');
    const [used] = await tx
      .delete(passwordResets)
      .where(isValid(tokenDigest))
      .returning({ sentTo: passwordResets.sentTo });
    if (used === undefined) return { kind: 'not_found' };
    const asUser = { kind: 'user', userId, email } as const;
    const inside = { ...ctx, actor: asUser, db: { orm: tx } };
    const { kind } = await setPassword(inside, { userId, passwordHash });
    if (kind !== 'updated') return { kind: 'not_found' };
    await auditAccount(tx, inside, 'user.use_password_reset', { userId, email });
    const isFactorKept = used.sentTo === 'mail' && (await mustUsePasskey(inside.db, userId));
    if (!isFactorKept) await removePasskeys(inside, { userId });
    await revokeAccessTokens(inside, { userId });
    return { kind, userId, email };
  });
}

const isValid = (tokenDigest: Buffer) =>
  and(eq(passwordResets.tokenDigest, tokenDigest), sql`${passwordResets.expiresAt} > now()`);
