'use client';

import { clsx } from 'clsx';
import { Check } from 'lucide-react';
import { type KeyboardEvent, useId, useState } from 'react';
import { Field } from '#components/ui/field.tsx';
import { Input } from '#components/ui/input.tsx';
import { useSearch } from '#lib/use-search.ts';
import { findKeys } from '../actions.ts';
import type { KeyChoice } from './key-choice.ts';

export interface KeyComboboxProps {
  projectId: string;
  /** The keys to offer before anything is typed. */
  choices: readonly KeyChoice[];
  value: KeyChoice | null;
  onChange: (choice: KeyChoice) => void;
  error: string | undefined;
}

/**
 * Chooses one of any number of keys: the server searches them while the user types. What is typed is
 * sent in the body of a request, because it may be a whole key.
 *
 * @see https://www.w3.org/WAI/ARIA/apg/patterns/combobox/examples/combobox-autocomplete-list/
 */
export function KeyCombobox({ projectId, choices, value, onChange, error }: KeyComboboxProps) {
  const listId = useId();
  /** What is typed; null while the chosen key is shown. */
  const [typed, setTyped] = useState<string | null>(null);
  const [isOpen, setOpen] = useState(false);
  const [wanted, setActive] = useState(0);
  const { found, refusal, isCurrent } = useSearch(typed ?? '', {
    search: findKeys,
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
  function choose(choice: KeyChoice | undefined) {
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
      // Never a key of an earlier answer.
      if (isCurrent) choose(found[active]);
    } else if (event.key === 'Escape' && isOpen) close();
    else return;
    event.preventDefault();
  }

  return (
    <Field
      name="key"
      label="Key"
      hint="Type a part of its name, or the start of the key."
      error={error}
    >
      {({ name: _, ...control }) => (
        <div className="relative">
          <input type="hidden" name="apiKeyId" value={value?.apiKeyId ?? ''} />
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
            onBlur={close}
            onKeyDown={onKeyDown}
          />
          {isOpen && isCurrent && found.length === 0 && (
            <p role="status" className={clsx(panel, 'px-3 py-2 text-muted')}>
              {refusal ?? 'No key has this in its name, note or prefix.'}
            </p>
          )}
          <div
            id={listId}
            role="listbox"
            aria-label="Keys"
            className={clsx(panel, !isListed && 'hidden')}
          >
            {found.map((choice, index) => (
              // The keyboard stays in the field, which moves through the options.
              // biome-ignore lint/a11y/useFocusableInteractive: aria-activedescendant of the field
              // biome-ignore lint/a11y/useKeyWithClickEvents: Enter in the field chooses
              <div
                key={choice.apiKeyId}
                id={`${listId}-${index}`}
                role="option"
                aria-selected={choice.apiKeyId === value?.apiKeyId}
                // Keeps the focus in the field, whose blur would close the list.
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => choose(choice)}
                className={clsx(
                  'flex min-h-10 cursor-pointer items-center gap-2 rounded px-2 py-1 hover:bg-hover',
                  index === active && 'bg-hover',
                )}
              >
                <span className="min-w-0 wrap-anywhere">{choice.label}</span>
                {choice.apiKeyId === value?.apiKeyId && (
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
  'absolute inset-x-0 top-full z-20 mt-1 max-h-80 overflow-y-auto rounded border border-line-strong/60 bg-surface p-1';
