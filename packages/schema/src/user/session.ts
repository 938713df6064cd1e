import { FRESH_SESSION_MINUTES, SESSIONS_MAX } from '@ceiba/domain';
import { and, eq, gt, sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { inTransaction, type VerbContext } from '../context.ts';
import { takeLockOf } from '../locks.ts';
import { passwordResets, sessions, users } from '../tables.ts';
import { auditAccount, auditOwnAct } from './change.ts';
import { lacksSecondFactor } from './second-factor-state.ts';

export interface StartSessionInput {
  userId: string;
  /**
   * The user's session version, read in the same statement as the password hash or identity that
   * was checked: if the password changes while the session starts, the session is void.
   */
  sessionVersion: number;
  lifetimeSeconds: number;
  /** The `User-Agent` of the browser; null without one. */
  userAgent: string | null;
  proof: SignInProof;
}

/** What proved the user at sign-in, as the audit log has it. */
export type SignInProof =
  | { method: 'password' | 'password_and_code' | 'password_and_recovery_code' | 'passkey' }
  /** `provider`: its name, or the URL of an issuer. */
  | { method: 'provider'; provider: string };

/** The longest `User-Agent` that is kept, in UTF-16 code units. */
const USER_AGENT_LENGTH = 300;

/**
 * Starts a session, and deletes the user's expired ones and, beyond `SESSIONS_MAX`, those that were used
 * longest ago.
 *
 * @returns null when, since the version was read, the user was deleted, changed the password or
 *   signed out everywhere
 */
export function startSession(
  ctx: VerbContext,
  { userId, sessionVersion, lifetimeSeconds, userAgent, proof }: StartSessionInput,
): Promise<{ sessionId: string } | null> {
  return inTransaction(ctx, async (tx) => {
    await takeLockOf(tx, 'sessions', userId);
    // The row keeps the version that was read: a change that commits concurrently ends it too.
    const [session] = await tx.execute<{ sessionId: string }>(sql`
      insert into sessions (user_id, session_version, client_address, user_agent, last_seen_at,
        expires_at)
      select id, session_version, ${ctx.clientAddress}::text,
        ${userAgent?.slice(0, USER_AGENT_LENGTH) ?? null}::text, now(),
        now() + make_interval(secs => ${lifetimeSeconds}) from users
      where ${users.id} = ${userId} and ${users.sessionVersion} = ${sessionVersion}
      returning id as "sessionId"`);
    if (session === undefined) return null;
    await deleteSurplus(tx, userId, session.sessionId);
    await auditOwnAct(tx, ctx, 'sign_in.succeed', userId, { after: { ...proof } });
    return session;
  });
}

/** Deletes the expired sessions, and those beyond the limit, which the newest session is not. */
async function deleteSurplus(tx: Executor, userId: string, newest: string): Promise<void> {
  await tx.execute(sql`
    delete from sessions where user_id = ${userId} and id in (
      select id from (
        select id, expires_at, row_number() over (
          order by id = ${newest} desc, expires_at > now() desc,
            coalesce(last_seen_at, created_at) desc) as place
        from sessions where user_id = ${userId}) ranked
      where place > ${SESSIONS_MAX} or expires_at < now())`);
}

export interface SignedInUser {
  userId: string;
  email: string;
  isAdministrator: boolean;
  /** In which the console shows times; null for that of the browser. */
  timeZone: string | null;
  /** False for a user who signs in through a provider only. */
  hasPassword: boolean;
  sessionId: string;
  /** The user's session version, for changes that must not happen after the sessions ended. */
  sessionVersion: number;
  /** Whether the user signed in within the last minutes. */
  isFresh: boolean;
  /** The installation requires a second factor, and the user has none: they can set one up, and nothing else. */
  mustAddSecondFactor: boolean;
}

const LAST_SEEN_MINUTES = 5;

/**
 * Finds the user of a session, and notes when it was last seen. Called on every request, so that
 * signing out takes effect on the next one.
 *
 * @returns null when the session ended, expired, or has an older version than the user
 */
export async function findSession(
  db: { orm: Executor },
  sessionId: string,
): Promise<SignedInUser | null> {
  const [row] = await db.orm
    .select({
      userId: users.id,
      email: users.email,
      isAdministrator: users.isAdministrator,
      timeZone: users.timeZone,
      hasPassword: sql<boolean>`${users.passwordHash} is not null`,
      sessionId: sessions.id,
      sessionVersion: users.sessionVersion,
      isFresh: sql<boolean>`
        ${sessions.createdAt} > now() - make_interval(mins => ${FRESH_SESSION_MINUTES})`,
      mustAddSecondFactor: lacksSecondFactor(sql`users`),
      isSeenLongAgo: sql<boolean>`coalesce(
        ${sessions.lastSeenAt} < now() - make_interval(mins => ${LAST_SEEN_MINUTES}), true)`,
    })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(
      and(
        eq(sessions.id, sessionId),
        eq(sessions.sessionVersion, users.sessionVersion),
        gt(sessions.expiresAt, sql`now()`),
      ),
    );
  if (row === undefined) return null;
  const { isSeenLongAgo, ...user } = row;
  if (isSeenLongAgo) {
    await db.orm.update(sessions).set({ lastSeenAt: sql`now()` }).where(eq(sessions.id, sessionId));
  }
  return user;
}

/** Ends the session of a user who signs out: its cookie is invalid from the next request on. */
export function endSession(ctx: VerbContext, sessionId: string): Promise<void> {
  return inTransaction(ctx, async (tx) => {
    const [ended] = await tx
      .delete(sessions)
      .where(eq(sessions.id, sessionId))
      .returning({ userId: sessions.userId });
    if (ended !== undefined) await auditOwnAct(tx, ctx, 'sign_in.end', ended.userId);
  });
}

/**
 * Ends every session of a user, the current one included, from the next request on, and their links
 * to reset the password.
 */
export function signOutEverywhere(
  ctx: VerbContext,
  userId: string,
): Promise<{ kind: 'signed_out'; sessions: number } | { kind: 'not_found' }> {
  return inTransaction(ctx, async (tx) => {
    const [user] = await tx
      .update(users)
      .set({ sessionVersion: sql`${users.sessionVersion} + 1` })
      .where(eq(users.id, userId))
      .returning({ email: users.email });
    if (user === undefined) return { kind: 'not_found' };
    const ended = await tx
      .delete(sessions)
      .where(eq(sessions.userId, userId))
      .returning({ sessionId: sessions.id });
    await tx.delete(passwordResets).where(eq(passwordResets.userId, userId));
    const after = { endedSessions: ended.length };
    await auditAccount(tx, ctx, 'user.sign_out_everywhere', { userId, ...user }, { after });
    return { kind: 'signed_out', sessions: ended.length };
  });
}
