import { eq } from 'drizzle-orm';
import { onUniqueViolation } from '../connection/errors.ts';
import { isUnchanged, type VerbContext } from '../context.ts';
import { checked, keyBrandSchema } from '../input.ts';
import { projects } from '../tables.ts';
import { changingProject } from './change.ts';

export interface UpdateProjectInput {
  projectId: string;
  name?: string;
  /** Requests per minute for every key without a limit of its own; null removes the default. */
  defaultKeyRateLimitPerMinute?: number | null;
  /** What new keys begin with; those that exist keep theirs. */
  keyPrefix?: string;
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
  const values = checked(input, ['name', 'defaultKeyRateLimitPerMinute', 'loggedAllowsPercent'], {
    keyPrefix: keyBrandSchema,
  });
  const change = changingProject<UpdateProjectResult>(
    ctx,
    projectId,
    async (tx, project, audit) => {
      const { name, defaultKeyRateLimitPerMinute, keyPrefix, loggedAllowsPercent, logsPaths } =
        project;
      const before = {
        name,
        defaultKeyRateLimitPerMinute,
        keyPrefix,
        loggedAllowsPercent,
        logsPaths,
      };
      const after = { ...before, ...values };
      if (isUnchanged(before, after)) return { kind: 'unchanged' };
      await tx.update(projects).set(after).where(eq(projects.id, projectId));
      await audit('project.update', { id: projectId, label: after.name }, { before, after });
      return { kind: 'updated' };
    },
  );
  return change.catch(onUniqueViolation({ kind: 'name_taken' }));
}
