import { eq } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { inTransaction, type VerbContext } from '../context.ts';
import { type Audit, auditIn } from '../project/change.ts';
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
    return removePolicy(tx, auditIn(tx, ctx, { ...ref, ...project }), ref);
  });
}

/** Deletes a policy, in the transaction of the change. */
export async function removePolicy(
  tx: Executor,
  audit: Audit,
  ref: PolicyRef,
): Promise<DeletePolicyResult> {
  const [removed] = await tx.delete(policies).where(isPolicy(ref)).returning(stateColumns);
  if (removed === undefined) return { kind: 'not_found' };
  const target = { id: ref.policyId, label: labelOf(removed) };
  await audit('policy.delete', target, { before: { ...removed } });
  return { kind: 'deleted' };
}
