'use client';

import { clsx } from 'clsx';
import { Search } from 'lucide-react';
import { usePathname, useSearchParams } from 'next/navigation';
import { withoutSecrets } from '../../lib/text.ts';
import { Input } from './input.tsx';
import { useLiveQuery } from './use-live-query.ts';

export interface SearchInputProps {
  /** "Search keys". */
  label: string;
  className?: string;
  /** Whether `/` focuses it: one field per page. */
  hasShortcut?: boolean;
}

/**
 * Filters a list by the text in the URL's `q`. `/` may focus it, and Escape clears it. Without scripts
 * it is a form that Enter submits.
 */
export function SearchInput({ label, className, hasShortcut = true }: SearchInputProps) {
  const pathname = usePathname();
  const { values, change, pending } = useLiveQuery(
    { q: useSearchParams().get('q') ?? '' },
    { q: '' },
  );
  return (
    <search className={clsx('relative block w-full sm:w-auto sm:max-w-80 sm:grow', className)}>
      <form action={pathname} data-live onSubmit={(event) => event.preventDefault()}>
        <Search
          aria-hidden="true"
          className={clsx(
            'absolute inset-y-0 left-3 my-auto size-4 text-muted',
            pending && 'animate-pulse',
          )}
        />
        <Input
          type="search"
          name="q"
          aria-label={label}
          placeholder={label}
          value={values.q}
          onChange={(event) => change('q', withoutSecrets(event.target.value))}
          onKeyDown={(event) => {
            if (event.key === 'Escape') change('q', '');
          }}
          data-shortcut={hasShortcut ? 'search' : undefined}
          className="pr-3 pl-9 text-ellipsis sm:pr-9 [&::-webkit-search-cancel-button]:hidden"
        />
        {hasShortcut && (
          <span
            aria-hidden="true"
            className="pointer-events-none absolute inset-y-0 right-1.5 my-auto hidden h-6 w-6 items-center justify-center rounded border font-mono text-small text-muted sm:flex"
          >
            /
          </span>
        )}
      </form>
    </search>
  );
}
