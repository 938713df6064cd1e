import type { ApiKeySummary } from '@ceiba/contract';
import { and, eq } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { apiKeys } from '../tables.ts';
import { summaryColumns, toSummary } from './summary.ts';

export interface ApiKeyRef {
  projectId: string;
  apiKeyId: string;
}

/** Selects a key of a project: another project's key is not found. */
export const isApiKey = ({ projectId, apiKeyId }: ApiKeyRef) =>
  and(eq(apiKeys.id, apiKeyId), eq(apiKeys.projectId, projectId));

/** @returns the key in read shape, or null when the project has no such key */
export async function getApiKey(
  db: { orm: Executor },
  ref: ApiKeyRef,
): Promise<ApiKeySummary | null> {
  const [row] = await db.orm.select(summaryColumns).from(apiKeys).where(isApiKey(ref));
  return row === undefined ? null : toSummary(row);
}
