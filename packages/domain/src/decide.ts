/** The order of the nine denials. All facts are loaded before; nothing is queried afterwards. */
import type { DenialDetail, DenialReason } from '@ceiba/contract/sets';
import type { ApiKeyFacts, CustomerFacts, PlanFacts, PolicyFacts, Snapshot } from './facts.ts';
import { opensAll } from './labels.ts';
import { type Scope, scopesOf } from './limits.ts';
import { LAPSED_BY } from './subscription.ts';

export type Judgement =
  | { kind: 'deny'; denialReason: DenialReason; denialDetail: DenialDetail | null }
  | { kind: 'charge'; call: LiveCall };

/**
 * Judges a snapshot: the first check that fails gives the reason, in the order of `DENIAL_REASONS`.
 */
export function decide(snapshot: Snapshot): Judgement {
  const { credential, apiKey, customer, policy, otherPolicies, subscription } = snapshot;

  if (credential === 'missing') return deny('missing_api_key'); // null, absent or blank
  if (apiKey === null) return deny('invalid_api_key'); // unknown to this project
  if (apiKey.status === 'revoked') return deny('revoked_api_key'); // no longer trusted
  if (apiKey.status === 'archived') return deny('archived_api_key'); // put away
  if (apiKey.expired) return deny('expired_api_key', 'expired'); // its status stays active
  if (apiKey.disabled) return deny('expired_api_key', 'disabled'); // so does this one's (ADR 0028)
  if (policy === null) return deny('policy_no_match'); // default deny
  const meant = [policy, ...otherPolicies];
  if (!opensAll(apiKey.scopes, meant)) return deny('policy_no_match', 'scope'); // not for this key
  if (customer?.plan && !opensAll(customer.plan.scopes, meant))
    return deny('policy_no_match', 'plan_scope'); // not in what its customer has bought
  if (subscription === null) return deny('inactive_subscription', 'no_subscription');
  if (!subscription.admits) return deny('inactive_subscription', LAPSED_BY[subscription.status]);
  if (customer?.suspended) return deny('inactive_subscription', 'customer_suspended');
  if (customer?.plan?.admits === false)
    return deny('inactive_subscription', `customer_${LAPSED_BY[customer.plan.status]}`);
  // The charge decides on the limits, atomically: quota_exceeded before rate_limited.

  const { status, expired, disabled } = apiKey;
  const live = { ...apiKey, status, expired, disabled };
  const { plan } = subscription;
  const { projectId, defaultKeyRateLimitPerMinute } = snapshot;
  const limited = { projectId, plan, customer, apiKey: live, defaultKeyRateLimitPerMinute };
  const scopes = scopesOf(limited);
  const cost = Math.max(...meant.map((each) => each.cost));
  return {
    kind: 'charge',
    call: { [LIVE]: true, projectId, apiKey: live, customer, policy, cost, plan, scopes },
  };
}

const LIVE = Symbol('live');

/** A key that may call. A new status does not compile here. */
type LiveApiKey = ApiKeyFacts & { status: 'active'; expired: false; disabled: false };

/**
 * A request that only its limits can still deny: a live key, a policy that matched and opens to it, and
 * subscriptions that admit. Only {@link decide} can build one, and an allow needs one.
 */
export interface LiveCall {
  readonly [LIVE]: true;
  readonly projectId: string;
  readonly apiKey: LiveApiKey;
  readonly customer: CustomerFacts | null;
  readonly policy: PolicyFacts;
  /** Of the dearest policy. */
  readonly cost: number;
  readonly plan: PlanFacts;
  /** What the charge counts. */
  readonly scopes: readonly Scope[];
}

const deny = (denialReason: DenialReason, denialDetail: DenialDetail | null = null): Judgement => ({
  kind: 'deny',
  denialReason,
  denialDetail,
});
