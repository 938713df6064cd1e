import { UUID } from '@ceiba/contract/sets';
import { KEY_EXPIRES_SOON_DAYS, KEY_IDLE_DAYS } from '@ceiba/domain/constants';
import type { ApiKeyFilter, ApiKeyRow } from '@ceiba/schema';
import { parseListQuery, type Query, textOf, withQuery } from '#lib/list-query.ts';

/** The tabs of the list. An expired key has the status active. */
export const STATUS_TABS = [
  { status: 'active', name: 'Active' },
  { status: 'revoked', name: 'Revoked' },
  { status: 'archived', name: 'Archived' },
  { status: 'all', name: 'All' },
] as const;
export type StatusFilter = (typeof STATUS_TABS)[number]['status'];

/** Reasons to look at an active key, the urgent one first; each is a filter. */
export const HINTS = [
  { hint: 'expires_soon', words: `expiring within ${KEY_EXPIRES_SOON_DAYS} days` },
  { hint: 'idle', words: `idle for ${KEY_IDLE_DAYS} days` },
  { hint: 'disabled', words: 'disabled, still using a slot' },
  { hint: 'expired', words: 'expired, still using a slot' },
  { hint: 'imported', words: 'imported' },
  { hint: 'never_expires', words: 'without an expiry' },
] as const;
export type HintFilter = (typeof HINTS)[number]['hint'];

/** Its calls are denied soon, unless its expiry is changed. */
export const URGENT_HINT = 'expires_soon' satisfies HintFilter;

/** The orders of the list. */
export const SORTS = ['created', 'name', 'expires', 'ended', 'last_used', 'used'] as const;
export type SortFilter = (typeof SORTS)[number];

/** The direction of each order, unless it is reversed. */
export const DESCENDING = {
  created: true,
  name: false,
  expires: false,
  ended: true,
  last_used: true,
  used: true,
} as const satisfies Record<SortFilter, boolean>;

export interface KeyOrder {
  sort: SortFilter;
  descending: boolean;
}

export interface KeyFilter extends KeyOrder {
  status: StatusFilter;
  hint: HintFilter | undefined;
}

/** The filter of the URL; unknown values count as absent. */
export function readFilter(query: Query): KeyFilter {
  const status =
    STATUS_TABS.find((tab) => tab.status === textOf(query, 'status'))?.status ?? 'active';
  const hint = HINTS.find((row) => row.hint === textOf(query, 'hint'))?.hint;
  const [, reversed, name] = /^(-?)(\w+)$/.exec(textOf(query, 'sort')) ?? [];
  const sort = sortsOf(usualOf({ status, hint })).find((one) => one === name) ?? 'created';
  return {
    status,
    hint,
    sort,
    descending: DESCENDING[sort] !== (reversed === '-'),
  };
}

/** The status of nearly all keys of a list. */
export const usualOf = ({
  status,
  hint,
}: Pick<KeyFilter, 'status' | 'hint'>): ApiKeyRow['status'] =>
  status === 'all' || hint !== undefined ? 'active' : status;

/** The orders of a list. Keys that ended are ordered by that time, where others are by their expiry. */
export const sortsOf = (usual: ApiKeyRow['status']): readonly SortFilter[] =>
  SORTS.filter((sort) => sort !== (usual === 'active' ? 'ended' : 'expires'));

/** The customer whose keys the URL asks for; undefined for those of all. */
export function customerOf(query: Query): string | undefined {
  const customerId = textOf(query, 'customer').toLowerCase();
  return UUID.test(customerId) ? customerId : undefined;
}

/** Which keys the URL asks for, as the verbs take it. */
export function filterOf(query: Query): ApiKeyFilter {
  const { status, hint } = readFilter(query);
  const states = hint === undefined ? status !== 'all' && { status } : { hint };
  const customerId = customerOf(query);
  return {
    text: parseListQuery(query).q,
    ...(customerId !== undefined && { customerId }),
    ...states,
  };
}

/** The same with its order, for `searchApiKeys`. */
export function searchOf(query: Query) {
  const { sort, descending } = readFilter(query);
  return { ...filterOf(query), sort, descending };
}

/** The parameters of the URL that say which keys a list has, and none that say where it is or how it looks. */
export const filterText = (query: Query): string =>
  withQuery('', query, { cursor: undefined, sort: undefined, size: undefined }).slice(1);

/** An order as the URL has it: `name`, or `-name` reversed. */
export const sortText = ({ sort, descending }: KeyOrder): string =>
  `${descending === DESCENDING[sort] ? '' : '-'}${sort}`;
