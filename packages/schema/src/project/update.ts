import { eq } from 'drizzle-orm';
import { writeAudit } from '../audit/write.ts';
import { onUniqueViolation } from '../connection/errors.ts';
import { inTransaction, isUnchanged, type VerbContext } from '../context.ts';
import { checked } from '../input.ts';
import { projects } from '../tables.ts';

export interface UpdateProjectInput {
  projectId: string;
  name?: string;
  /** Requests per minute for every key without a limit of its own; null removes the default. */
  defaultKeyRateLimitPerMinute?: number | null;
  /** How many of a hundred allowed decisions the decision log keeps: a whole number from 0 to 100. */
  loggedAllowsPercent?: number;
  /** Whether the decision log keeps paths. Those that it has go with its retention. */
  logsPaths?: boolean;
}

export type UpdateProjectResult = { kind: 'updated' | 'unchanged' | 'name_taken' | 'not_found' };

/** Changes a project's name or settings; absent fields keep their values. */
export async function updateProject(
  ctx: VerbContext,
  { projectId, ...input }: UpdateProjectInput,
): Promise<UpdateProjectResult> {
  const values = checked(input, ['name', 'defaultKeyRateLimitPerMinute', 'loggedAllowsPercent']);
  const change = inTransaction<UpdateProjectResult>(ctx, async (tx) => {
    const [found] = await tx
      .select({
        name: projects.name,
        defaultKeyRateLimitPerMinute: projects.defaultKeyRateLimitPerMinute,
        loggedAllowsPercent: projects.loggedAllowsPercent,
        logsPaths: projects.logsPaths,
        ownerId: projects.ownerId,
      })
      .from(projects)
      .where(eq(projects.id, projectId))
      .for('no key update');
    if (found === undefined) return { kind: 'not_found' };
    const { ownerId, ...before } = found;
    const after = { ...before, ...values };
    if (isUnchanged(before, after)) return { kind: 'unchanged' };
    await tx.update(projects).set(after).where(eq(projects.id, projectId));
    await writeAudit(tx, ctx, {
      action: 'project.update',
      target: { id: projectId, label: after.name },
      projectId,
      ownerId,
      before,
      after,
    });
    return { kind: 'updated' };
  });
  return change.catch(onUniqueViolation({ kind: 'name_taken' }));
}
