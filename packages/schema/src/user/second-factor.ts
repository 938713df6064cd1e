import { and, eq, isNotNull, isNull, lt, or, sql } from 'drizzle-orm';
import { revokeAccessTokens } from '../access-token/revoke.ts';
import type { Executor } from '../connection/database.ts';
import { inTransaction, type VerbContext } from '../context.ts';
import { authenticators, passkeys, recoveryCodes, users } from '../tables.ts';
import { auditAccount, changingAccount } from './change.ts';
import type { ProvenUser } from './lock.ts';

/** How long a new authenticator app may wait for its first code. */
const ENROLL_MINUTES = 15;

export interface Authenticator {
  /** The shared secret, encrypted by the caller. */
  sealedSecret: Buffer;
  /** Whether a code has proven that the user's app has it. Only then sign-in asks for it. */
  isConfirmed: boolean;
}

/** The user's authenticator app; null without one. One that was never confirmed ends after a while. */
export async function findAuthenticator(
  db: { orm: Executor },
  userId: string,
): Promise<Authenticator | null> {
  const [row] = await db.orm
    .select({
      sealedSecret: authenticators.sealedSecret,
      isConfirmed: sql<boolean>`${authenticators.confirmedAt} is not null`,
    })
    .from(authenticators)
    .where(
      and(eq(authenticators.userId, userId), or(isNotNull(authenticators.confirmedAt), isRecent())),
    );
  return row ?? null;
}

const isRecent = () =>
  sql`${authenticators.createdAt} > now() - make_interval(mins => ${ENROLL_MINUTES})`;

/** Stores the secret of a new app, which replaces one that was not confirmed. */
export function enrollAuthenticator(
  ctx: VerbContext,
  { sealedSecret, ...user }: ProvenUser & { sealedSecret: Buffer },
): Promise<{ kind: 'enrolled' | 'has_one' | 'outdated' }> {
  return changingAccount(ctx, user, async (tx) => {
    const fresh = { sealedSecret, createdAt: sql`now()` };
    const stored = await tx
      .insert(authenticators)
      .values({ userId: user.userId, ...fresh })
      .onConflictDoUpdate({
        target: authenticators.userId,
        set: fresh,
        setWhere: isNull(authenticators.confirmedAt),
      })
      .returning({ userId: authenticators.userId });
    return { kind: stored.length > 0 ? 'enrolled' : 'has_one' };
  });
}

export interface ConfirmAuthenticatorInput extends ProvenUser {
  /** The secret whose code was checked: of two enrolments, the one that was stored last counts. */
  sealedSecret: Buffer;
  /** The time step of the code, which cannot be used again. */
  step: number;
  recoveryDigests: readonly Buffer[];
}

/** Turns the second factor on, and replaces all recovery codes. */
export function confirmAuthenticator(
  ctx: VerbContext,
  { sealedSecret, step, recoveryDigests, ...user }: ConfirmAuthenticatorInput,
): Promise<{ kind: 'confirmed' | 'not_found' | 'outdated' }> {
  const { userId } = user;
  return changingAccount(ctx, user, async (tx, audit) => {
    const [confirmed] = await tx
      .update(authenticators)
      .set({ confirmedAt: sql`now()`, lastStep: step })
      .where(
        and(
          eq(authenticators.userId, userId),
          eq(authenticators.sealedSecret, sealedSecret),
          isNull(authenticators.confirmedAt),
          isRecent(),
        ),
      )
      .returning({ userId: authenticators.userId });
    if (confirmed === undefined) return { kind: 'not_found' };
    await storeRecoveryCodes(tx, userId, recoveryDigests);
    await audit('user.add_second_factor', { after: { secondFactor: true } });
    return { kind: 'confirmed' };
  });
}

/** Replaces all recovery codes, by a user who proved the password and gives a code. */
export function replaceRecoveryCodes(
  ctx: VerbContext,
  {
    factor,
    recoveryDigests,
    ...user
  }: ProvenUser & { factor: SecondFactor; recoveryDigests: readonly Buffer[] },
): Promise<{ kind: 'replaced' | 'wrong' | 'outdated' }> {
  const { userId } = user;
  return changingAccount(ctx, user, async (tx, audit) => {
    const [app] = await tx
      .select({ one: sql`1` })
      .from(authenticators)
      .where(and(eq(authenticators.userId, userId), isNotNull(authenticators.confirmedAt)));
    if (app === undefined || !(await useSecondFactor(tx, userId, factor))) return { kind: 'wrong' };
    await storeRecoveryCodes(tx, userId, recoveryDigests);
    await audit('user.replace_recovery_codes');
    return { kind: 'replaced' };
  });
}

async function storeRecoveryCodes(
  tx: Executor,
  userId: string,
  digests: readonly Buffer[],
): Promise<void> {
  await tx.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId));
  await tx.insert(recoveryCodes).values(digests.map((codeDigest) => ({ userId, codeDigest })));
}

/** What the user gave as a second factor. */
export type SecondFactor =
  /** The time step of a code that fits the secret. */
  { kind: 'step'; step: number } | { kind: 'recovery_code'; digest: Buffer };

/** Uses up a code: no code is accepted twice, and of two requests with one code one succeeds. */
export async function useSecondFactor(
  tx: Executor,
  userId: string,
  factor: SecondFactor,
): Promise<boolean> {
  const used =
    factor.kind === 'step'
      ? await tx
          .update(authenticators)
          .set({ lastStep: factor.step })
          .where(
            and(
              eq(authenticators.userId, userId),
              isNotNull(authenticators.confirmedAt),
              or(isNull(authenticators.lastStep), lt(authenticators.lastStep, factor.step)),
            ),
          )
          .returning({ userId: authenticators.userId })
      : await tx
          .delete(recoveryCodes)
          .where(and(eq(recoveryCodes.userId, userId), eq(recoveryCodes.codeDigest, factor.digest)))
          .returning({ userId: recoveryCodes.userId });
  return used.length > 0;
}

/** Turns the second factor off, by a user who proved the password and gives a code. */
export function turnOffSecondFactor(
  ctx: VerbContext,
  { factor, ...user }: ProvenUser & { factor: SecondFactor },
): Promise<{ kind: 'removed' | 'wrong' | 'outdated' }> {
  const { userId } = user;
  return changingAccount(ctx, user, async (tx, audit) => {
    if (!(await useSecondFactor(tx, userId, factor))) return { kind: 'wrong' };
    await tx.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId));
    await tx.delete(authenticators).where(eq(authenticators.userId, userId));
    await audit('user.remove_second_factor', { before: { secondFactor: true } });
    return { kind: 'removed' };
  });
}

/**
 * Removes everything but the password with which a user signs in here: authenticator app, recovery
 * codes and passkeys. For an administrator, whose user lost the device; it may be signed in or have an
 * access token, so all sessions and tokens end.
 */
export function removeSecondFactors(
  ctx: VerbContext,
  { userId }: { userId: string },
): Promise<{ kind: 'removed' | 'nothing' | 'not_found' }> {
  return inTransaction(ctx, async (tx) => {
    const [user] = await tx
      .select({ userId: users.id })
      .from(users)
      .where(eq(users.id, userId))
      .for('no key update');
    if (user === undefined) return { kind: 'not_found' };
    await tx.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId));
    const apps = await tx
      .delete(authenticators)
      .where(eq(authenticators.userId, userId))
      .returning({ confirmedAt: authenticators.confirmedAt });
    const keys = await tx
      .delete(passkeys)
      .where(eq(passkeys.userId, userId))
      .returning({ name: passkeys.name });
    const hadSecondFactor = apps.some(({ confirmedAt }) => confirmedAt !== null);
    if (!hadSecondFactor && keys.length === 0) return { kind: 'nothing' };
    await tx
      .update(users)
      .set({ sessionVersion: sql`${users.sessionVersion} + 1` })
      .where(eq(users.id, userId));
    const before = { secondFactor: hadSecondFactor, passkeys: keys.map(({ name }) => name) };
    await auditAccount(tx, ctx, 'user.remove_second_factor', { userId }, { before });
    await revokeAccessTokens({ ...ctx, db: { orm: tx } }, { userId });
    return { kind: 'removed' };
  });
}

/** How many recovery codes are left. */
export const countRecoveryCodes = async (db: { orm: Executor }, userId: string): Promise<number> =>
  db.orm.$count(recoveryCodes, eq(recoveryCodes.userId, userId));
