/** The order of the nine denials. All facts are loaded before; nothing is queried afterwards. */
import type {
  AllowDecision,
  Decision,
  DenyDecision,
  Limits,
  ResetAfterSeconds,
} from '@ceiba/contract';
import type { ApiKeyStatus, DenialReason, LimitDenial } from '@ceiba/contract/sets';
import {
  apiKeyScope,
  type KeyLimits,
  type Limit,
  type PlanCallLimits,
  projectScope,
  type Scope,
} from './limits.ts';
import type { Policy } from './policies.ts';

/** A downstream key as it was read. */
export interface ApiKeyFacts extends KeyLimits {
  apiKeyId: string;
  displayName: string;
  keyPrefix: string;
  status: ApiKeyStatus;
  /** Judged by the database's clock (rule database-time); at `expiresAt` itself it is true. */
  expired: boolean;
  /** Paused by a user until it is enabled. */
  disabled: boolean;
}

export interface PlanFacts extends PlanCallLimits {
  planId: string;
  name: string;
}

/** Everything that a decision needs except the counters. */
export interface Snapshot {
  projectId: string;
  defaultKeyRateLimitPerMinute: number | null;
  credential: CredentialState;
  /** Null where the project has no such key: unknown, malformed or another project's. */
  apiKey: ApiKeyFacts | null;
  policy: Policy | null;
  subscription: { admits: boolean; plan: PlanFacts } | null;
}

export type Verdict =
  | { kind: 'deny'; denialReason: DenialReason }
  | { kind: 'charge'; call: LiveCall };

/**
 * Judges a snapshot; the first check that fails gives the reason. The checks follow the order of
 * the contract's denial reasons (`DENIAL_REASONS`).
 */
export function decide(snapshot: Snapshot): Verdict {
  const { credential, apiKey, policy, subscription } = snapshot;

  if (credential === 'missing') return deny('missing_api_key'); // null, absent or blank
  if (apiKey === null) return deny('invalid_api_key'); // unknown to this project
  if (apiKey.status === 'revoked') return deny('revoked_api_key'); // no longer trusted
  if (apiKey.status === 'archived') return deny('archived_api_key'); // put away
  if (apiKey.expired) return deny('expired_api_key'); // its status stays active
  if (apiKey.disabled) return deny('expired_api_key'); // so does this one's (ADR 0028)
  if (policy === null) return deny('policy_no_match'); // default deny
  if (!subscription?.admits) return deny('inactive_subscription'); // lapsed, or none
  // The charge decides on the limits, atomically: quota_exceeded before rate_limited.

  const { status, expired, disabled } = apiKey;
  const live = { ...apiKey, status, expired, disabled };
  return { kind: 'charge', call: liveCall(snapshot, live, policy, subscription.plan) };
}

export type CredentialState = 'missing' | 'presented';

/** Whether a request carries a credential. Whitespace alone does not count. */
export function credentialState(apiKey: string | null | undefined): CredentialState {
  return apiKey != null && /\S/.test(apiKey) ? 'presented' : 'missing';
}

const LIVE = Symbol('live');

/** A key that may call. A new status does not compile here. */
type LiveApiKey = ApiKeyFacts & { status: 'active'; expired: false; disabled: false };

/**
 * A request that only its limits can still deny: a live key, a policy that matched and a
 * subscription that admits. Only {@link decide} can build one, and an allow needs one.
 */
export interface LiveCall {
  readonly [LIVE]: true;
  readonly projectId: string;
  readonly apiKey: LiveApiKey;
  readonly policy: Policy;
  readonly plan: PlanFacts;
  /** What the charge counts. */
  readonly scopes: readonly Scope[];
}

function liveCall(
  { projectId, defaultKeyRateLimitPerMinute }: Snapshot,
  apiKey: LiveApiKey,
  policy: Policy,
  plan: PlanFacts,
): LiveCall {
  const scopes = [
    projectScope(projectId, plan),
    apiKeyScope(apiKey.apiKeyId, apiKey, defaultKeyRateLimitPerMinute),
  ];
  return { [LIVE]: true, projectId, apiKey, policy, plan, scopes };
}

/** The result of the one atomic charge over all scopes. */
export type Charge =
  | { kind: 'allowed'; limits: Limits; resetAfterSeconds: ResetAfterSeconds }
  | {
      kind: 'denied';
      denialReason: LimitDenial;
      limits: Limits;
      retryAfterSeconds: number;
      /** The limit that refused; `limits` has its value. */
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
      };
  }
}

/** A denial that charged nothing. */
export function denied(decisionId: string, denialReason: DenialReason): DenyDecision {
  return { allowed: false, decisionId, denialReason };
}

function allowed(
  decisionId: string,
  { projectId, apiKey, policy, plan }: LiveCall,
  limits: Limits,
  resetAfterSeconds: ResetAfterSeconds,
): AllowDecision {
  const access = {
    projectId,
    apiKey: {
      apiKeyId: apiKey.apiKeyId,
      displayName: apiKey.displayName,
      keyPrefix: apiKey.keyPrefix,
    },
    policy: {
      policyId: policy.policyId,
      method: policy.method,
      pathPattern: policy.pathPattern,
    },
    plan: { planId: plan.planId, name: plan.name },
  };
  return { allowed: true, decisionId, access, limits, resetAfterSeconds };
}

function deny(denialReason: DenialReason): Verdict {
  return { kind: 'deny', denialReason };
}
