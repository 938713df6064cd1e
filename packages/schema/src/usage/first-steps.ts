import { sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';

/** What a project's host has done so far. */
export interface FirstSteps {
  /** It asked the Runtime with the project's secret. */
  called: boolean;
  /** One of its calls was allowed. */
  allowed: boolean;
}

/** Reads whether a project has any usage, from the first entry of an index. */
export async function readFirstSteps(
  db: { orm: Executor },
  projectId: string,
): Promise<FirstSteps> {
  const [row] = await db.orm.execute<{ called: boolean; allowed: boolean }>(sql`
    select exists (select from usage_hours where project_id = ${projectId}) as called,
      exists (select from usage_months where project_id = ${projectId} and count > 0) as allowed`);
  if (row === undefined) throw new Error('a select without a table returned no row');
  return { called: row.called || row.allowed, allowed: row.allowed };
}
