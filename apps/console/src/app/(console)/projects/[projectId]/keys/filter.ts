import { KEY_EXPIRES_SOON_DAYS, KEY_IDLE_DAYS } from '@ceiba/domain/facts';
import { type Query, textOf } from '#lib/list-query.ts';

/** The tabs of the list. An expired key has the status active. */
export const STATUS_TABS = [
  { status: 'active', name: 'Active' },
  { status: 'revoked', name: 'Revoked' },
  { status: 'archived', name: 'Archived' },
  { status: 'all', name: 'All' },
] as const;
export type StatusFilter = (typeof STATUS_TABS)[number]['status'];

/** Reasons to look at an active key; each is a filter. */
export const HINTS = [
  { hint: 'idle', words: `idle for ${KEY_IDLE_DAYS} days` },
  { hint: 'expired', words: 'expired, still using a slot' },
  { hint: 'expires_soon', words: `expiring within ${KEY_EXPIRES_SOON_DAYS} days` },
  { hint: 'never_expires', words: 'without an expiry' },
] as const;
export type HintFilter = (typeof HINTS)[number]['hint'];

/** The orders of the list. */
export const SORTS = ['created', 'name', 'expires', 'last_used', 'used'] as const;
export type SortFilter = (typeof SORTS)[number];

export interface KeyFilter {
  status: StatusFilter;
  hint: HintFilter | undefined;
  sort: SortFilter;
}

/** The filter of the URL; unknown values count as absent. */
export function readFilter(query: Query): KeyFilter {
  return {
    status: STATUS_TABS.find((tab) => tab.status === textOf(query, 'status'))?.status ?? 'active',
    hint: HINTS.find((row) => row.hint === textOf(query, 'hint'))?.hint,
    sort: SORTS.find((sort) => sort === textOf(query, 'sort')) ?? 'created',
  };
}
