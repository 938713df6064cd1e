/** The life of a downstream key. Source: the contract, "States and transitions". */
import { API_KEY_STATUSES, type ApiKeyStatus } from '@ceiba/contract/sets';

/** `updated` writes, `unchanged` answers 200 and writes nothing, `conflict` is 409. */
export type TransitionOutcome = 'updated' | 'unchanged' | 'conflict';

const OF_ACTIVE_KEYS = { active: 'updated', revoked: 'conflict', archived: 'conflict' } as const;

/**
 * The effect of each trigger per status; guards in SQL are derived from this table. The contract has
 * the first three.
 */
export const TRANSITIONS = {
  revoke: { active: 'updated', revoked: 'unchanged', archived: 'conflict' },
  archive: { active: 'updated', revoked: 'conflict', archived: 'unchanged' },
  set_expiry: OF_ACTIVE_KEYS,
  set_disabled: OF_ACTIVE_KEYS,
  update: OF_ACTIVE_KEYS,
  rotate: OF_ACTIVE_KEYS,
  end_previous_secret: OF_ACTIVE_KEYS,
} as const satisfies Record<string, Record<ApiKeyStatus, TransitionOutcome>>;

export type ApiKeyTrigger = keyof typeof TRANSITIONS;

/** The status of a key after a trigger has updated it; the others leave it active. */
const STATUS_AFTER: Partial<Record<ApiKeyTrigger, ApiKeyStatus>> = {
  revoke: 'revoked',
  archive: 'archived',
};
export const statusAfter = (trigger: ApiKeyTrigger) => STATUS_AFTER[trigger] ?? 'active';

const COUNTS_AGAINST_CAP = {
  active: true,
  revoked: false,
  archived: false,
} as const satisfies Record<ApiKeyStatus, boolean>;

/**
 * The statuses from which a trigger has the given outcome.
 *
 * @example statusesThat('revoke', 'updated') // ['active']
 */
export function statusesThat(trigger: ApiKeyTrigger, outcome: TransitionOutcome): ApiKeyStatus[] {
  return API_KEY_STATUSES.filter((status) => TRANSITIONS[trigger][status] === outcome);
}

/** The statuses that count against the plan's active-key cap, expired or not. */
export function statusesThatCount(): ApiKeyStatus[] {
  return API_KEY_STATUSES.filter((status) => COUNTS_AGAINST_CAP[status]);
}
