import { EXPIRED_TOKEN_DAYS, type TokenAccess } from '@ceiba/domain';
import { and, desc, eq, sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { accessTokens } from '../tables.ts';

/** An access token as its user sees it. */
export interface AccessToken {
  tokenId: string;
  name: string;
  tokenPrefix: string;
  access: TokenAccess;
  /** The names of the projects that it is restricted to and that still exist; null for all. */
  projects: string[] | null;
  createdAt: Date;
  lastUsedAt: Date | null;
  expiresAt: Date;
  isExpired: boolean;
}

/** The access tokens of a user, the newest first; one that has expired for some weeks. */
export async function listAccessTokens(
  db: { orm: Executor },
  userId: string,
): Promise<AccessToken[]> {
  return db.orm
    .select({
      tokenId: accessTokens.id,
      name: accessTokens.name,
      tokenPrefix: accessTokens.tokenPrefix,
      access: accessTokens.access,
      projects: sql<string[] | null>`case when ${accessTokens.projectIds} is not null then (
        select coalesce(json_agg(p.name order by p.name), '[]') from projects p
        where p.id = any(${accessTokens.projectIds})) end`,
      createdAt: accessTokens.createdAt,
      lastUsedAt: accessTokens.lastUsedAt,
      expiresAt: accessTokens.expiresAt,
      isExpired: sql<boolean>`${accessTokens.expiresAt} <= now()`,
    })
    .from(accessTokens)
    .where(and(eq(accessTokens.userId, userId), sql`not ${isLongExpired}`))
    .orderBy(desc(accessTokens.createdAt), desc(accessTokens.id));
}

const isLongExpired = sql`(${accessTokens.expiresAt} <= now() - make_interval(days => ${EXPIRED_TOKEN_DAYS}))`;

/** Removes up to `maxRows` tokens that the list no longer shows. @returns how many */
export async function removeExpiredTokens(tx: Executor, maxRows: number): Promise<number> {
  const { count } = await tx.execute(sql`
    delete from access_tokens where ctid = any(array(
      select ctid from access_tokens where ${isLongExpired} limit ${maxRows}))`);
  return count;
}
