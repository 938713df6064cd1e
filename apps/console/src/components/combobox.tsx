'use client';

import { clsx } from 'clsx';
import { Check } from 'lucide-react';
import { type KeyboardEvent, useId, useState } from 'react';
import type { FormAction } from '../lib/action-state.ts';
import { useSearch } from '../lib/use-search.ts';
import { Field, type FieldProps } from './ui/field.tsx';
import { Input } from './ui/input.tsx';

/** What can be chosen. */
export interface Choice {
  /** What the form sends. */
  id: string;
  label: string;
}

export interface ComboboxProps extends Pick<FieldProps, 'label' | 'hint' | 'optional' | 'error'> {
  /** The field of the form. */
  name: string;
  projectId: string;
  /** Finds choices, by the text `q`. */
  search: FormAction<Choice[]>;
  /** What to offer before anything is typed. */
  choices: readonly Choice[];
  value: Choice | null;
  onChange: (choice: Choice | null) => void;
  /** What a text stands for that is left without a choice; without this, for nothing. */
  ofTyped?: (text: string) => Choice | null;
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
export function Combobox({
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
}: ComboboxProps) {
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
  function choose(choice: Choice | undefined) {
    if (choice !== undefined) onChange(choice);
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
      // Never an item of an earlier answer.
      if (isCurrent) choose(found[active]);
    } else if (event.key === 'Escape' && isOpen) close();
    else return;
    event.preventDefault();
  }

  return (
    <Field name={`${name}Search`} {...field}>
      {({ name: _, ...control }) => (
        <div className="relative">
          <input type="hidden" name={name} value={value?.id ?? ''} />
          <Input
            {...control}
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
            {found.map((choice, index) => (
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
                <span className="min-w-0 wrap-anywhere">{choice.label}</span>
                {choice.id === value?.id && (
                  <Check aria-hidden="true" className="ml-auto size-4 shrink-0 text-muted" />
                )}
              </div>
            ))}
          </div>
        </div>
      )}
    </Field>
  );
}

const panel =
  'absolute inset-x-0 top-full z-20 mt-1 max-h-60 overflow-y-auto rounded border border-line-strong/60 bg-surface p-1';
