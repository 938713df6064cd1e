import type { MemberRole } from '@ceiba/domain';
import { type Bench, makeOwner } from '../support.ts';

/** Adds a new user to a project. @returns the user */
export async function addMember(
  { db, ctx }: Bench,
  projectId: string,
  role: MemberRole,
): Promise<string> {
  const userId = await makeOwner(ctx);
  await db.sql`
    insert into project_members (project_id, user_id, role)
    values (${projectId}, ${userId}, ${role})`;
  return userId;
}
