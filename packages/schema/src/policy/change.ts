import { and, eq, sql } from 'drizzle-orm';
import { writeAudit } from '../audit/write.ts';
import type { Executor } from '../connection/database.ts';
import { isUniqueViolation } from '../connection/errors.ts';
import { inTransaction, type VerbContext } from '../context.ts';
import { policies, projects } from '../tables.ts';

/** A rule in normal form: `parsePolicyMethod` and `parsePathPattern` of the domain made it. */
export interface PolicyRule {
  method: string;
  pathPattern: string;
}

export type CreatePolicyResult =
  | { kind: 'created'; policyId: string }
  | { kind: 'conflict' }
  | { kind: 'not_found' };

/** Adds a policy. The same method and pattern twice in a project is a conflict. */
export function createPolicy(
  ctx: VerbContext,
  { projectId, ...rule }: PolicyRule & { projectId: string },
): Promise<CreatePolicyResult> {
  return inTransaction(ctx, async (tx) => {
    const ownerId = await lockOwner(tx, projectId);
    if (ownerId === undefined) return { kind: 'not_found' };
    const policyId = await insertPolicy(tx, ctx, { projectId, ownerId, rule });
    return policyId === undefined ? { kind: 'conflict' } : { kind: 'created', policyId };
  });
}

export type ChangePolicyResult = { kind: 'updated' | 'unchanged' | 'conflict' | 'not_found' };

export interface PolicyRef {
  projectId: string;
  policyId: string;
}

/** Gives a policy another method or pattern; its id, and so its usage, stays. */
export async function updatePolicy(
  ctx: VerbContext,
  { projectId, policyId, ...rule }: PolicyRule & PolicyRef,
): Promise<ChangePolicyResult> {
  try {
    return await inTransaction(ctx, async (tx) => {
      const ownerId = await lockOwner(tx, projectId);
      const before = await readRule(tx, { projectId, policyId });
      if (ownerId === undefined || before === undefined) return { kind: 'not_found' };
      if (wordsOf(before) === wordsOf(rule)) return { kind: 'unchanged' };
      await tx
        .update(policies)
        .set({ ...rule, updatedAt: sql`now()` })
        .where(isPolicy({ projectId, policyId }));
      await writeAudit(tx, ctx, {
        action: 'policy.update',
        target: { id: policyId, label: wordsOf(rule) },
        projectId,
        ownerId,
        before: { ...before },
        after: { ...rule },
      });
      return { kind: 'updated' };
    });
  } catch (fault) {
    if (isUniqueViolation(fault)) return { kind: 'conflict' };
    throw fault;
  }
}

export type DeletePolicyResult = { kind: 'deleted' | 'not_found' };

/** Takes a policy away; what only it allowed is denied from the next decision on. */
export function deletePolicy(ctx: VerbContext, ref: PolicyRef): Promise<DeletePolicyResult> {
  return inTransaction(ctx, async (tx) => {
    const ownerId = await lockOwner(tx, ref.projectId);
    if (ownerId === undefined) return { kind: 'not_found' };
    return removePolicy(tx, ctx, { ...ref, ownerId });
  });
}

export interface ReplacePoliciesResult {
  created: number;
  deleted: number;
  unchanged: number;
}

/** Makes a project's policies exactly these: those that stay keep their ids. */
export function replacePolicies(
  ctx: VerbContext,
  { projectId, rules }: { projectId: string; rules: readonly PolicyRule[] },
): Promise<ReplacePoliciesResult | { kind: 'not_found' }> {
  return inTransaction(ctx, async (tx) => {
    const ownerId = await lockOwner(tx, projectId);
    if (ownerId === undefined) return { kind: 'not_found' };
    const existing = await tx
      .select({
        policyId: policies.id,
        method: policies.method,
        pathPattern: policies.pathPattern,
      })
      .from(policies)
      .where(eq(policies.projectId, projectId));
    const wanted = new Map(rules.map((rule) => [wordsOf(rule), rule]));
    const present = new Set(existing.map(wordsOf));
    const surplus = existing.filter((policy) => !wanted.has(wordsOf(policy)));
    const missing = [...wanted.values()].filter((rule) => !present.has(wordsOf(rule)));
    for (const { policyId } of surplus) {
      await removePolicy(tx, ctx, { projectId, policyId, ownerId });
    }
    for (const rule of missing) await insertPolicy(tx, ctx, { projectId, ownerId, rule });
    return {
      created: missing.length,
      deleted: surplus.length,
      unchanged: existing.length - surplus.length,
    };
  });
}

const wordsOf = ({ method, pathPattern }: PolicyRule) => `${method} ${pathPattern}`;

const isPolicy = ({ projectId, policyId }: PolicyRef) =>
  and(eq(policies.id, policyId), eq(policies.projectId, projectId));

/** Changes of one project's policies take turns. */
async function lockOwner(tx: Executor, projectId: string): Promise<string | undefined> {
  const [row] = await tx
    .select({ ownerId: projects.ownerId })
    .from(projects)
    .where(eq(projects.id, projectId))
    .for('no key update');
  return row?.ownerId;
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
    target: { id: row.policyId, label: wordsOf(rule) },
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
    target: { id: policyId, label: wordsOf(removed) },
    projectId,
    ownerId,
    before: { ...removed },
  });
  return { kind: 'deleted' };
}
