'use client';

import Form from 'next/form';
import { usePathname, useSearchParams } from 'next/navigation';
import { useEffect } from 'react';
import { listenForShortcuts } from '#components/shell/shortcuts.ts';
import { SecretlessInput } from '#components/ui/secretless-input.tsx';

const FIELD = 'guide-search';

/** Searches all guides; Enter shows the results. `/` and Ctrl-K focus it. */
export function GuideSearch() {
  const q = useSearchParams().get('q') ?? '';
  const pathname = usePathname();
  useEffect(() => {
    const focus = () => document.getElementById(FIELD)?.focus();
    return listenForShortcuts({ onModifier: () => {}, onPalette: focus, onHelp: () => {} });
  }, []);
  return (
    <search>
      <Form action="/docs" prefetch={false}>
        <SecretlessInput
          id={FIELD}
          key={`${pathname} ${q}`}
          type="search"
          name="q"
          aria-label="Search the guides"
          placeholder="Search the guides"
          defaultValue={q}
          maxLength={100}
          data-shortcut="search"
        />
      </Form>
    </search>
  );
}
