import type { Limits } from '@ceiba/contract';
import type { DenialDetail, DenialReason, LimitOwner } from '@ceiba/contract/sets';
import type { Policy } from '@ceiba/domain';
import type { ApiKeyName, DecisionRecord } from '@ceiba/schema';
import {
  type ExplainedDecision,
  type GateView,
  gatesUpTo,
  type SimulatedGate,
} from '#components/simulation/simulation.ts';
import { formatCount, policyText } from '#lib/format.ts';
import { legible } from '#lib/text.ts';

/** What the gates say of a decision. */
type RecordedDecision = Pick<
  DecisionRecord,
  | 'method'
  | 'path'
  | 'outcome'
  | 'denialDetail'
  | 'apiKeyId'
  | 'keyPrefix'
  | 'policyId'
  | 'limits'
  | 'limitOwner'
>;

export interface RecordedFacts {
  projectId: string;
  decision: RecordedDecision;
  /** The key as it is named now; undefined if this project has none. */
  apiKey: ApiKeyName | undefined;
  /** The policy that matched; undefined if none did, or if it was deleted since. */
  policy: Pick<Policy, 'method' | 'pathPattern'> | undefined;
}

/** The gates as they were decided, from the record alone. */
export function explainRecord(facts: RecordedFacts): ExplainedDecision {
  const { outcome, method, path } = facts.decision;
  const denialReason = outcome === 'allowed' ? null : outcome;
  return {
    denialReason,
    apiKey: facts.apiKey ?? null,
    method,
    path,
    gates: gatesUpTo(denialReason, (denies, stopped): GateView => {
      const saw = SAW[denies](facts, stopped);
      const remedy = stopped ? whereToLook(denies, facts) : null;
      return { ...(saw !== null && { saw }), ...(remedy !== null && { remedy }) };
    }),
  };
}

/** The value that each gate saw; null if the record does not hold it. */
const SAW: Record<DenialReason, (facts: RecordedFacts, stopped: boolean) => string | null> = {
  missing_api_key: (_, stopped) => (stopped ? 'none' : null),
  invalid_api_key: ({ decision: { keyPrefix }, apiKey }, stopped) => {
    if (!stopped) return apiKey ? legible(apiKey.displayName) : 'a key that was deleted since';
    return keyPrefix === null ? 'not a well-formed key' : `${keyPrefix}…, no key of this project`;
  },
  revoked_api_key: (_, stopped) => (stopped ? 'revoked' : null),
  archived_api_key: (_, stopped) => (stopped ? 'archived' : null),
  expired_api_key: ({ decision }, stopped) =>
    stopped ? wordsOf(decision, 'expired or disabled') : null,
  policy_no_match: ({ decision: { policyId }, policy }, stopped) => {
    if (stopped) return 'none';
    if (policy !== undefined) return policyText(policy);
    return policyId === null ? null : 'a policy that was deleted since';
  },
  inactive_subscription: ({ decision }, stopped) =>
    stopped ? wordsOf(decision, 'not active') : null,
  quota_exceeded: ({ decision }, stopped) => limitOf(decision, monthOf, stopped),
  rate_limited: ({ decision }, stopped) => limitOf(decision, minuteOf, stopped),
};

/** The state that denied; older records do not hold it. */
const wordsOf = ({ denialDetail }: RecordedDecision, unknown: string) =>
  denialDetail === null ? unknown : DETAIL[denialDetail];

const DETAIL: Record<DenialDetail, string> = {
  expired: 'expired',
  disabled: 'disabled',
  scope: 'the key lacks its labels',
  plan_scope: "the customer's plan lacks its labels",
  past_due: 'past due',
  canceled: 'canceled',
  period_ended: 'its period had ended',
  no_subscription: 'none',
  customer_suspended: 'the customer was suspended',
  customer_past_due: "the customer's plan: past due",
  customer_canceled: "the customer's plan: canceled",
  customer_period_ended: "the customer's plan: its period had ended",
};

/** Where it is found who changed the state that denied; null for other gates. */
function whereToLook(
  denies: DenialReason,
  { projectId, decision: { apiKeyId } }: RecordedFacts,
): Required<SimulatedGate>['remedy'] | null {
  const audit = `/projects/${projectId}/audit`;
  if (denies === 'expired_api_key' && apiKeyId !== null) {
    return {
      text: 'The audit log has every change of this key.',
      href: `${audit}?q=${apiKeyId}`,
      label: 'Changes of this key',
    };
  }
  if (denies === 'inactive_subscription') {
    return {
      text: 'The audit log has every change of the subscription.',
      href: `${audit}?kind=subscription`,
      label: 'Changes of the subscription',
    };
  }
  return null;
}

/** How much was used, and whose limit refused. */
function limitOf(
  { limits, limitOwner }: RecordedDecision,
  used: (limits: Limits) => string,
  stopped: boolean,
): string | null {
  if (limits === null) return null;
  return stopped && limitOwner !== null ? `${used(limits)}: ${OWNER[limitOwner]}` : used(limits);
}

const OWNER: Record<LimitOwner, string> = {
  plan: 'the limit of the plan',
  customer_plan: "the limit of the customer's plan",
  customer: 'the limit of the customer',
  api_key: 'the limit of this key',
  project_default: "the project's default for its keys",
};

const monthOf = ({ monthlyQuota, remainingThisMonth }: Limits) =>
  `${formatCount(monthlyQuota - remainingThisMonth)} of ${formatCount(monthlyQuota)} used`;

const minuteOf = ({ rateLimitPerMinute, remainingThisMinute }: Limits) =>
  `${formatCount(rateLimitPerMinute - remainingThisMinute)} of ${formatCount(rateLimitPerMinute)} per minute used`;
