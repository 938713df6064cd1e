import type { Limits } from '@ceiba/contract';
import {
  DENIAL_REASONS,
  type DenialReason,
  isLimitDenial,
  type LimitOwner,
} from '@ceiba/contract/sets';
import type { Policy } from '@ceiba/domain';
import type { ApiKeyName, DecisionRecord } from '@ceiba/schema';
import type { ExplainedDecision, SimulatedGate } from '#components/simulation/simulation.ts';
import { formatCount, policyText } from '#lib/format.ts';
import { legible } from '#lib/text.ts';

export interface RecordedFacts {
  decision: DecisionRecord;
  /** The key as it is named now; undefined if this project has none. */
  apiKey: ApiKeyName | undefined;
  /** The policy that matched; undefined if none did, or if it was deleted since. */
  policy: Pick<Policy, 'method' | 'pathPattern'> | undefined;
}

/** The gates as they were decided, from the record alone. */
export function explainRecord(facts: RecordedFacts): ExplainedDecision {
  const { outcome, method, path } = facts.decision;
  const stoppedAt = outcome === 'allowed' ? DENIAL_REASONS.length : DENIAL_REASONS.indexOf(outcome);
  return {
    denialReason: outcome === 'allowed' ? null : outcome,
    apiKey: facts.apiKey ?? null,
    method,
    path,
    gates: DENIAL_REASONS.map((denies, index): SimulatedGate => {
      if (index > stoppedAt) return { denies, verdict: 'not_reached' };
      const stopped = index === stoppedAt;
      const saw = SAW[denies](facts, stopped);
      return { denies, verdict: verdictOf(denies, stopped), ...(saw !== null && { saw }) };
    }),
  };
}

const verdictOf = (denies: DenialReason, stopped: boolean) => {
  if (!stopped) return 'passed';
  return isLimitDenial(denies) ? 'limited' : 'denied';
};

/** The value that each gate saw; null if the record does not hold it. */
const SAW: Record<DenialReason, (facts: RecordedFacts, stopped: boolean) => string | null> = {
  missing_api_key: (_, stopped) => (stopped ? 'none' : null),
  invalid_api_key: ({ decision: { keyPrefix }, apiKey }, stopped) => {
    if (!stopped) return apiKey ? legible(apiKey.displayName) : 'a key that was deleted since';
    return keyPrefix === null ? 'not a well-formed key' : `${keyPrefix}…, no key of this project`;
  },
  revoked_api_key: (_, stopped) => (stopped ? 'revoked' : null),
  archived_api_key: (_, stopped) => (stopped ? 'archived' : null),
  expired_api_key: (_, stopped) => (stopped ? 'expired or disabled' : null),
  policy_no_match: ({ decision: { policyId }, policy }, stopped) => {
    if (stopped) return 'none';
    if (policy !== undefined) return policyText(policy);
    return policyId === null ? null : 'a policy that was deleted since';
  },
  inactive_subscription: (_, stopped) => (stopped ? 'not active' : null),
  quota_exceeded: ({ decision }, stopped) => limitOf(decision, monthOf, stopped),
  rate_limited: ({ decision }, stopped) => limitOf(decision, minuteOf, stopped),
};

/** How much was used, and whose limit refused. */
function limitOf(
  { limits, limitOwner }: DecisionRecord,
  used: (limits: Limits) => string,
  stopped: boolean,
): string | null {
  if (limits === null) return null;
  return stopped && limitOwner !== null ? `${used(limits)}: ${OWNER[limitOwner]}` : used(limits);
}

const OWNER: Record<LimitOwner, string> = {
  plan: 'the limit of the plan',
  api_key: 'the limit of this key',
  project_default: "the project's default for its keys",
};

const monthOf = ({ monthlyQuota, remainingThisMonth }: Limits) =>
  `${formatCount(monthlyQuota - remainingThisMonth)} of ${formatCount(monthlyQuota)} used`;

const minuteOf = ({ rateLimitPerMinute, remainingThisMinute }: Limits) =>
  `${formatCount(rateLimitPerMinute - remainingThisMinute)} of ${formatCount(rateLimitPerMinute)} per minute used`;
