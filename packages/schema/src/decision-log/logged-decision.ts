import type { ExceededLimit, LoggedDecision } from '@ceiba/contract';
import type { DecisionRecord } from './list.ts';

/** A decision of the log as the Runtime's routes and `ceiba requests --json` return it. */
export function toLoggedDecision(record: DecisionRecord): LoggedDecision {
  const { decisionId, at, outcome, limitOwner, limitWindow, limitValue, ...published } = record;
  return {
    decisionId,
    at: at.toISOString(),
    ...published,
    byPreviousSecret: record.byPreviousSecret ?? false,
    allowed: outcome === 'allowed',
    denialReason: outcome === 'allowed' ? null : outcome,
    exceededLimit: exceededLimitOf({ limitOwner, limitWindow, limitValue }),
  };
}

/** The limit that refused a call; null where no limit did, or where it was not kept. */
function exceededLimitOf({
  limitOwner: owner,
  limitWindow: window,
  limitValue: value,
}: Pick<DecisionRecord, 'limitOwner' | 'limitWindow' | 'limitValue'>): ExceededLimit | null {
  return owner === null || window === null || value === null ? null : { owner, window, value };
}
