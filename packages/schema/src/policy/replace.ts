import { POLICIES_MAX } from '@ceiba/domain';
import { eq } from 'drizzle-orm';
import { inTransaction, type VerbContext } from '../context.ts';
import { checked } from '../input.ts';
import { lockProject } from '../project/lock.ts';
import { policies } from '../tables.ts';
import { insertPolicy } from './create.ts';
import { removePolicy } from './delete.ts';
import { labelOf, type PolicyRule, RULE_FIELDS } from './rule.ts';

export interface ReplacePoliciesResult {
  created: PolicyRule[];
  deleted: PolicyRule[];
  /** How many were in both lists. */
  unchanged: number;
}

/**
 * Replaces a project's policies with these, at most {@link POLICIES_MAX}. Rules that are in both lists
 * keep their ids.
 */
export async function replacePolicies(
  ctx: VerbContext,
  { projectId, rules }: { projectId: string; rules: readonly PolicyRule[] },
): Promise<ReplacePoliciesResult | { kind: 'too_many' | 'not_found' }> {
  const parsed = rules.map((rule) => checked(rule, RULE_FIELDS));
  return inTransaction(ctx, async (tx) => {
    const wanted = new Map(parsed.map((rule) => [labelOf(rule), rule]));
    if (wanted.size > POLICIES_MAX) return { kind: 'too_many' };
    const project = await lockProject(tx, projectId);
    if (project === undefined) return { kind: 'not_found' };
    const existing = await tx
      .select({
        policyId: policies.id,
        method: policies.method,
        pathPattern: policies.pathPattern,
      })
      .from(policies)
      .where(eq(policies.projectId, projectId));
    const present = new Set(existing.map(labelOf));
    const surplus = existing.filter((policy) => !wanted.has(labelOf(policy)));
    const missing = [...wanted.values()].filter((rule) => !present.has(labelOf(rule)));
    for (const { policyId } of surplus) {
      await removePolicy(tx, ctx, { projectId, policyId, ownerId: project.ownerId });
    }
    for (const rule of missing)
      await insertPolicy(tx, ctx, { projectId, ownerId: project.ownerId, rule });
    return {
      created: missing.map(ruleOf),
      deleted: surplus.map(ruleOf),
      unchanged: existing.length - surplus.length,
    };
  });
}

const ruleOf = ({ method, pathPattern }: PolicyRule): PolicyRule => ({ method, pathPattern });
