import { eq, sql } from 'drizzle-orm';
import { writeAudit } from '../audit/write.ts';
import type { Executor } from '../connection/database.ts';
import { inTransaction, type VerbContext } from '../context.ts';
import { apiKeys, customers, policies, projects } from '../tables.ts';
import { removeUsage } from '../usage/remove.ts';

export interface DeleteProjectInput {
  projectId: string;
  /** The project's name, as confirmation. */
  name: string;
}

export type DeleteProjectResult = { kind: 'deleted' | 'name_mismatch' | 'not_found' };

/** Rows removed at once; the Runtime removes the rest within the hour. */
const USAGE_ROWS_MAX = 50_000;

/**
 * Deletes a project with its keys, customers, policies, subscription and usage: from the next call on, its
 * secret gets 401. The audit log keeps the project's entries.
 */
export function deleteProject(
  ctx: VerbContext,
  { projectId, name }: DeleteProjectInput,
): Promise<DeleteProjectResult> {
  return inTransaction(ctx, async (tx) => {
    const [project] = await tx
      .select({ name: projects.name, ownerId: projects.ownerId })
      .from(projects)
      .where(eq(projects.id, projectId))
      .for('update');
    if (project === undefined) return { kind: 'not_found' };
    if (project.name !== name) return { kind: 'name_mismatch' };
    const counts = await countContents(tx, projectId);
    // Before the keys: a flush locks hours first and keys last.
    await removeUsage(tx, { projectId, before: null }, USAGE_ROWS_MAX);
    await tx.delete(projects).where(eq(projects.id, projectId));
    await writeAudit(tx, ctx, {
      action: 'project.delete',
      target: { id: projectId, label: name },
      projectId,
      ownerId: project.ownerId,
      before: { name, ...counts },
    });
    return { kind: 'deleted' };
  });
}

async function countContents(tx: Executor, projectId: string) {
  const [row] = await tx
    .select({
      apiKeys: sql<number>`(select count(*)::int from ${apiKeys} k where k.project_id = ${projectId})`,
      customers: sql<number>`(select count(*)::int from ${customers} c where c.project_id = ${projectId})`,
      policies: sql<number>`(select count(*)::int from ${policies} p where p.project_id = ${projectId})`,
    })
    .from(projects)
    .where(eq(projects.id, projectId));
  return row;
}
