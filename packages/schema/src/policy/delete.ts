import { eq } from 'drizzle-orm';
import { writeAudit } from '../audit/write.ts';
import type { Executor } from '../connection/database.ts';
import { inTransaction, type VerbContext } from '../context.ts';
import { policies, projects } from '../tables.ts';
import { isPolicy, labelOf, type PolicyRef, stateColumns } from './rule.ts';

export type DeletePolicyResult = { kind: 'deleted' | 'not_found' };

/**
 * Deletes a policy; what only it allowed is denied from the next decision on. It waits for no other
 * change of the project.
 */
export function deletePolicy(ctx: VerbContext, ref: PolicyRef): Promise<DeletePolicyResult> {
  return inTransaction(ctx, async (tx) => {
    const [project] = await tx
      .select({ ownerId: projects.ownerId })
      .from(projects)
      .where(eq(projects.id, ref.projectId));
    if (project === undefined) return { kind: 'not_found' };
    return removePolicy(tx, ctx, { ...ref, ownerId: project.ownerId });
  });
}

/** Deletes a policy of an owner's project, in the transaction of the change. */
export async function removePolicy(
  tx: Executor,
  ctx: VerbContext,
  { projectId, policyId, ownerId }: PolicyRef & { ownerId: string },
): Promise<DeletePolicyResult> {
  const [removed] = await tx
    .delete(policies)
    .where(isPolicy({ projectId, policyId }))
    .returning(stateColumns);
  if (removed === undefined) return { kind: 'not_found' };
  await writeAudit(tx, ctx, {
    action: 'policy.delete',
    target: { id: policyId, label: labelOf(removed) },
    projectId,
    ownerId,
    before: { ...removed },
  });
  return { kind: 'deleted' };
}
