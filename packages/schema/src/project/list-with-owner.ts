import { and, eq, sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { type Subscription, subscriptionColumns } from '../subscription/get.ts';
import { plans, projects, subscriptions, users } from '../tables.ts';
import { type Project, projectColumns } from './get.ts';
import { isOf } from './of-user.ts';

export interface ProjectWithOwner extends Project {
  ownerEmail: string;
  /** Null only after a change by plain SQL. */
  subscription: Subscription | null;
}

/** For operators: every project, or those in which a user has a role, or one; in no order. */
export async function listProjectsWithOwner(
  db: { orm: Executor },
  { userId, projectId }: { userId?: string; projectId?: string } = {},
): Promise<ProjectWithOwner[]> {
  const rows = await db.orm
    .select({
      project: projectColumns,
      ownerEmail: users.email,
      ...subscriptionColumns,
    })
    .from(projects)
    .innerJoin(users, eq(users.id, projects.ownerId))
    .leftJoin(subscriptions, eq(subscriptions.projectId, projects.id))
    .leftJoin(plans, eq(plans.id, subscriptions.planId))
    .where(
      and(
        userId === undefined ? undefined : isOf(userId, sql`${projects.id}`),
        projectId === undefined ? undefined : eq(projects.id, projectId),
      ),
    );
  return rows.map(({ project, ownerEmail, status, currentPeriodEnd, admits, plan }) => ({
    ...project,
    ownerEmail,
    subscription:
      plan === null || status === null ? null : { status, currentPeriodEnd, admits, plan },
  }));
}
