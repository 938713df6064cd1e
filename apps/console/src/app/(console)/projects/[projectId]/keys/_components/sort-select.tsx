'use client';

import type { ApiKeyRow } from '@ceiba/schema';
import { Select } from '#components/ui/input.tsx';
import { useLiveQuery } from '#components/ui/use-live-query.ts';
import { type KeyOrder, type SortFilter, sortsOf, sortText } from '../filter.ts';

/** Each order and its reverse. */
const labelsOf = (usual: ApiKeyRow['status']): Record<SortFilter, [string, string]> => ({
  created: ['Newest first', 'Oldest first'],
  name: ['Name, A to Z', 'Name, Z to A'],
  expires: ['Expires first', 'Expires last'],
  ended: [`Last ${usual}`, `First ${usual}`],
  last_used: ['Last used first', 'Longest unused first'],
  used: ['Most used this month', 'Least used this month'],
});

interface SortSelectProps {
  order: KeyOrder;
  /** The status of nearly all keys of the list. */
  usual: ApiKeyRow['status'];
  className?: string;
}

/** The order of the list, for narrow screens that lack the columns to sort by. */
export function SortSelect({ order, usual, className }: SortSelectProps) {
  const { values, change } = useLiveQuery({ sort: sortText(order) }, { sort: 'created' });
  const labels = labelsOf(usual);
  return (
    <Select
      aria-label="Order of the keys"
      className={className}
      value={values.sort}
      onChange={(event) => change('sort', event.target.value)}
    >
      {sortsOf(usual).flatMap((sort) =>
        labels[sort].map((label, index) => {
          const value = index === 0 ? sort : `-${sort}`;
          return (
            <option key={value} value={value}>
              {label}
            </option>
          );
        }),
      )}
    </Select>
  );
}
