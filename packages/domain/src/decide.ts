/** The order of the nine denials. All facts are loaded before; nothing is queried afterwards. */
import type { ApiKeyStatus, DenialReason } from '@ceiba/contract/sets';
import type { CredentialState } from './credentials.ts';
import {
  apiKeyScope,
  type KeyLimits,
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

export type Judgement =
  | { kind: 'deny'; denialReason: DenialReason }
  | { kind: 'charge'; call: LiveCall };

/**
 * Judges a snapshot; the first check that fails gives the reason. The checks follow the order of
 * the contract's denial reasons (`DENIAL_REASONS`).
 */
export function decide(snapshot: Snapshot): Judgement {
  const { projectId, credential, apiKey, policy, subscription } = snapshot;

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
  const { plan } = subscription;
  const scopes = [
    projectScope(projectId, plan),
    apiKeyScope(live.apiKeyId, live, snapshot.defaultKeyRateLimitPerMinute),
  ];
  return { kind: 'charge', call: { [LIVE]: true, projectId, apiKey: live, policy, plan, scopes } };
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

const deny = (denialReason: DenialReason): Judgement => ({ kind: 'deny', denialReason });
