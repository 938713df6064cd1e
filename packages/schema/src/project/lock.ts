import { eq } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { projects } from '../tables.ts';

/**
 * Serialises changes of one project's keys, policies and subscription. A statement after this one
 * sees what the previous holder of the lock committed.
 *
 * @returns undefined when there is no such project
 */
export async function lockProject(tx: Executor, projectId: string) {
  const [row] = await tx
    .select({ ownerId: projects.ownerId, name: projects.name })
    .from(projects)
    .where(eq(projects.id, projectId))
    .for('no key update');
  return row;
}
