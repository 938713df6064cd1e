import type { ExceededLimit, LoggedDecision } from '@ceiba/contract';
import { isLimitDenial } from '@ceiba/contract/sets';
import { LIMIT_OF_DENIAL, LIMITS } from '@ceiba/domain';
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
  if (limits === null || limitOwner === null || !isLimitDenial(outcome)) return null;
  const name = LIMIT_OF_DENIAL[outcome];
  return { owner: limitOwner, window: LIMITS[name].window, value: limits[name] };
}
