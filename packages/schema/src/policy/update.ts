import { sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { onUniqueViolation } from '../connection/errors.ts';
import { isUnchanged, type VerbContext } from '../context.ts';
import { checked } from '../input.ts';
import { type Audit, changingProject } from '../project/change.ts';
import { policies } from '../tables.ts';
import {
  isPolicy,
  labelOf,
  POLICY_FIELDS,
  type PolicyInput,
  type PolicyRef,
  type PolicyState,
  stateAfter,
  stateColumns,
} from './rule.ts';

/** `changed`: the policy no longer is what the user saw. */
export type ChangePolicyResult =
  | ({ kind: 'updated' | 'unchanged' } & PolicyState)
  | { kind: 'changed' | 'conflict' | 'not_found' };

export interface UpdatePolicyInput extends PolicyInput, PolicyRef {
  /** What the user saw, so that no change by another user is overwritten unseen. */
  seen: PolicyInput;
}

/**
 * Changes a policy's method, pattern, labels or cost; it keeps its id and so its usage. Takes effect with
 * the next decision.
 */
export async function updatePolicy(
  ctx: VerbContext,
  input: UpdatePolicyInput,
): Promise<ChangePolicyResult> {
  const { projectId, policyId, seen, ...given } = checked(input, POLICY_FIELDS);
  const change = changingProject<ChangePolicyResult>(ctx, projectId, async (tx, _, audit) => {
    const ref = { projectId, policyId };
    const before = await readState(tx, ref);
    if (before === undefined) return { kind: 'not_found' };
    const after = stateAfter(given, before);
    if (isUnchanged(before, after)) return { kind: 'unchanged', ...after };
    if (!isUnchanged(before, stateAfter(seen, before))) return { kind: 'changed' };
    await writeState(tx, audit, { ...ref, before, after });
    return { kind: 'updated', ...after };
  });
  return change.catch(onUniqueViolation({ kind: 'conflict' }));
}

/** Changes a policy, in the transaction of the change. */
export async function writeState(
  tx: Executor,
  audit: Audit,
  { before, after, ...ref }: PolicyRef & { before: PolicyState; after: PolicyState },
): Promise<void> {
  await tx
    .update(policies)
    .set({ ...after, updatedAt: sql`now()` })
    .where(isPolicy(ref));
  const target = { id: ref.policyId, label: labelOf(after) };
  await audit('policy.update', target, { before: { ...before }, after: { ...after } });
}

async function readState(tx: Executor, ref: PolicyRef): Promise<PolicyState | undefined> {
  const [row] = await tx.select(stateColumns).from(policies).where(isPolicy(ref));
  return row;
}
