import type { LimitOwner } from '@ceiba/contract/sets';
import { type DecisionRecord, toLoggedDecision } from '@ceiba/schema';

/** A decision as a line for a terminal. */
export function lineOf(record: DecisionRecord): string {
  const { at, outcome, method, path, keyPrefix, decisionId } = record;
  const call = `${method} ${path ?? '(path not recorded)'}`;
  const fields = [
    at.toISOString(),
    outcome.padEnd(OUTCOME_WIDTH),
    decisionId,
    keyPrefix === null ? 'no key' : `${keyPrefix}…`,
    call,
    detailOf(record),
  ];
  return fields.filter((field) => field !== '').join('  ');
}

/** A decision as a line of JSON, with the fields of the Runtime's routes. */
export const jsonLineOf = (record: DecisionRecord): string =>
  JSON.stringify(toLoggedDecision(record)).replace(
    /\p{Cc}/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

const OUTCOME_WIDTH = 'inactive_subscription'.length;

const OWNER: Record<LimitOwner, string> = {
  plan: 'of the plan',
  customer_plan: "of the customer's plan",
  customer: 'of the customer',
  api_key: 'of the key',
  project_default: "of the project's default",
};

/** What the outcome alone does not say: which limit refused, or which state denied. */
function detailOf(record: DecisionRecord): string {
  if (record.denialDetail !== null) return `(${record.denialDetail})`;
  const { exceededLimit } = toLoggedDecision(record);
  if (exceededLimit === null) return '';
  const { owner, window, value } = exceededLimit;
  return `(${value} per ${window} ${OWNER[owner]})`;
}
