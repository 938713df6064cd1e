'use client';

import { clsx } from 'clsx';
import { Check } from 'lucide-react';
import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import type { FormAction } from '../lib/action-state.ts';
import { useSearch } from '../lib/use-search.ts';
import { Field, type FieldProps } from './ui/field.tsx';
import { Input } from './ui/input.tsx';

/** What can be chosen. */
export interface Choice {
  /** What the form sends. */
  id: string;
  /** The field of the form that it is sent as, if another one than that of the combobox. */
  field?: string;
  label: string;
  /** What distinguishes it from others, in the list alone. */
  detail?: string;
  /** What it has in common with the choices beside it, which are in one group with it. */
  group?: string;
}

export interface ComboboxProps<Item extends Choice>
  extends Pick<FieldProps, 'label' | 'hint' | 'optional' | 'error'> {
  /** The field of the form. */
  name: string;
  projectId: string;
  /** Finds choices, by the text `q`. */
  search: FormAction<Item[]>;
  /** What to offer before anything is typed. */
  choices: readonly Item[];
  value: Item | null;
  onChange: (choice: Item | null) => void;
  /** What a text stands for that is left without a choice; without this, for nothing. */
  ofTyped?: (text: string) => Item | null;
  /** Names the list for screen readers. */
  listName: string;
  /** Says that nothing is found. */
  nothing: string;
}

/**
 * Chooses one of any number of items: the server searches them while the user types. What is typed is
 * sent in the body of a request, because it may be a whole key.
 *
 * @see https://www.w3.org/WAI/ARIA/apg/patterns/combobox/examples/combobox-autocomplete-list/
 */
export function Combobox<Item extends Choice>({
  name,
  projectId,
  search,
  choices,
  value,
  onChange,
  ofTyped,
  listName,
  nothing,
  ...field
}: ComboboxProps<Item>) {
  const listId = useId();
  /** What is typed; null while the choice is shown. */
  const [typed, setTyped] = useState<string | null>(null);
  const [isOpen, setOpen] = useState(false);
  const [wanted, setActive] = useState(0);
  const { found, refusal, isCurrent } = useSearch(typed ?? '', {
    search,
    projectId,
    shortest: 1,
    otherwise: choices,
  });
  // An answer may be shorter than the one through which the keyboard moved.
  const active = Math.max(0, Math.min(wanted, found.length - 1));
  const isListed = isOpen && found.length > 0;
  useEffect(() => {
    if (!isListed) return;
    document.getElementById(`${listId}-${active}`)?.scrollIntoView({ block: 'nearest' });
  }, [listId, isListed, active]);

  function close() {
    setOpen(false);
    setTyped(null);
  }
  function leave() {
    if (ofTyped && typed !== null) {
      const text = typed.trim();
      onChange(found.find(({ id }) => id === text) ?? ofTyped(text));
    }
    close();
  }
  function choose(choice: Item) {
    onChange(choice);
    close();
  }
  function open(first: number) {
    setOpen(true);
    setActive(isOpen ? (active + first + found.length) % Math.max(found.length, 1) : 0);
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'ArrowDown') open(1);
    else if (event.key === 'ArrowUp') open(-1);
    else if (event.key === 'Enter' && isOpen) {
      const choice = found[active];
      // Never an item of an earlier answer.
      if (isCurrent && choice !== undefined) choose(choice);
    } else if (event.key === 'Escape' && isOpen) close();
    else return;
    event.preventDefault();
  }

  return (
    <Field name={`${name}Search`} {...field}>
      {({ name: _, ...control }) => (
        <div className="relative">
          <input type="hidden" name={value?.field ?? name} value={value?.id ?? ''} />
          <Input
            {...control}
            data-field={name}
            role="combobox"
            aria-autocomplete="list"
            aria-expanded={isListed}
            aria-controls={listId}
            aria-activedescendant={isListed ? `${listId}-${active}` : undefined}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            value={typed ?? value?.label ?? ''}
            onChange={(event) => {
              setTyped(event.target.value);
              setOpen(true);
              setActive(0);
            }}
            onClick={() => open(0)}
            onFocus={(event) => event.target.select()}
            onBlur={leave}
            onKeyDown={onKeyDown}
          />
          {isOpen && isCurrent && typed?.trim() && found.length === 0 && (
            <p role="status" className={clsx(panel, 'px-3 py-2 text-muted')}>
              {refusal ?? nothing}
            </p>
          )}
          <div
            id={listId}
            role="listbox"
            aria-label={listName}
            className={clsx(panel, !isListed && 'hidden')}
          >
            {groupsOf(found).map(({ group, items }) => (
              // biome-ignore lint/a11y/useSemanticElements: a part of a listbox, not of a form
              <div key={group ?? ''} role="group" aria-label={group}>
                {group !== undefined && (
                  <p aria-hidden="true" className="px-2 pt-1 text-small text-muted">
                    {group}
                  </p>
                )}
                {items.map(({ choice, index }) => (
                  // The keyboard stays in the field, which moves through the options.
                  // biome-ignore lint/a11y/useFocusableInteractive: aria-activedescendant of the field
                  // biome-ignore lint/a11y/useKeyWithClickEvents: Enter in the field chooses
                  <div
                    key={choice.id}
                    id={`${listId}-${index}`}
                    role="option"
                    aria-selected={choice.id === value?.id}
                    // Keeps the focus in the field, whose blur would close the list.
                    onMouseDown={(event) => event.preventDefault()}
                    onClick={() => choose(choice)}
                    className={clsx(
                      'flex min-h-10 cursor-pointer items-center gap-2 rounded px-2 py-1 hover:bg-hover',
                      index === active && 'bg-hover',
                    )}
                  >
                    <span className="min-w-0 wrap-anywhere">
                      {choice.label}
                      {choice.detail !== undefined && (
                        <span className="numbers block text-small text-muted">{choice.detail}</span>
                      )}
                    </span>
                    {choice.id === value?.id && (
                      <Check aria-hidden="true" className="ml-auto size-4 shrink-0 text-muted" />
                    )}
                  </div>
                ))}
              </div>
            ))}
          </div>
        </div>
      )}
    </Field>
  );
}

/** The choices in their order, those beside each other of one group together. */
function groupsOf<Item extends Choice>(found: readonly Item[]) {
  const groups: { group: string | undefined; items: { choice: Item; index: number }[] }[] = [];
  for (const [index, choice] of found.entries()) {
    const last = groups.at(-1);
    if (last !== undefined && last.group === choice.group) last.items.push({ choice, index });
    else groups.push({ group: choice.group, items: [{ choice, index }] });
  }
  return groups;
}

const panel =
  'absolute inset-x-0 top-full z-20 mt-1 max-h-60 overflow-y-auto rounded border border-line-strong/60 bg-surface p-1';
