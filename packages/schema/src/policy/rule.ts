import { and, eq } from 'drizzle-orm';
import { policies } from '../tables.ts';

/** A rule as a user writes it, which verbs parse, or in the normal form that they store and return. */
export interface PolicyRule {
  method: string;
  pathPattern: string;
}

/** For `checked`. */
export const RULE_FIELDS = ['method', 'pathPattern'] as const;

export interface PolicyRef {
  projectId: string;
  policyId: string;
}

/** The label of a policy in the audit log; equal rules have equal labels. */
export const labelOf = ({ method, pathPattern }: PolicyRule) => `${method} ${pathPattern}`;

/** Selects a policy of a project. */
export const isPolicy = ({ projectId, policyId }: PolicyRef) =>
  and(eq(policies.id, policyId), eq(policies.projectId, projectId));
