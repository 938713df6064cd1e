'use client';

import { API_KEYS_CHANGED_MAX } from '@ceiba/domain/constants';
import { type MouseEvent, useState, useTransition } from 'react';
import { Button } from '#components/ui/button.tsx';
import { useToast } from '#components/ui/toast.tsx';
import { ask } from '#lib/action-state.ts';
import { formatCount } from '#lib/format.ts';
import { findChangeableKeys } from '../actions.ts';
import type { SelectableKey } from '../key-state.ts';

export interface SelectMatchingProps {
  projectId: string;
  filter: string;
  /** How many are selected now. */
  selected: number;
  /** How many keys the list has that can be selected; null if that is not known. */
  total: number | null;
  onFound: (keys: readonly SelectableKey[]) => void;
}

/** Selects the keys of all pages of the list, as many as one change may have. */
export function SelectMatching(props: SelectMatchingProps) {
  const { projectId, filter, selected, total, onFound } = props;
  const toast = useToast();
  const [pending, start] = useTransition();
  const [found, setFound] = useState<number>();
  function find({ currentTarget }: MouseEvent) {
    const bar = currentTarget.closest('section');
    start(async () => {
      const state = await ask(findChangeableKeys, { projectId, filter });
      if (state.kind === 'done') {
        setFound(state.data.length);
        onFound(state.data);
        // The button goes.
        bar?.focus();
      } else if (state.kind === 'refused') {
        toast({
          title: 'Nothing was selected',
          ...(state.message && { description: state.message }),
        });
      }
    });
  }
  if (selected === found) return null;
  return (
    <Button size="sm" variant="quiet" disabled={pending} onClick={find}>
      {labelOf(total)}
    </Button>
  );
}

function labelOf(total: number | null): string {
  if (total === null) return `Select up to ${formatCount(API_KEYS_CHANGED_MAX)} active keys`;
  return total > API_KEYS_CHANGED_MAX
    ? `Select the first ${formatCount(API_KEYS_CHANGED_MAX)} of ${formatCount(total)}`
    : `Select all ${formatCount(total)}`;
}
