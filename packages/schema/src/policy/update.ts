import { sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { onUniqueViolation } from '../connection/errors.ts';
import type { VerbContext } from '../context.ts';
import { checked } from '../input.ts';
import { changingProject } from '../project/change.ts';
import { lockProject } from '../project/lock.ts';
import { policies } from '../tables.ts';
import { isPolicy, labelOf, type PolicyRef, type PolicyRule, RULE_FIELDS } from './rule.ts';

/** `changed`: the policy no longer has the rule that the user saw. */
export type ChangePolicyResult =
  | ({ kind: 'updated' | 'unchanged' } & PolicyRule)
  | { kind: 'changed' | 'conflict' | 'not_found' };

export interface UpdatePolicyInput extends PolicyRule, PolicyRef {
  /** The rule that the user saw, so that no change by another user is overwritten unseen. */
  seen: PolicyRule;
}

/** Changes a policy's method or pattern; it keeps its id and so its usage. */
export async function updatePolicy(
  ctx: VerbContext,
  input: UpdatePolicyInput,
): Promise<ChangePolicyResult> {
  const { projectId, policyId, seen, ...rule } = checked(input, RULE_FIELDS);
  const change = changingProject<ChangePolicyResult>(
    ctx,
    projectId,
    lockProject,
    async (tx, _, audit) => {
      const before = await readRule(tx, { projectId, policyId });
      if (before === undefined) return { kind: 'not_found' };
      if (labelOf(before) === labelOf(rule)) return { kind: 'unchanged', ...rule };
      if (labelOf(before) !== labelOf(seen)) return { kind: 'changed' };
      await tx
        .update(policies)
        .set({ ...rule, updatedAt: sql`now()` })
        .where(isPolicy({ projectId, policyId }));
      const target = { id: policyId, label: labelOf(rule) };
      await audit('policy.update', target, { before: { ...before }, after: { ...rule } });
      return { kind: 'updated', ...rule };
    },
  );
  return change.catch(onUniqueViolation({ kind: 'conflict' }));
}

async function readRule(tx: Executor, ref: PolicyRef): Promise<PolicyRule | undefined> {
  const [row] = await tx
    .select({ method: policies.method, pathPattern: policies.pathPattern })
    .from(policies)
    .where(isPolicy(ref));
  return row;
}
