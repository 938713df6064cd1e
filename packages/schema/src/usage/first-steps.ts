import { sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';

/** What a project has on the way to its first allowed call. */
export interface FirstSteps {
  policy: boolean;
  /** One that is active. */
  key: boolean;
  /** Its host asked the Runtime with the project's secret. */
  called: boolean;
  /** One of its calls was allowed. */
  allowed: boolean;
}

/** Reads how far a project is, each part from the first entry of an index. */
export async function readFirstSteps(
  db: { orm: Executor },
  projectId: string,
): Promise<FirstSteps> {
  const [row] = await db.orm.execute<{ [Step in keyof FirstSteps]: boolean }>(sql`
    select exists (select from policies where project_id = ${projectId}) as policy,
      exists (select from api_keys where project_id = ${projectId} and status = 'active') as key,
      exists (select from usage_hours where project_id = ${projectId}) as called,
      exists (select from usage_months where project_id = ${projectId} and count > 0) as allowed`);
  if (row === undefined) throw new Error('a select without a table returned no row');
  return { ...row, called: row.called || row.allowed };
}
