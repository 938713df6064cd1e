'use client';

import { X } from 'lucide-react';
import dynamic from 'next/dynamic';
import { createContext, type ReactNode, useContext, useMemo, useState } from 'react';
import { Button, IconButton } from '#components/ui/button.tsx';
import { useRowDialog } from '#components/ui/use-row-dialog.ts';
import { plural } from '#lib/format.ts';
import { legible } from '#lib/text.ts';
import type { BulkStep, SelectableKey } from '../key-state.ts';

interface Selection {
  /** The selected keys of this page, in its order. */
  selected: readonly SelectableKey[];
  has: (apiKeyId: string) => boolean;
  select: (apiKeyIds: readonly string[], isSelected: boolean) => void;
  /** The keys of this page that can be selected. */
  keys: readonly SelectableKey[];
}

const SelectionContext = createContext<Selection>({
  selected: [],
  has: () => false,
  select: () => {},
  keys: [],
});

const BulkDialog = dynamic(() => import('./bulk-dialog.tsx'));

const STEPS = [
  { step: 'set_expiry', label: 'Set expiry' },
  { step: 'archive', label: 'Archive' },
  { step: 'revoke', label: 'Revoke' },
] as const;

export interface KeySelectionProps {
  /** The keys of the page that can be changed. */
  keys: readonly SelectableKey[];
  children: ReactNode;
}

/** Lets the keys of the list inside it be selected, and shows what can be done to them. */
export function KeySelection({ keys, children }: KeySelectionProps) {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const dialog = useRowDialog<{ step: BulkStep; keys: readonly SelectableKey[] }>();
  const selection = useMemo<Selection>(
    () => ({
      keys,
      selected: keys.filter(({ apiKeyId }) => ids.has(apiKeyId)),
      has: (apiKeyId) => ids.has(apiKeyId),
      select: (apiKeyIds, isSelected) =>
        setIds((before) => {
          const after = new Set(before);
          for (const id of apiKeyIds) isSelected ? after.add(id) : after.delete(id);
          return after;
        }),
    }),
    [keys, ids],
  );
  const { selected } = selection;
  return (
    <SelectionContext value={selection}>
      <div {...dialog.listProps}>
        <div role="status" className="sr-only">
          {selected.length > 0 && `${plural(selected.length, 'key')} selected`}
        </div>
        {children}
        {selected.length > 0 && (
          <section
            aria-label="Selected keys"
            className="sticky bottom-20 z-10 mt-4 flex flex-wrap items-center gap-2 rounded border border-line-strong bg-surface p-3 md:bottom-4"
          >
            <p className="numbers grow pl-1 font-medium">
              {plural(selected.length, 'key')} selected
            </p>
            <div className="flex gap-2 max-sm:order-last max-sm:basis-full max-sm:*:grow">
              {STEPS.map(({ step, label }) => (
                <Button
                  key={step}
                  size="sm"
                  variant={step === 'revoke' ? 'danger' : 'secondary'}
                  onClick={(event) => dialog.open({ step, keys: selected }, event.currentTarget)}
                >
                  {label}…
                </Button>
              ))}
            </div>
            <IconButton icon={X} label="Clear the selection" onClick={() => setIds(new Set())} />
          </section>
        )}
      </div>
      {dialog.shown && (
        <BulkDialog {...dialog.shown} onDone={() => setIds(new Set())} onClose={dialog.close} />
      )}
    </SelectionContext>
  );
}

const BOX = 'block size-4 accent-accent';

/** Selects one key. */
export function SelectKey({ apiKey: { apiKeyId, displayName } }: { apiKey: SelectableKey }) {
  const { has, select } = useContext(SelectionContext);
  return (
    <input
      type="checkbox"
      aria-label={`Select ${legible(displayName)}`}
      checked={has(apiKeyId)}
      onChange={(event) => select([apiKeyId], event.target.checked)}
      className={BOX}
    />
  );
}

/** Selects all keys of the page that can be changed, or none. */
export function SelectAllKeys() {
  const { keys, selected, select } = useContext(SelectionContext);
  const all = keys.map(({ apiKeyId }) => apiKeyId);
  return (
    <input
      type="checkbox"
      aria-label="Select all keys on this page"
      disabled={keys.length === 0}
      checked={keys.length > 0 && selected.length === keys.length}
      ref={(box) => {
        if (box) box.indeterminate = selected.length > 0 && selected.length < keys.length;
      }}
      onChange={(event) => select(all, event.target.checked)}
      className={BOX}
    />
  );
}
