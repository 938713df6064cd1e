import { type KeyLimits, limitsIn } from '@ceiba/domain/limits';
import type { ApiKeyRow } from '@ceiba/schema';

/** The status of a key, or what denies its calls although the status is active. */
export type KeyState = ApiKeyRow['status'] | 'disabled' | 'expired';

export function stateOf({
  status,
  disabledAt,
  isExpired,
}: Pick<ApiKeyRow, 'status' | 'disabledAt' | 'isExpired'>): KeyState {
  if (status !== 'active') return status;
  if (disabledAt !== null) return 'disabled';
  return isExpired ? 'expired' : 'active';
}

/** What the dialogs and the menu of a key need. */
export interface KeyTarget extends KeyLimits {
  apiKeyId: string;
  displayName: string;
  keyPrefix: string;
  note: string;
  /** A revoked or archived key can only be renamed. */
  isActive: boolean;
  isDisabled: boolean;
  /** ISO 8601; null if it never expires. */
  expiresAt: string | null;
}

export const targetOf = (row: ApiKeyRow): KeyTarget => ({
  apiKeyId: row.apiKeyId,
  displayName: row.displayName,
  keyPrefix: row.keyPrefix,
  note: row.note,
  isActive: row.status === 'active',
  isDisabled: row.disabledAt !== null,
  expiresAt: row.expiresAt,
  ...limitsIn(row),
});

/** A key of the list that can be selected. */
export type SelectableKey = Pick<KeyTarget, 'apiKeyId' | 'displayName'>;

/** What can be done to several keys at once. */
export type BulkStep = 'set_expiry' | 'archive' | 'revoke';
