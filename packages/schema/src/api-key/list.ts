import type { ApiKeySummary } from '@ceiba/contract';
import { desc, eq } from 'drizzle-orm';
import type { Executor } from '../database.ts';
import { apiKeys } from '../tables.ts';
import { summaryColumns, toSummary } from './summary.ts';

/** Every key of a project in read shape, newest first, whatever its status. */
export async function listApiKeys(
  db: { orm: Executor },
  projectId: string,
): Promise<ApiKeySummary[]> {
  const rows = await db.orm
    .select(summaryColumns)
    .from(apiKeys)
    .where(eq(apiKeys.projectId, projectId))
    .orderBy(desc(apiKeys.createdAt), desc(apiKeys.id));
  return rows.map(toSummary);
}
