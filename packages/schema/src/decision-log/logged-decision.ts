import type { ExceededLimit, LoggedDecision } from '@ceiba/contract';
import type { DecisionRecord } from './list.ts';

/** A decision of the log as the Runtime's routes and `ceiba requests --json` return it. */
export function toLoggedDecision(record: DecisionRecord): LoggedDecision {
  const { decisionId, at, outcome, limitOwner: _, ...published } = record;
  return {
    decisionId,
    at: at.toISOString(),
    ...published,
    allowed: outcome === 'allowed',
    denialReason: outcome === 'allowed' ? null : outcome,
    exceededLimit: exceededLimitOf(record),
  };
}

/** The limit that refused a call; null where no limit did, or where it was not kept. */
function exceededLimitOf({ outcome, limits, limitOwner }: DecisionRecord): ExceededLimit | null {
  if (limits === null || limitOwner === null) return null;
  switch (outcome) {
    case 'quota_exceeded':
      return { owner: limitOwner, window: 'month', value: limits.monthlyQuota };
    case 'rate_limited':
      return { owner: limitOwner, window: 'minute', value: limits.rateLimitPerMinute };
    default:
      return null;
  }
}
