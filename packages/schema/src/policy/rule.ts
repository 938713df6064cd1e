import type { Labels } from '@ceiba/domain';
import { and, eq } from 'drizzle-orm';
import { policies } from '../tables.ts';

/**
 * What a policy is about, and its identity in its project: as a user writes it, which verbs parse, or in
 * the normal form that they store and return.
 */
export interface PolicyRule {
  method: string;
  pathPattern: string;
}

/** A policy as it is stored. */
export interface PolicyState extends PolicyRule {
  /** The labels that open it to restricted keys; null for none: an empty list is stored as none. */
  scopes: Labels;
  /** What a call takes of quotas. */
  cost: number;
}

/** A policy as a user gives it. What is absent keeps its value; null removes it. */
export interface PolicyInput extends PolicyRule {
  scopes?: Labels | undefined;
  /** 1 where it is removed. */
  cost?: number | null | undefined;
}

/** For `checked`. */
export const POLICY_FIELDS = ['method', 'pathPattern', 'scopes', 'cost'] as const;

const DEFAULT_COST = 1;
const NEW = { scopes: null, cost: DEFAULT_COST };

/** What an input makes of a policy, by default of a new one. */
export const stateAfter = (
  { method, pathPattern, scopes, cost }: PolicyInput,
  before: Pick<PolicyState, 'scopes' | 'cost'> = NEW,
): PolicyState => ({
  method,
  pathPattern,
  scopes: scopes === undefined ? before.scopes : scopes?.length ? scopes : null,
  cost: cost === undefined ? before.cost : (cost ?? DEFAULT_COST),
});

export const stateColumns = {
  method: policies.method,
  pathPattern: policies.pathPattern,
  scopes: policies.scopes,
  cost: policies.cost,
};

export interface PolicyRef {
  projectId: string;
  policyId: string;
}

/** The label of a policy in the audit log; equal rules have equal labels. */
export const labelOf = ({ method, pathPattern }: PolicyRule) => `${method} ${pathPattern}`;

/** Selects a policy of a project. */
export const isPolicy = ({ projectId, policyId }: PolicyRef) =>
  and(eq(policies.id, policyId), eq(policies.projectId, projectId));
