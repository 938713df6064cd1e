/** The life of a downstream key. Source: the contract, "States and transitions". */
import { API_KEY_STATUSES, type ApiKeyStatus } from '@ceiba/contract/sets';

/** `updated` writes, `unchanged` answers 200 and writes nothing, `conflict` is 409. */
export type TransitionOutcome = 'updated' | 'unchanged' | 'conflict';

/**
 * The effect of each trigger per status; guards in SQL are derived from this table. The contract has
 * the first three.
 */
export const TRANSITIONS = {
  revoke: { active: 'updated', revoked: 'unchanged', archived: 'conflict' },
  archive: { active: 'updated', revoked: 'conflict', archived: 'unchanged' },
  set_expiry: { active: 'updated', revoked: 'conflict', archived: 'conflict' },
  set_disabled: { active: 'updated', revoked: 'conflict', archived: 'conflict' },
  set_limits: { active: 'updated', revoked: 'conflict', archived: 'conflict' },
  update: { active: 'updated', revoked: 'conflict', archived: 'conflict' },
  rotate: { active: 'updated', revoked: 'conflict', archived: 'conflict' },
  end_previous_secret: { active: 'updated', revoked: 'conflict', archived: 'conflict' },
} as const satisfies Record<string, Record<ApiKeyStatus, TransitionOutcome>>;

export type ApiKeyTrigger = keyof typeof TRANSITIONS;

/** The status of a key after a trigger has updated it. */
export const TARGET_STATUS = {
  revoke: 'revoked',
  archive: 'archived',
  set_expiry: 'active',
  set_disabled: 'active',
  set_limits: 'active',
  update: 'active',
  rotate: 'active',
  end_previous_secret: 'active',
} as const satisfies Record<ApiKeyTrigger, ApiKeyStatus>;

const COUNTS_AGAINST_CAP = {
  active: true,
  revoked: false,
  archived: false,
} as const satisfies Record<ApiKeyStatus, boolean>;

/**
 * The statuses from which a trigger has the given outcome.
 *
 * @example statusesThat('revoke', 'updated') // ['active'], the guard of the UPDATE
 */
export function statusesThat(trigger: ApiKeyTrigger, outcome: TransitionOutcome): ApiKeyStatus[] {
  return API_KEY_STATUSES.filter((status) => TRANSITIONS[trigger][status] === outcome);
}

/** The statuses that count against the plan's active-key cap, expired or not. */
export function statusesThatCount(): ApiKeyStatus[] {
  return API_KEY_STATUSES.filter((status) => COUNTS_AGAINST_CAP[status]);
}
