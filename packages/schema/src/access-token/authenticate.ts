import { digestOf, isWellFormedAccessToken, type TokenAccess } from '@ceiba/domain';
import { and, eq, not, sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { accessTokens, users } from '../tables.ts';
import type { ProvenUser } from '../user/lock.ts';
import { lacksSecondFactor } from '../user/second-factor-state.ts';

/** The user of an access token, and what the token leaves of what they may do. */
export interface TokenUser extends ProvenUser {
  email: string;
  isAdministrator: boolean;
  tokenId: string;
  name: string;
  access: TokenAccess;
  /** The only projects that it reaches; null for all of its user. */
  projectIds: readonly string[] | null;
}

const LAST_USED_MINUTES = 1;

/**
 * Finds the user of an access token, and notes its use. Called on every request, so that a revocation
 * takes effect on the next one. A change checks the token again in its own transaction.
 *
 * @returns null for a text that is no token, for one that is unknown, revoked or expired, and for one
 *   whose user lacks a required second factor
 */
export async function authenticateAccessToken(
  db: { orm: Executor },
  plaintext: string,
): Promise<TokenUser | null> {
  if (!isWellFormedAccessToken(plaintext)) return null;
  const [row] = await db.orm
    .select({
      userId: users.id,
      email: users.email,
      isAdministrator: users.isAdministrator,
      sessionVersion: users.sessionVersion,
      tokenId: accessTokens.id,
      name: accessTokens.name,
      access: accessTokens.access,
      projectIds: accessTokens.projectIds,
      isUsedLongAgo: sql<boolean>`coalesce(
        ${accessTokens.lastUsedAt} < now() - make_interval(mins => ${LAST_USED_MINUTES}), true)`,
    })
    .from(accessTokens)
    .innerJoin(users, eq(users.id, accessTokens.userId))
    .where(
      and(
        eq(accessTokens.tokenDigest, digestOf(plaintext)),
        sql`${accessTokens.expiresAt} > now()`,
        not(lacksSecondFactor(sql`users`)),
      ),
    );
  if (row === undefined) return null;
  const { isUsedLongAgo, ...user } = row;
  if (isUsedLongAgo) {
    await db.orm
      .update(accessTokens)
      .set({ lastUsedAt: sql`now()` })
      .where(eq(accessTokens.id, user.tokenId));
  }
  return user;
}

/** Whether a token reaches a project, of which its user may have no role. For requests that only read. */
export const tokenReaches = (
  { projectIds }: Pick<TokenUser, 'projectIds'>,
  projectId: string,
): boolean => projectIds?.includes(projectId.toLowerCase()) ?? true;
