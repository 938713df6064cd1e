import { and, eq, sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { isLockTimeout } from '../connection/errors.ts';
import { inTransaction, type VerbContext } from '../context.ts';
import { accessTokens } from '../tables.ts';
import { auditAccount } from '../user/change.ts';

interface AccessTokenRef {
  userId: string;
  tokenId: string;
}

/** How long a revocation waits for changes that are under way, in ms: less than a request may take. */
const WAIT_MS = 2_000;

export type RevokeAccessTokenResult =
  | { kind: 'revoked' | 'not_found' }
  /** It is refused from now on, and a change that began before may still be made. */
  | { kind: 'still_in_use' };

/**
 * Revokes an access token. It first ends it for every further request, which waits for nothing, and then
 * removes it: a change that is under way with it is made before this answers, or refused. Where one takes
 * longer, the answer is `still_in_use`.
 *
 * It locks no row but the token's: a change holds that one and may wait for the user's.
 */
export async function revokeAccessToken(
  ctx: VerbContext,
  token: AccessTokenRef,
): Promise<RevokeAccessTokenResult> {
  const isEnded = await inTransaction(ctx, (tx) => end(tx, ctx, token));
  const removed = inTransaction(ctx, async (tx) => {
    await tx.execute(sql.raw(`set local lock_timeout = ${WAIT_MS}`));
    const rows = await remove(tx, token);
    if (!isEnded) await audit(tx, ctx, token, rows);
    return rows;
  });
  try {
    return { kind: (await removed).length > 0 || isEnded ? 'revoked' : 'not_found' };
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
    return { kind: 'still_in_use' };
  }
}

/** Changes no column of a key, so that it does not wait for the changes that hold the row. */
async function end(tx: Executor, ctx: VerbContext, token: AccessTokenRef): Promise<boolean> {
  const ended = await tx
    .update(accessTokens)
    .set({ expiresAt: sql`now()` })
    .where(and(isOf(token), sql`${accessTokens.expiresAt} > now()`))
    .returning(NAMED);
  await audit(tx, ctx, token, ended);
  return ended.length > 0;
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
  return inTransaction(ctx, async (tx) => {
    const removed = await remove(tx, { userId });
    await audit(tx, ctx, { userId }, removed);
    return { revoked: removed.map(({ token }) => token) };
  });
}

type TokensRef = Omit<AccessTokenRef, 'tokenId'> & { tokenId?: string };

const isOf = ({ userId, tokenId }: TokensRef) =>
  and(
    eq(accessTokens.userId, userId),
    tokenId === undefined ? undefined : eq(accessTokens.id, tokenId),
  );

/** What the audit log says of a token. */
const NAMED = { token: accessTokens.name, tokenPrefix: accessTokens.tokenPrefix };

const remove = (tx: Executor, tokens: TokensRef) =>
  tx.delete(accessTokens).where(isOf(tokens)).returning(NAMED);

async function audit(
  tx: Executor,
  ctx: VerbContext,
  { userId }: TokensRef,
  revoked: Awaited<ReturnType<typeof remove>>,
): Promise<void> {
  for (const before of revoked) {
    await auditAccount(tx, ctx, 'user.revoke_access_token', { userId }, { before });
  }
}
