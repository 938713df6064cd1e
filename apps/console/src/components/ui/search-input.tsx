'use client';

import { Search } from 'lucide-react';
import { usePathname, useRouter, useSearchParams } from 'next/navigation';
import { useEffect, useRef, useState, useTransition } from 'react';
import { cn } from '../../lib/cn.ts';
import { Input } from './input.tsx';

const SETTLE_MS = 250;

export interface SearchInputProps {
  /** What is searched: "Search keys". */
  label: string;
  /** The query parameter that holds the text. */
  parameter?: string;
  className?: string;
}

/**
 * A filter that lives in the URL, so that reloading, going back and sharing keep it. `/` moves the
 * focus here; Escape empties it. Without scripts it is a form that sends on Enter.
 */
export function SearchInput({ label, parameter = 'q', className }: SearchInputProps) {
  const router = useRouter();
  const pathname = usePathname();
  const query = useSearchParams();
  const inUrl = query.get(parameter) ?? '';
  const [text, setText] = useState(inUrl);
  const [pending, startTransition] = useTransition();
  const sent = useRef(inUrl);

  // Going back changes the URL under the field.
  useEffect(() => {
    if (inUrl === sent.current) return;
    sent.current = inUrl;
    setText(inUrl);
  }, [inUrl]);

  useEffect(() => {
    if (text === sent.current) return;
    const timer = setTimeout(() => {
      sent.current = text;
      const next = new URLSearchParams(query);
      next.delete('page');
      next.delete('cursor');
      if (text === '') next.delete(parameter);
      else next.set(parameter, text);
      startTransition(() => router.replace(`${pathname}?${next}`, { scroll: false }));
    }, SETTLE_MS);
    return () => clearTimeout(timer);
  }, [text, query, parameter, pathname, router]);

  return (
    <search className={cn('relative block w-full sm:w-80', className)}>
      <form action={pathname} onSubmit={(event) => event.preventDefault()}>
        <Search
          aria-hidden="true"
          className={cn('absolute top-3 left-3 size-4 text-muted', pending && 'animate-pulse')}
        />
        <Input
          type="search"
          name={parameter}
          aria-label={label}
          placeholder={label}
          value={text}
          onChange={(event) => setText(withoutSecrets(event.target.value))}
          onKeyDown={(event) => {
            if (event.key === 'Escape') setText('');
          }}
          data-shortcut="search"
          className="pr-10 pl-9 [&::-webkit-search-cancel-button]:hidden"
        />
        <span
          aria-hidden="true"
          className="pointer-events-none absolute top-2 right-2 hidden h-6 w-6 items-center justify-center rounded border font-mono text-small text-muted sm:flex"
        >
          /
        </span>
      </form>
    </search>
  );
}

/** A key that is pasted whole is cut to what is shown of it: no credential may reach an address. */
const withoutSecrets = (text: string) =>
  text.replace(/(ceiba_(?:secret_)?[0-9A-Za-z]{8})[0-9A-Za-z]+/g, '$1');
