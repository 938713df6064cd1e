import type { MemberRole, ProjectRole } from '@ceiba/domain';
import { and, asc, eq, sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { projectInvitations, projectMembers, projects, users } from '../tables.ts';
import { type SecondFactorState, secondFactorOf } from '../user/second-factor-state.ts';

/** A user of a project. */
export interface ProjectMember {
  userId: string;
  email: string;
  role: ProjectRole;
  /** When the user joined; for the owner, when the project was created. */
  since: Date;
  secondFactor: SecondFactorState;
}

const account = {
  userId: users.id,
  email: users.email,
  secondFactor: secondFactorOf(sql`users`),
};

/** The owner, then the members in the order in which they joined. */
export async function listMembers(
  db: { orm: Executor },
  projectId: string,
): Promise<ProjectMember[]> {
  const [owner] = await db.orm
    .select({ ...account, since: projects.createdAt })
    .from(projects)
    .innerJoin(users, eq(users.id, projects.ownerId))
    .where(eq(projects.id, projectId));
  const members = await db.orm
    .select({
      ...account,
      role: projectMembers.role,
      since: projectMembers.createdAt,
    })
    .from(projectMembers)
    .innerJoin(users, eq(users.id, projectMembers.userId))
    .where(eq(projectMembers.projectId, projectId))
    .orderBy(asc(projectMembers.createdAt), asc(users.id));
  return owner === undefined ? [] : [{ ...owner, role: 'owner' }, ...members];
}

/** An invitation without its token. */
export interface OpenInvitation {
  invitationId: string;
  label: string;
  role: MemberRole;
  createdAt: Date;
  expiresAt: Date;
}

/** The invitations that can still be accepted, the oldest first. */
export async function listInvitations(
  db: { orm: Executor },
  projectId: string,
): Promise<OpenInvitation[]> {
  return db.orm
    .select({
      invitationId: projectInvitations.id,
      label: projectInvitations.label,
      role: projectInvitations.role,
      createdAt: projectInvitations.createdAt,
      expiresAt: projectInvitations.expiresAt,
    })
    .from(projectInvitations)
    .where(
      and(
        eq(projectInvitations.projectId, projectId),
        sql`${projectInvitations.expiresAt} > now()`,
      ),
    )
    .orderBy(asc(projectInvitations.createdAt), asc(projectInvitations.id));
}
