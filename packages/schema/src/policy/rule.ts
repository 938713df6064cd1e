import { and, eq } from 'drizzle-orm';
import { policies } from '../tables.ts';

/** A rule in normal form, as `parsePolicyMethod` and `parsePathPattern` return it. */
export interface PolicyRule {
  method: string;
  pathPattern: string;
}

export interface PolicyRef {
  projectId: string;
  policyId: string;
}

/** The label of a policy in the audit log; equal rules have equal labels. */
export const labelOf = ({ method, pathPattern }: PolicyRule) => `${method} ${pathPattern}`;

/** Selects a policy of a project. */
export const isPolicy = ({ projectId, policyId }: PolicyRef) =>
  and(eq(policies.id, policyId), eq(policies.projectId, projectId));
