import { eq, sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { projects } from '../tables.ts';

/**
 * Serialises changes of one project: its settings, its secret, and what is in it. A statement after
 * this one sees what the previous holder of the lock committed.
 *
 * @returns undefined when there is no such project
 */
export async function lockProject(tx: Executor, projectId: string) {
  const [row] = await tx
    .select({
      ownerId: projects.ownerId,
      name: projects.name,
      defaultKeyRateLimitPerMinute: projects.defaultKeyRateLimitPerMinute,
      keyPrefix: projects.keyPrefix,
      loggedAllowsPercent: projects.loggedAllowsPercent,
      logsPaths: projects.logsPaths,
      acceptsImportedKeys: projects.acceptsImportedKeys,
      secretCreatedAt: projects.secretCreatedAt,
      previousSecretExpiresAt: projects.previousSecretExpiresAt,
      previousIsValid: sql<boolean>`coalesce(${projects.previousSecretExpiresAt} > now(), false)`,
    })
    .from(projects)
    .where(eq(projects.id, projectId))
    .for('no key update');
  return row;
}

export type LockedProject = NonNullable<Awaited<ReturnType<typeof lockProject>>>;
