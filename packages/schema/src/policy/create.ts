import { POLICIES_MAX } from '@ceiba/domain';
import { eq } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import type { VerbContext } from '../context.ts';
import { checked } from '../input.ts';
import { type Audit, changingProject } from '../project/change.ts';
import { policies } from '../tables.ts';
import {
  labelOf,
  POLICY_FIELDS,
  type PolicyInput,
  type PolicyRule,
  type PolicyState,
  stateAfter,
} from './rule.ts';

export type CreatePolicyResult =
  | ({ kind: 'created'; policyId: string } & PolicyState)
  | { kind: 'conflict' | 'too_many' | 'not_found' };

/**
 * Creates a policy, up to {@link POLICIES_MAX} in a project. The same method and pattern twice in a
 * project is a conflict.
 */
export async function createPolicy(
  ctx: VerbContext,
  input: PolicyInput & { projectId: string },
): Promise<CreatePolicyResult> {
  const { projectId, ...given } = checked(input, POLICY_FIELDS);
  const policy = stateAfter(given);
  return changingProject(ctx, projectId, async (tx, _, audit) => {
    const known = await readLabels(tx, projectId);
    if (known.has(labelOf(policy))) return { kind: 'conflict' };
    if (known.size >= POLICIES_MAX) return { kind: 'too_many' };
    const policyId = await insertPolicy(tx, audit, { projectId, policy });
    return { kind: 'created', policyId, ...policy };
  });
}

export type CreatePoliciesResult =
  | { kind: 'created'; policies: PolicyRule[] }
  | { kind: 'too_many' | 'not_found' };

/**
 * Creates policies, all or none of them, up to {@link POLICIES_MAX} in a project. Those that the project has
 * already are left as they are, and do not count a second time.
 *
 * @returns the policies that are new
 */
export async function createPolicies(
  ctx: VerbContext,
  { projectId, rules }: { projectId: string; rules: readonly PolicyRule[] },
): Promise<CreatePoliciesResult> {
  const states = rules.map((rule) => stateAfter(checked(rule, ['method', 'pathPattern'])));
  return changingProject(ctx, projectId, async (tx, _, audit) => {
    const known = await readLabels(tx, projectId);
    const created = new Map(states.map((policy) => [labelOf(policy), policy]));
    for (const label of known) created.delete(label);
    if (known.size + created.size > POLICIES_MAX) return { kind: 'too_many' };
    for (const policy of created.values()) await insertPolicy(tx, audit, { projectId, policy });
    return { kind: 'created', policies: [...created.values()] };
  });
}

async function readLabels(tx: Executor, projectId: string): Promise<Set<string>> {
  const { method, pathPattern } = policies;
  const rules = await tx
    .select({ method, pathPattern })
    .from(policies)
    .where(eq(policies.projectId, projectId));
  return new Set(rules.map(labelOf));
}

/** @param policy one that the project, which is locked, does not have; @returns its id */
export async function insertPolicy(
  tx: Executor,
  audit: Audit,
  { projectId, policy }: { projectId: string; policy: PolicyState },
): Promise<string> {
  const [row] = await tx
    .insert(policies)
    .values({ projectId, ...policy })
    .returning({ policyId: policies.id });
  if (row === undefined) throw new Error('an insert returned no row');
  const target = { id: row.policyId, label: labelOf(policy) };
  await audit('policy.create', target, { after: { ...policy } });
  return row.policyId;
}
