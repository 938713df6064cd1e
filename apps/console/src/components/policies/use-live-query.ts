'use client';

import { usePathname, useRouter, useSearchParams } from 'next/navigation';
import { useEffect, useRef, useState, useTransition } from 'react';

/** Short enough to feel like typing, long enough for a word to be one request. */
const SETTLE_MS = 120;

export interface LiveQuery<Name extends string> {
  values: Record<Name, string>;
  change: (name: Name, value: string) => void;
  /** Whether the page does not yet show what is typed. */
  pending: boolean;
}

/**
 * Fields that live in the URL. The server renders the page anew with them, a moment after the last
 * key: the rules of matching stay in one place, and reloading, going back and sharing keep what
 * was typed.
 */
export function useLiveQuery<Name extends string>(initial: Record<Name, string>): LiveQuery<Name> {
  const router = useRouter();
  const pathname = usePathname();
  const query = useSearchParams();
  const [values, setValues] = useState(initial);
  const [pending, startTransition] = useTransition();
  const sent = useRef(JSON.stringify(initial));
  const inUrl = JSON.stringify(initial);

  // Going back changes the URL under the fields.
  useEffect(() => {
    if (inUrl === sent.current) return;
    sent.current = inUrl;
    setValues(JSON.parse(inUrl));
  }, [inUrl]);

  useEffect(() => {
    const typed = JSON.stringify(values);
    if (typed === sent.current) return;
    const timer = setTimeout(() => {
      sent.current = typed;
      const next = new URLSearchParams(query);
      next.delete('page');
      for (const [name, value] of Object.entries<string>(values)) {
        if (value === '') next.delete(name);
        else next.set(name, value);
      }
      startTransition(() => router.replace(`${pathname}?${next}`, { scroll: false }));
    }, SETTLE_MS);
    return () => clearTimeout(timer);
  }, [values, query, pathname, router]);

  const change = (name: Name, value: string) => setValues((now) => ({ ...now, [name]: value }));
  return { values, change, pending: pending || JSON.stringify(values) !== inUrl };
}
