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
  const [row] = await db.orm.execute<{ [Name in keyof CustomerSurvey]: number }>(sql`
    select (count(*) filter (where suspended_at is null))::int as active,
      (count(*) filter (where suspended_at is not null))::int as suspended
    from customers where project_id = ${projectId}`);
  if (row === undefined) throw new Error('an aggregate returned no row');
  return { ...row };
}
