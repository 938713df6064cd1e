import type { Labels } from '@ceiba/domain/labels';
import { type KeyLimits, limitsIn } from '@ceiba/domain/limits';
import type { ApiKeyRow, ApiKeysChange } from '@ceiba/schema';
import type { UsedUpQuota } from '#components/usage/used-up.ts';
import type { LabelSet } from '#lib/labels.ts';

/** The status of a key, or what denies its calls although the status is active. */
export type KeyState =
  | ApiKeyRow['status']
  | 'disabled'
  | 'expired'
  | NonNullable<ApiKeyRow['customerDenial']>;

export function stateOf({
  status,
  disabledAt,
  isExpired,
  customerDenial,
}: Pick<ApiKeyRow, 'status' | 'disabledAt' | 'isExpired' | 'customerDenial'>): KeyState {
  if (status !== 'active') return status;
  if (disabledAt !== null) return 'disabled';
  return isExpired ? 'expired' : (customerDenial ?? 'active');
}

/** As text: `customer past due`. */
export const stateText = (state: KeyState) => state.replaceAll('_', ' ');

/** When it was revoked or archived, as ISO 8601; null while it is active. */
export const endedAt = ({ revokedAt, archivedAt }: Pick<ApiKeyRow, 'revokedAt' | 'archivedAt'>) =>
  revokedAt ?? archivedAt;

/** The quota of its own that denies the calls of a key: the one that ends last; null if none does. */
export function usedUpQuotaOf({
  status,
  usedThisMonth,
  monthlyQuota,
  usedToday,
  dailyQuota,
}: Pick<
  ApiKeyRow,
  'status' | 'usedThisMonth' | 'monthlyQuota' | 'usedToday' | 'dailyQuota'
>): UsedUpQuota | null {
  if (status !== 'active') return null;
  if (monthlyQuota !== null && usedThisMonth >= monthlyQuota) {
    return { window: 'month', quota: monthlyQuota };
  }
  if (dailyQuota !== null && usedToday >= dailyQuota) return { window: 'day', quota: dailyQuota };
  return null;
}

/** What the dialogs and the menu of a key need. */
export interface KeyTarget
  extends KeyLimits,
    Pick<ApiKeyRow, 'apiKeyId' | 'displayName' | 'keyPrefix' | 'note' | 'isExpired' | 'expiresAt'> {
  /** A revoked or archived key can only be renamed. */
  isActive: boolean;
  isDisabled: boolean;
  /** The labels of the policies that it may call; null for all. */
  scopes: Labels;
  metadata: Record<string, unknown>;
  /** The secret before its last rotation, while it is valid too. */
  previous: NonNullable<ApiKeyRow['previous']> | null;
  customer: { customerId: string; externalId: string } | null;
}

export const targetOf = (row: ApiKeyRow): KeyTarget => ({
  apiKeyId: row.apiKeyId,
  displayName: row.displayName,
  keyPrefix: row.keyPrefix,
  note: row.note,
  isActive: row.status === 'active',
  isDisabled: row.disabledAt !== null,
  isExpired: row.isExpired,
  expiresAt: row.expiresAt,
  scopes: row.scopes ?? null,
  metadata: row.metadata ?? {},
  previous: row.previous ?? null,
  customer: row.customer ?? null,
  ...limitsIn(row),
});

/** A key that still works can have a new secret. */
export const mayReplace = ({ isActive, isExpired }: KeyTarget) => isActive && !isExpired;

/** What the dialogs of all keys share. */
export interface KeyDialogFacts {
  projectId: string;
  /** The project's rate for keys without one of their own; null if only the plan limits them. */
  defaultRate: number | null;
  /** The labels of the project's policies. */
  sets: readonly LabelSet[];
  /** Those of the plan of the key's customer, where that is known; null for all. */
  planScopes?: Labels;
}

/** A key of the list that can be selected. */
export type SelectableKey = Pick<KeyTarget, 'apiKeyId' | 'displayName' | 'isDisabled'>;

/** A revoked or archived key cannot be changed. */
export const selectable = ({ apiKeyId, displayName, status, disabledAt }: ApiKeyRow) =>
  status === 'active' ? [{ apiKeyId, displayName, isDisabled: disabledAt !== null }] : [];

/** What can be done to several keys at once. */
export type BulkStep = ApiKeysChange['kind'];
