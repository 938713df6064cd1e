import { POLICIES_MAX } from '@ceiba/domain';
import { and, count, eq, sql } from 'drizzle-orm';
import { writeAudit } from '../audit/write.ts';
import type { Executor } from '../connection/database.ts';
import { onUniqueViolation } from '../connection/errors.ts';
import { inTransaction, type VerbContext } from '../context.ts';
import { lockProject } from '../project/lock.ts';
import { policies, projects } from '../tables.ts';

/** A rule in normal form, as `parsePolicyMethod` and `parsePathPattern` return it. */
export interface PolicyRule {
  method: string;
  pathPattern: string;
}

export type CreatePolicyResult =
  | { kind: 'created'; policyId: string }
  | { kind: 'conflict' | 'too_many' | 'not_found' };

/**
 * Creates a policy, up to {@link POLICIES_MAX} in a project. The same method and pattern twice in a
 * project is a conflict.
 */
export function createPolicy(
  ctx: VerbContext,
  { projectId, ...rule }: PolicyRule & { projectId: string },
): Promise<CreatePolicyResult> {
  return inTransaction(ctx, async (tx) => {
    const project = await lockProject(tx, projectId);
    if (project === undefined) return { kind: 'not_found' };
    if ((await countPolicies(tx, projectId)) >= POLICIES_MAX) return { kind: 'too_many' };
    const policyId = await insertPolicy(tx, ctx, { projectId, ownerId: project.ownerId, rule });
    return policyId === undefined ? { kind: 'conflict' } : { kind: 'created', policyId };
  });
}

/** `changed`: the policy no longer has the rule that the user saw. */
export type ChangePolicyResult = {
  kind: 'updated' | 'unchanged' | 'changed' | 'conflict' | 'not_found';
};

export interface PolicyRef {
  projectId: string;
  policyId: string;
}

export interface UpdatePolicyInput extends PolicyRule, PolicyRef {
  /** The rule that the user saw, so that no change by another user is overwritten unseen. */
  seen: PolicyRule;
}

/** Changes a policy's method or pattern; it keeps its id and so its usage. */
export function updatePolicy(
  ctx: VerbContext,
  { projectId, policyId, seen, ...rule }: UpdatePolicyInput,
): Promise<ChangePolicyResult> {
  const change = inTransaction<ChangePolicyResult>(ctx, async (tx) => {
    const project = await lockProject(tx, projectId);
    const before = await readRule(tx, { projectId, policyId });
    if (project === undefined || before === undefined) return { kind: 'not_found' };
    if (labelOf(before) === labelOf(rule)) return { kind: 'unchanged' };
    if (labelOf(before) !== labelOf(seen)) return { kind: 'changed' };
    await tx
      .update(policies)
      .set({ ...rule, updatedAt: sql`now()` })
      .where(isPolicy({ projectId, policyId }));
    await writeAudit(tx, ctx, {
      action: 'policy.update',
      target: { id: policyId, label: labelOf(rule) },
      projectId,
      ownerId: project.ownerId,
      before: { ...before },
      after: { ...rule },
    });
    return { kind: 'updated' };
  });
  return change.catch(onUniqueViolation({ kind: 'conflict' }));
}

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
export function replacePolicies(
  ctx: VerbContext,
  { projectId, rules }: { projectId: string; rules: readonly PolicyRule[] },
): Promise<ReplacePoliciesResult | { kind: 'too_many' | 'not_found' }> {
  return inTransaction(ctx, async (tx) => {
    const wanted = new Map(rules.map((rule) => [labelOf(rule), rule]));
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

const labelOf = ({ method, pathPattern }: PolicyRule) => `${method} ${pathPattern}`;

const isPolicy = ({ projectId, policyId }: PolicyRef) =>
  and(eq(policies.id, policyId), eq(policies.projectId, projectId));

async function countPolicies(tx: Executor, projectId: string): Promise<number> {
  const [row] = await tx
    .select({ count: count() })
    .from(policies)
    .where(eq(policies.projectId, projectId));
  return row?.count ?? 0;
}

async function readRule(tx: Executor, ref: PolicyRef): Promise<PolicyRule | undefined> {
  const [row] = await tx
    .select({ method: policies.method, pathPattern: policies.pathPattern })
    .from(policies)
    .where(isPolicy(ref));
  return row;
}

async function insertPolicy(
  tx: Executor,
  ctx: VerbContext,
  { projectId, ownerId, rule }: { projectId: string; ownerId: string; rule: PolicyRule },
): Promise<string | undefined> {
  const [row] = await tx
    .insert(policies)
    .values({ projectId, method: rule.method, pathPattern: rule.pathPattern })
    .onConflictDoNothing()
    .returning({ policyId: policies.id });
  if (row === undefined) return undefined;
  await writeAudit(tx, ctx, {
    action: 'policy.create',
    target: { id: row.policyId, label: labelOf(rule) },
    projectId,
    ownerId,
    after: { method: rule.method, pathPattern: rule.pathPattern },
  });
  return row.policyId;
}

async function removePolicy(
  tx: Executor,
  ctx: VerbContext,
  { projectId, policyId, ownerId }: PolicyRef & { ownerId: string },
): Promise<DeletePolicyResult> {
  const [removed] = await tx
    .delete(policies)
    .where(isPolicy({ projectId, policyId }))
    .returning({ method: policies.method, pathPattern: policies.pathPattern });
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
