import { and, eq, sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { RightRefusedError } from '../member/require-right.ts';
import { accessTokens } from '../tables.ts';
import { tokenReaches } from './authenticate.ts';

/** The access token with which a user acts; the audit log names it. */
export interface ActingToken {
  tokenId: string;
  name: string;
}

/** Why an access token refuses a change that its user may make. */
export type TokenRefusal =
  /** Revoked or expired since the request was admitted. */
  | 'ended'
  | 'read_only'
  /** It lists its projects, and the change is of none of them. */
  | 'listed_projects'
  /** No token may: the user has to be at the keyboard. */
  | 'needs_session';

/** An access token does not permit a change. */
export class TokenRefusedError extends Error {
  override readonly name = 'TokenRefusedError';

  constructor(readonly reason: TokenRefusal) {
    super(`refused to an access token: ${reason}`);
  }
}

export interface TokenUse {
  userId: string;
  tokenId: string;
  /** The project of the change; null if it is of none. */
  projectId: string | null;
  access: 'read' | 'write';
}

/**
 * Checks that a token permits a change, and keeps it until the transaction ends: a revocation deletes
 * the row, so the change is made before that answers, or not at all. The lock comes after those of the
 * user's right, as a deletion of the account takes them. It does not wait for a note of the last use.
 *
 * @throws TokenRefusedError; RightRefusedError for a project that it does not reach, which is then not
 *   found, as one in which its user has no role
 */
export async function requireToken(
  tx: Executor,
  { userId, tokenId, projectId, access }: TokenUse,
): Promise<void> {
  const [token] = await tx
    .select({ access: accessTokens.access, projectIds: accessTokens.projectIds })
    .from(accessTokens)
    .where(
      and(
        eq(accessTokens.id, tokenId),
        eq(accessTokens.userId, userId),
        sql`${accessTokens.expiresAt} > clock_timestamp()`,
      ),
    )
    .for('key share');
  if (token === undefined) throw new TokenRefusedError('ended');
  if (access === 'write' && token.access !== 'write') throw new TokenRefusedError('read_only');
  if (token.projectIds === null) return;
  if (projectId === null) throw new TokenRefusedError('listed_projects');
  if (!tokenReaches(token, projectId)) throw new RightRefusedError(null);
}
