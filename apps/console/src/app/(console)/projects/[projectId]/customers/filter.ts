import type { CustomerFilter } from '@ceiba/schema';
import { parseListQuery, type Query, textOf } from '#lib/list-query.ts';

/** The tabs of the list. */
export const STATUS_TABS = [
  { status: 'all', name: 'All' },
  { status: 'active', name: 'Active' },
  { status: 'suspended', name: 'Suspended' },
] as const;
export type StatusFilter = (typeof STATUS_TABS)[number]['status'];

/** The tab of the URL; all for an unknown one. */
export const statusOf = (query: Query): StatusFilter =>
  STATUS_TABS.find(({ status }) => status === textOf(query, 'status'))?.status ?? 'all';

/** The customers that the URL asks for, for `listCustomers`. */
export function filterOf(query: Query): CustomerFilter {
  const status = statusOf(query);
  return { search: parseListQuery(query).q, ...(status !== 'all' && { status }) };
}
