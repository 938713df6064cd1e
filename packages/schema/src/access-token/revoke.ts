import { and, eq } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { inTransaction, type VerbContext } from '../context.ts';
import { accessTokens } from '../tables.ts';
import { auditAccount } from '../user/change.ts';

interface AccessTokenRef {
  userId: string;
  tokenId: string;
}

/**
 * Revokes an access token. A change that is under way with it is made before this answers, or refused.
 *
 * It locks no row but the token's: a change holds that one and may wait for the user's.
 */
export function revokeAccessToken(
  ctx: VerbContext,
  { userId, tokenId }: AccessTokenRef,
): Promise<{ kind: 'revoked' | 'not_found' }> {
  return inTransaction(ctx, async (tx) => {
    const revoked = await remove(tx, ctx, { userId, tokenId });
    return { kind: revoked.length > 0 ? 'revoked' : 'not_found' };
  });
}

/**
 * Revokes every access token of a user, as part of a change that takes the account back.
 *
 * @returns the names, in no order
 */
export function revokeAccessTokens(
  ctx: VerbContext,
  { userId }: { userId: string },
): Promise<{ revoked: string[] }> {
  return inTransaction(ctx, async (tx) => ({ revoked: await remove(tx, ctx, { userId }) }));
}

async function remove(
  tx: Executor,
  ctx: VerbContext,
  { userId, tokenId }: Omit<AccessTokenRef, 'tokenId'> & { tokenId?: string },
): Promise<string[]> {
  const one = tokenId === undefined ? undefined : eq(accessTokens.id, tokenId);
  const removed = await tx
    .delete(accessTokens)
    .where(and(eq(accessTokens.userId, userId), one))
    .returning({ token: accessTokens.name, tokenPrefix: accessTokens.tokenPrefix });
  for (const before of removed) {
    await auditAccount(tx, ctx, 'user.revoke_access_token', { userId }, { before });
  }
  return removed.map(({ token }) => token);
}
