import type { LoggedDecision } from '@ceiba/contract';
import type { LimitOwner } from '@ceiba/contract/sets';

/** A decision as a line for a terminal. */
export function lineOf(decision: LoggedDecision): string {
  const { at, denialReason, method, path, keyPrefix, decisionId } = decision;
  const call = `${method} ${path ?? '(path not recorded)'}`;
  const fields = [
    at,
    (denialReason ?? 'allowed').padEnd(OUTCOME_WIDTH),
    decisionId,
    keyPrefix === null ? 'no key' : `${keyPrefix}…`,
    call,
    detailOf(decision),
  ];
  return fields.filter((field) => field !== '').join('  ');
}

const OUTCOME_WIDTH = 'inactive_subscription'.length;

const OWNER: Record<LimitOwner, string> = {
  plan: 'of the plan',
  customer_plan: "of the customer's plan",
  customer: 'of the customer',
  api_key: 'of the key',
  project_default: "of the project's default",
};

/** What the outcome alone does not say: which limit refused, or which state denied. */
function detailOf({ denialDetail, exceededLimit }: LoggedDecision): string {
  if (denialDetail !== null) return `(${denialDetail})`;
  if (exceededLimit === null) return '';
  const { owner, window, value } = exceededLimit;
  return `(${value} per ${window} ${OWNER[owner]})`;
}
