'use client';

import { API_KEYS_CHANGED_MAX } from '@ceiba/domain/constants';
import { X } from 'lucide-react';
import dynamic from 'next/dynamic';
import { createContext, type ReactNode, useContext, useMemo, useState } from 'react';
import { Button, IconButton } from '#components/ui/button.tsx';
import { useRowDialog } from '#components/ui/use-row-dialog.ts';
import { formatCount, plural } from '#lib/format.ts';
import { legible } from '#lib/text.ts';
import type { BulkStep, SelectableKey } from '../key-state.ts';
import { SelectMatching } from './select-matching.tsx';

interface Selection {
  has: (apiKeyId: string) => boolean;
  select: (keys: readonly SelectableKey[], isSelected: boolean) => void;
  /** The keys of this page that can be selected. */
  keys: readonly SelectableKey[];
}

const SelectionContext = createContext<Selection>({
  has: () => false,
  select: () => {},
  keys: [],
});

const BulkDialog = dynamic(() => import('./bulk-dialog.tsx'));

const STEPS = [
  { step: 'set_expiry', label: 'Set expiry' },
  { step: 'enable', label: 'Enable' },
  { step: 'disable', label: 'Disable' },
  { step: 'archive', label: 'Archive' },
  { step: 'revoke', label: 'Revoke' },
] as const satisfies readonly { step: BulkStep; label: string }[];

/** Enabling is for keys that are disabled, disabling for the others. */
const isOffered = (step: BulkStep, selected: readonly SelectableKey[]) =>
  (step !== 'enable' && step !== 'disable') ||
  selected.some(({ isDisabled }) => isDisabled === (step === 'enable'));

export interface KeySelectionProps {
  projectId: string;
  /** The keys of the page that can be changed. */
  keys: readonly SelectableKey[];
  /** All keys of the page, by ID. */
  shown: readonly string[];
  /** Which keys the list has, as its address says it. With another filter nothing is selected. */
  filter: string;
  /** How many keys of all pages can be selected; null if that is not known. */
  total: number | null;
  children: ReactNode;
}

/**
 * Lets the keys of a list be selected, across its pages, and shows what can be done to them. What a
 * dialog confirms is the list of the selected keys: no other key is changed.
 */
export const KeySelection = (props: KeySelectionProps) => <OfList key={props.filter} {...props} />;

function OfList({ projectId, keys, shown, filter, total, children }: KeySelectionProps) {
  const [chosen, setChosen] = useState<ReadonlyMap<string, SelectableKey>>(new Map());
  const dialog = useRowDialog<{ step: BulkStep; keys: readonly SelectableKey[] }>();
  const selected = useMemo(() => {
    const current = new Map(keys.map((key) => [key.apiKeyId, key]));
    // One of this page that was ended meanwhile is not selected any more.
    const isGone = (id: string) => shown.includes(id) && !current.has(id);
    return [...chosen.values()].flatMap((key) =>
      isGone(key.apiKeyId) ? [] : [current.get(key.apiKeyId) ?? key],
    );
  }, [chosen, keys, shown]);
  const selection = useMemo<Selection>(
    () => ({
      keys,
      has: (apiKeyId) => chosen.has(apiKeyId),
      select: (changed, isSelected) =>
        setChosen((before) => {
          const after = new Map(before);
          for (const key of changed) {
            if (isSelected) after.set(key.apiKeyId, key);
            else after.delete(key.apiKeyId);
          }
          return after;
        }),
    }),
    [keys, chosen],
  );
  const elsewhere = selected.filter(({ apiKeyId }) => !shown.includes(apiKeyId)).length;
  const isTooMany = selected.length > API_KEYS_CHANGED_MAX;
  const clear = () => setChosen(new Map());
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
            tabIndex={-1}
            className="sticky bottom-20 z-10 mt-4 flex flex-wrap items-center gap-2 rounded border border-line-strong bg-surface p-3 md:bottom-4"
          >
            <p className="numbers pl-1 font-medium max-sm:grow">
              {plural(selected.length, 'key')} selected
              {elsewhere > 0 && (
                <span className="font-normal text-muted">
                  , {formatCount(elsewhere)} on other pages
                </span>
              )}
              {isTooMany && (
                <span className="block text-small font-normal text-muted">
                  One change takes at most {formatCount(API_KEYS_CHANGED_MAX)}.
                </span>
              )}
            </p>
            {total !== keys.length && (
              <SelectMatching
                projectId={projectId}
                filter={filter}
                selected={selected.length}
                total={total}
                onFound={(found) => setChosen(new Map(found.map((key) => [key.apiKeyId, key])))}
              />
            )}
            <div className="ml-auto flex flex-wrap gap-2 max-sm:order-last max-sm:basis-full max-sm:*:grow">
              {STEPS.filter(({ step }) => isOffered(step, selected)).map(({ step, label }) => (
                <Button
                  key={step}
                  size="sm"
                  variant={step === 'revoke' ? 'danger' : 'secondary'}
                  disabled={isTooMany}
                  onClick={(event) => dialog.open({ step, keys: selected }, event.currentTarget)}
                >
                  {label}…
                </Button>
              ))}
            </div>
            <IconButton icon={X} label="Clear the selection" onClick={clear} />
          </section>
        )}
      </div>
      {dialog.shown && (
        <BulkDialog
          {...dialog.shown}
          projectId={projectId}
          filter={filter}
          onDone={clear}
          onClose={dialog.close}
        />
      )}
    </SelectionContext>
  );
}

const BOX = 'block size-4 accent-accent';

/** Selects one key. */
export function SelectKey({ apiKey }: { apiKey: SelectableKey }) {
  const { has, select } = useContext(SelectionContext);
  return (
    <input
      type="checkbox"
      aria-label={`Select ${legible(apiKey.displayName)}`}
      checked={has(apiKey.apiKeyId)}
      onChange={(event) => select([apiKey], event.target.checked)}
      className={BOX}
    />
  );
}

/** Selects all keys of the page that can be changed, or none of them. */
export function SelectAllKeys() {
  const { keys, has, select } = useContext(SelectionContext);
  const selected = keys.filter(({ apiKeyId }) => has(apiKeyId)).length;
  return (
    <input
      type="checkbox"
      aria-label="Select all keys on this page"
      disabled={keys.length === 0}
      checked={keys.length > 0 && selected === keys.length}
      ref={(box) => {
        if (box) box.indeterminate = selected > 0 && selected < keys.length;
      }}
      onChange={(event) => select(keys, event.target.checked)}
      className={BOX}
    />
  );
}
