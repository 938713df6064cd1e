'use client';

import { Select } from '#components/ui/input.tsx';
import { useLiveQuery } from '#components/ui/use-live-query.ts';
import { type KeyOrder, sortText } from '../filter.ts';

const ORDERS = [
  ['created', 'Newest first'],
  ['-created', 'Oldest first'],
  ['name', 'Name, A to Z'],
  ['-name', 'Name, Z to A'],
  ['last_used', 'Last used first'],
  ['-last_used', 'Longest unused first'],
  ['used', 'Most used this month'],
  ['-used', 'Least used this month'],
  ['expires', 'Expires first'],
  ['-expires', 'Expires last'],
] as const;

/** The order of the list, for narrow screens that lack the columns to sort by. */
export function SortSelect({ order, className }: { order: KeyOrder; className?: string }) {
  const { values, change } = useLiveQuery({ sort: sortText(order) }, { sort: 'created' });
  return (
    <Select
      aria-label="Order of the keys"
      className={className}
      value={values.sort}
      onChange={(event) => change('sort', event.target.value)}
    >
      {ORDERS.map(([value, label]) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </Select>
  );
}
