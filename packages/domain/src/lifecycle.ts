/** The life of a downstream key. Source: the contract, "States and transitions". */
import { API_KEY_STATUSES, type ApiKeyStatus } from '@ceiba/contract/sets';

/** Those of the contract, then those of users alone. */
export const API_KEY_TRIGGERS = [
  'revoke',
  'archive',
  'set_expiry',
  'set_disabled',
  'set_limits',
] as const;
export type ApiKeyTrigger = (typeof API_KEY_TRIGGERS)[number];

/** `updated` writes, `unchanged` answers 200 and writes nothing, `conflict` is 409. */
export type TransitionOutcome = 'updated' | 'unchanged' | 'conflict';

/** The effect of each trigger per status; guards in SQL are derived from this table. */
export const TRANSITIONS = {
  revoke: { active: 'updated', revoked: 'unchanged', archived: 'conflict' },
  archive: { active: 'updated', revoked: 'conflict', archived: 'unchanged' },
  set_expiry: { active: 'updated', revoked: 'conflict', archived: 'conflict' },
  set_disabled: { active: 'updated', revoked: 'conflict', archived: 'conflict' },
  set_limits: { active: 'updated', revoked: 'conflict', archived: 'conflict' },
} as const satisfies Record<ApiKeyTrigger, Record<ApiKeyStatus, TransitionOutcome>>;

/** The status of a key after a trigger has updated it. */
export const TARGET_STATUS = {
  revoke: 'revoked',
  archive: 'archived',
  set_expiry: 'active',
  set_disabled: 'active',
  set_limits: 'active',
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

/** Whether a key with this status counts against the plan's active-key cap, expired or not. */
export function countsAgainstCap(status: ApiKeyStatus): boolean {
  return COUNTS_AGAINST_CAP[status];
}

/** The statuses that count against the cap, for a count in SQL. */
export function statusesThatCount(): ApiKeyStatus[] {
  return API_KEY_STATUSES.filter(countsAgainstCap);
}
