import { sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';

/** Counts of a project's customers. */
export interface CustomerSurvey {
  active: number;
  suspended: number;
}

/** Counts a project's customers by whether they are suspended. */
export async function surveyCustomers(
  db: { orm: Executor },
  projectId: string,
): Promise<CustomerSurvey> {
  const [row] = await db.orm.execute<{ total: number; suspended: number }>(sql`
    select (select count(*)::int from customers where project_id = ${projectId}) as total,
      (select count(*)::int from customers
        where project_id = ${projectId} and suspended_at is not null) as suspended`);
  if (row === undefined) throw new Error('an aggregate returned no row');
  return { active: row.total - row.suspended, suspended: row.suspended };
}
