/** What a live call is charged to, what the charge answers, and the decision that follows. */
import type {
  AllowDecision,
  Decision,
  DenyDecision,
  Limits,
  ResetAfterSeconds,
} from '@ceiba/contract';
import type { DenialReason, LimitDenial } from '@ceiba/contract/sets';
import type { LiveCall } from './decide.ts';
import type { CustomerFacts } from './facts.ts';
import type { Limit, Scope } from './limits.ts';

/** What one call is charged to: all of its scopes, or none. */
export interface ChargeRequest {
  projectId: string;
  apiKeyId: string;
  policyId: string;
  /** What it takes of each quota: whole, 0 to 1,000,000. It takes one call of each rate. */
  cost: number;
  scopes: readonly Scope[];
}

/** The result of the one atomic charge over all scopes. */
export type Charge =
  | { kind: 'allowed'; limits: Limits; resetAfterSeconds: ResetAfterSeconds }
  | {
      kind: 'denied';
      denialReason: LimitDenial;
      limits: Limits;
      retryAfterSeconds: number;
      /** The limit that refused. */
      exceeded: Limit;
    };

/**
 * Turns a live call and its charge into the decision. The only place that builds an allow.
 *
 * @param decisionId - A UUID of version 7.
 */
export function conclude(decisionId: string, call: LiveCall, charge: Charge): Decision {
  switch (charge.kind) {
    case 'allowed':
      return allowed(decisionId, call, charge.limits, charge.resetAfterSeconds);
    case 'denied':
      return {
        ...denied(decisionId, charge.denialReason),
        limits: charge.limits,
        retryAfterSeconds: charge.retryAfterSeconds,
        exceededLimit: charge.exceeded,
      };
  }
}

/** A denial that charged nothing. */
export function denied(decisionId: string, denialReason: DenialReason): DenyDecision {
  return { allowed: false, decisionId, denialReason };
}

function allowed(
  decisionId: string,
  { projectId, apiKey, customer, policy, plan }: LiveCall,
  limits: Limits,
  resetAfterSeconds: ResetAfterSeconds,
): AllowDecision {
  // Named, not spread: JSON takes a fifth longer for what gets properties after a spread (ADR 0021).
  const access = {
    projectId,
    apiKey: {
      apiKeyId: apiKey.apiKeyId,
      displayName: apiKey.displayName,
      keyPrefix: apiKey.keyPrefix,
      scopes: apiKey.scopes ? [...apiKey.scopes] : undefined,
    },
    customer: customer ? matchedCustomer(customer) : undefined,
    policy: {
      policyId: policy.policyId,
      method: policy.method,
      pathPattern: policy.pathPattern,
    },
    plan: { planId: plan.planId, name: plan.name },
  };
  return { allowed: true, decisionId, access, limits, resetAfterSeconds };
}

const matchedCustomer = ({ customerId, externalId, plan }: CustomerFacts) => ({
  customerId,
  externalId,
  plan: plan && { planId: plan.planId, name: plan.name },
});
