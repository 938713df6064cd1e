import { type SQL, sql } from 'drizzle-orm';

/** Whether a user owns a project or is a member of it. */
export const isOf = (userId: string, projectId: SQL): SQL => sql`${projectId} in (
  select id from projects where owner_id = ${userId}
  union all select project_id from project_members where user_id = ${userId})`;
