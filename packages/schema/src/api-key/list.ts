import type { ApiKeySummary } from '@ceiba/contract';
import { and, desc, eq, sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { apiKeys } from '../tables.ts';
import { summaryColumns, toSummary } from './summary.ts';

/**
 * One page of a project's keys in read shape, of every status, newest first.
 *
 * @param after the last key of the previous page; null for the first page
 * @returns at most `limit` keys, fewer only at the end of the list; null when `after` does not exist
 */
export async function listApiKeyPage(
  db: { orm: Executor },
  { projectId, after, limit }: { projectId: string; after: string | null; limit: number },
): Promise<ApiKeySummary[] | null> {
  const { createdAt, id } = apiKeys;
  const isLater = sql`(${createdAt}, ${id}) < (
    select last.created_at, last.id from api_keys last
    where last.project_id = ${projectId} and last.id = ${after})`;
  const rows = await db.orm
    .select(summaryColumns)
    .from(apiKeys)
    .where(and(eq(apiKeys.projectId, projectId), after === null ? undefined : isLater))
    .orderBy(desc(createdAt), desc(id))
    .limit(limit);
  if (rows.length > 0 || after === null) return rows.map(toSummary);
  const [cursor] = await db.orm
    .select({ id })
    .from(apiKeys)
    .where(and(eq(apiKeys.projectId, projectId), eq(id, after)));
  return cursor === undefined ? null : [];
}
