import type { Limits } from '@ceiba/contract';
import type { DenialDetail, LimitOwner } from '@ceiba/contract/sets';
import type { Policy } from '@ceiba/domain';
import type { ApiKeyName, CustomerName, DecisionRecord } from '@ceiba/schema';
import {
  type ExplainedDecision,
  type GateId,
  type GateView,
  gatesUpTo,
  gateThatDenied,
  type Remedy,
} from '#components/simulation/simulation.ts';
import { formatCount, policyText } from '#lib/format.ts';
import { isProbe } from '#lib/probe.ts';
import { BY_OLD_SECRET, legible } from '#lib/text.ts';

/** What the gates say of a decision. */
type RecordedDecision = Pick<
  DecisionRecord,
  | 'method'
  | 'path'
  | 'outcome'
  | 'denialDetail'
  | 'apiKeyId'
  | 'keyPrefix'
  | 'byPreviousSecret'
  | 'policyId'
  | 'limits'
  | 'customerId'
  | 'limitOwner'
  | 'limitWindow'
  | 'limitValue'
>;

export interface RecordedFacts {
  projectId: string;
  decision: RecordedDecision;
  /** The key as it is named now; undefined if this project has none. */
  apiKey: ApiKeyName | undefined;
  /** The customer that the key had, as it is named now; undefined for none. */
  customer: CustomerName | undefined;
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
    gates: gatesUpTo(
      gateThatDenied({ ...facts.decision, denialReason }),
      (gate, stopped): GateView => {
        const saw = SAW[gate](facts, stopped);
        const remedy = stopped ? whereToLook(gate, facts) : null;
        return { ...(saw !== null && { saw }), ...(remedy !== null && { remedy }) };
      },
    ),
  };
}

/** The value that each gate saw; null if the record does not hold it. */
const SAW: Record<GateId, (facts: RecordedFacts, stopped: boolean) => string | null> = {
  missing_api_key: (_, stopped) => (stopped ? 'none' : null),
  invalid_api_key: ({ decision: { keyPrefix, byPreviousSecret }, apiKey }, stopped) => {
    if (!stopped) {
      const name = apiKey ? legible(apiKey.displayName) : 'a key that was deleted since';
      return `${name}${byPreviousSecret ? BY_OLD_SECRET : ''}`;
    }
    return keyPrefix === null ? 'not a well-formed key' : `${keyPrefix}…, no key of this project`;
  },
  revoked_api_key: (_, stopped) => (stopped ? 'revoked' : null),
  archived_api_key: (_, stopped) => (stopped ? 'archived' : null),
  expired_api_key: ({ decision }, stopped) =>
    stopped ? wordsOf(decision, 'expired or disabled') : null,
  policy_no_match: ({ decision: { policyId, path }, policy }, stopped) => {
    if (stopped) return isProbe(path) ? 'none: the path is a probe' : 'none';
    if (policy !== undefined) return policyText(policy);
    return policyId === null ? null : 'a policy that was deleted since';
  },
  scope: ({ decision }, stopped) => (stopped ? wordsOf(decision, 'not open to the key') : null),
  inactive_subscription: ({ decision }, stopped) =>
    stopped ? wordsOf(decision, 'not active') : null,
  customer: ({ decision, customer }, stopped) => {
    if (stopped) return wordsOf(decision, 'not active');
    if (decision.customerId === null) return 'the key had none';
    return customer ? legible(customer.name || customer.externalId) : decision.customerId;
  },
  quota_exceeded: ({ decision }, stopped) =>
    limitOf(decision, stopped && decision.limitWindow === 'day' ? dayOf : monthOf, stopped),
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

/** Where a change of the key explains the denial. */
const KEY_GATES: ReadonlySet<GateId> = new Set(['expired_api_key', 'scope']);

/** Where it is found who changed the state that denied; null for other gates. */
function whereToLook(
  gate: GateId,
  { projectId, decision: { apiKeyId, customerId, denialDetail } }: RecordedFacts,
): Remedy | null {
  const audit = `/projects/${projectId}/audit`;
  if (KEY_GATES.has(gate) && denialDetail !== 'plan_scope' && apiKeyId !== null) {
    return {
      text: 'The audit log has every change of this key.',
      href: `${audit}?q=${apiKeyId}`,
      label: 'Changes of this key',
    };
  }
  if (gate === 'scope') {
    return {
      text: 'The audit log has every change of the customers’ plans.',
      href: `${audit}?kind=customer_plan`,
      label: 'Changes of plans',
    };
  }
  if (gate === 'customer' && customerId !== null) {
    return {
      text: 'The audit log has every change of this customer.',
      href: `${audit}?q=${customerId}`,
      label: 'Changes of this customer',
    };
  }
  if (gate === 'inactive_subscription') {
    return {
      text: 'The audit log has every change of the subscription.',
      href: `${audit}?kind=subscription`,
      label: 'Changes of the subscription',
    };
  }
  return null;
}

/** What a counter says: its limit, and how much of it was used in words. */
type Counter = (limits: Limits) => { limit: number; used: string };

/** How much was used, and whose limit refused; with its number where the counter is that of another. */
function limitOf(
  { limits, limitOwner, limitWindow, limitValue }: RecordedDecision,
  counterOf: Counter,
  stopped: boolean,
): string | null {
  if (limits === null) return null;
  const { limit, used } = counterOf(limits);
  if (!stopped || limitOwner === null) return used;
  const isShown = limitValue === null || limitValue === limit;
  const other = isShown ? '' : `, ${formatCount(limitValue)} per ${limitWindow}`;
  return `${used}: ${OWNER[limitOwner]}${other}`;
}

const OWNER: Record<LimitOwner, string> = {
  plan: 'the limit of the plan',
  customer_plan: "the limit of the customer's plan",
  customer: 'the limit of the customer',
  api_key: 'the limit of this key',
  project_default: "the project's default for its keys",
};

const counted = (limit: number, left: number, words: string) => ({
  limit,
  used: `${formatCount(limit - left)} of ${formatCount(limit)} ${words}`,
});

const monthOf: Counter = ({ monthlyQuota, remainingThisMonth }) =>
  counted(monthlyQuota, remainingThisMonth, 'used');

const dayOf: Counter = ({ dailyQuota = 0, remainingToday = 0 }) =>
  counted(dailyQuota, remainingToday, 'used today');

const minuteOf: Counter = ({ rateLimitPerMinute, remainingThisMinute }) =>
  counted(rateLimitPerMinute, remainingThisMinute, 'per minute used');
