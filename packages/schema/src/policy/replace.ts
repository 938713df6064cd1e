import { POLICIES_MAX } from '@ceiba/domain';
import { eq } from 'drizzle-orm';
import { inTransaction, isUnchanged, type VerbContext } from '../context.ts';
import { checked } from '../input.ts';
import { auditIn } from '../project/change.ts';
import { lockProject } from '../project/lock.ts';
import { policies } from '../tables.ts';
import { insertPolicy } from './create.ts';
import { removePolicy } from './delete.ts';
import {
  labelOf,
  POLICY_FIELDS,
  type PolicyInput,
  type PolicyState,
  stateAfter,
  stateColumns,
} from './rule.ts';
import { writeState } from './update.ts';

export interface ReplacePoliciesResult {
  created: PolicyState[];
  /** Those whose labels or cost changed, as they are now. */
  updated: PolicyState[];
  deleted: PolicyState[];
  /** How many are as they were. */
  unchanged: number;
}

/**
 * Replaces a project's policies with these, at most {@link POLICIES_MAX}. Rules that are in both lists
 * keep their ids, and the labels and costs that the new list leaves out.
 */
export async function replacePolicies(
  ctx: VerbContext,
  { projectId, rules }: { projectId: string; rules: readonly PolicyInput[] },
): Promise<ReplacePoliciesResult | { kind: 'too_many' | 'not_found' }> {
  const parsed = rules.map((rule) => checked(rule, POLICY_FIELDS));
  return inTransaction(ctx, async (tx) => {
    const wanted = new Map(parsed.map((rule) => [labelOf(rule), rule]));
    if (wanted.size > POLICIES_MAX) return { kind: 'too_many' };
    const project = await lockProject(tx, projectId);
    if (project === undefined) return { kind: 'not_found' };
    const audit = auditIn(tx, ctx, { projectId, ...project });
    const rows = await tx
      .select({ policyId: policies.id, ...stateColumns })
      .from(policies)
      .where(eq(policies.projectId, projectId));
    const result: ReplacePoliciesResult = { created: [], updated: [], deleted: [], unchanged: 0 };
    for (const { policyId, ...before } of rows) {
      const ref = { projectId, policyId };
      const rule = wanted.get(labelOf(before));
      wanted.delete(labelOf(before));
      const after = rule && stateAfter(rule, before);
      if (after === undefined) {
        await removePolicy(tx, audit, ref);
        result.deleted.push(before);
      } else if (isUnchanged(before, after)) {
        result.unchanged += 1;
      } else {
        await writeState(tx, audit, { ...ref, before, after });
        result.updated.push(after);
      }
    }
    for (const rule of wanted.values()) {
      const policy = stateAfter(rule);
      await insertPolicy(tx, audit, { projectId, policy });
      result.created.push(policy);
    }
    return result;
  });
}
