import { type ChallengePurpose, SIGN_IN_CHALLENGE_MINUTES } from '@ceiba/domain';
import { and, eq, lt, sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { inTransaction, type VerbContext } from '../context.ts';
import { signInChallenges } from '../tables.ts';

/**
 * What is between two requests of one browser: a password was right and its second factor is awaited,
 * or a passkey has to sign a challenge. The browser holds the token in a cookie.
 */
export interface StartChallengeInput {
  purpose: ChallengePurpose;
  tokenDigest: Buffer;
  /** Null for a sign-in with a passkey, which itself names the user. */
  user: { userId: string; sessionVersion: number } | null;
  /** What a passkey has to sign, in base64url. */
  challenge?: string;
}

/** Valid for a few minutes. Deletes some that have expired. */
export function startChallenge(
  ctx: VerbContext,
  { purpose, tokenDigest, user, challenge }: StartChallengeInput,
): Promise<void> {
  return inTransaction(ctx, async (tx) => {
    await deleteExpired(tx);
    await tx.insert(signInChallenges).values({
      purpose,
      tokenDigest,
      userId: user?.userId ?? null,
      sessionVersion: user?.sessionVersion ?? null,
      challenge: challenge ?? null,
      expiresAt: sql`now() + make_interval(mins => ${SIGN_IN_CHALLENGE_MINUTES})`,
    });
  });
}

export interface SignInChallenge {
  userId: string | null;
  sessionVersion: number | null;
  challenge: string | null;
}

interface ChallengeRef {
  purpose: ChallengePurpose;
  tokenDigest: Buffer;
}

const columns = {
  userId: signInChallenges.userId,
  sessionVersion: signInChallenges.sessionVersion,
  challenge: signInChallenges.challenge,
};

/** @returns null when it was used or never started, or has expired */
export async function findChallenge(
  db: { orm: Executor },
  ref: ChallengeRef,
): Promise<SignInChallenge | null> {
  const [row] = await db.orm.select(columns).from(signInChallenges).where(isOpen(ref));
  return row ?? null;
}

/** As {@link findChallenge}, and keeps other requests with the same token waiting. */
export async function lockChallenge(
  tx: Executor,
  ref: ChallengeRef,
): Promise<SignInChallenge | null> {
  const [row] = await tx.select(columns).from(signInChallenges).where(isOpen(ref)).for('update');
  return row ?? null;
}

/** Uses up a challenge. Of two requests with the same token, one gets it. */
export async function takeChallenge(
  db: { orm: Executor },
  ref: ChallengeRef,
): Promise<SignInChallenge | null> {
  const [row] = await db.orm.delete(signInChallenges).where(isOpen(ref)).returning(columns);
  return row ?? null;
}

const isOpen = ({ purpose, tokenDigest }: ChallengeRef) =>
  and(
    eq(signInChallenges.tokenDigest, tokenDigest),
    eq(signInChallenges.purpose, purpose),
    sql`${signInChallenges.expiresAt} > now()`,
  );

/** Skips rows that another transaction deletes. */
async function deleteExpired(tx: Executor): Promise<void> {
  const expired = tx
    .select({ tokenDigest: signInChallenges.tokenDigest })
    .from(signInChallenges)
    .where(lt(signInChallenges.expiresAt, sql`now()`))
    .limit(20)
    .for('update', { skipLocked: true });
  await tx.delete(signInChallenges).where(sql`${signInChallenges.tokenDigest} in ${expired}`);
}
