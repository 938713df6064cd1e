import { eq } from 'drizzle-orm';
import { writeAudit } from '../audit/write.ts';
import { isUniqueViolation } from '../connection/errors.ts';
import { inTransaction, type VerbContext } from '../context.ts';
import { projects } from '../tables.ts';

export interface UpdateProjectInput {
  projectId: string;
  name?: string;
  /** Requests a minute for every key without a limit of its own; null takes the default away. */
  defaultKeyRateLimitPerMinute?: number | null;
}

export type UpdateProjectResult = { kind: 'updated' | 'unchanged' | 'name_taken' | 'not_found' };

/** Renames a project or sets its default per-key rate; an absent field stays as it is. */
export async function updateProject(
  ctx: VerbContext,
  { projectId, ...values }: UpdateProjectInput,
): Promise<UpdateProjectResult> {
  try {
    return await inTransaction(ctx, async (tx) => {
      const [before] = await tx
        .select({
          name: projects.name,
          defaultKeyRateLimitPerMinute: projects.defaultKeyRateLimitPerMinute,
          ownerId: projects.ownerId,
        })
        .from(projects)
        .where(eq(projects.id, projectId))
        .for('no key update');
      if (before === undefined) return { kind: 'not_found' };
      const { ownerId, ...old } = before;
      const after = { ...old, ...values };
      if (
        after.name === old.name &&
        after.defaultKeyRateLimitPerMinute === old.defaultKeyRateLimitPerMinute
      ) {
        return { kind: 'unchanged' };
      }
      await tx.update(projects).set(after).where(eq(projects.id, projectId));
      await writeAudit(tx, ctx, {
        action: 'project.update',
        target: { id: projectId, label: after.name },
        projectId,
        ownerId,
        before: old,
        after,
      });
      return { kind: 'updated' };
    });
  } catch (fault) {
    if (isUniqueViolation(fault)) return { kind: 'name_taken' };
    throw fault;
  }
}
