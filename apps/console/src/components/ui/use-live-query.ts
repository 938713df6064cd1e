'use client';

import { usePathname, useRouter, useSearchParams } from 'next/navigation';
import { useEffect, useLayoutEffect, useRef, useState, useTransition } from 'react';

/** Short enough to feel like typing, long enough for a word to be one request. */
const SETTLE_MS = 150;

export interface LiveQuery<Name extends string> {
  values: Record<Name, string>;
  change: (name: Name, value: string) => void;
  /** Whether the page does not yet show what is typed. */
  pending: boolean;
  /** Call before leaving the page: stops sending what is typed. */
  stop: () => void;
}

/**
 * Fields that live in the URL. The server renders the page again with them, a moment after the last
 * key: its rules stay in one place, and reloading, going back and sharing keep what was typed.
 *
 * @param inUrl What the URL holds now.
 * @param absent What the page takes a field for that the URL does not hold. Text that is emptied is
 * not the same where this is not empty.
 */
export function useLiveQuery<Name extends string>(
  inUrl: Record<Name, string>,
  absent: Record<Name, string>,
): LiveQuery<Name> {
  const router = useRouter();
  const pathname = usePathname();
  const query = useSearchParams();
  const [values, setValues] = useState(inUrl);
  const [pending, startTransition] = useTransition();
  const shown = JSON.stringify(inUrl);
  const sent = useRef(shown);
  const isStopped = useRef(false);

  // Going back changes the URL under the fields.
  useEffect(() => {
    if (shown === sent.current) return;
    sent.current = shown;
    setValues(JSON.parse(shown));
  }, [shown]);

  const typed = JSON.stringify(values);
  const next = withValues(query, values, absent);
  const href = next === '' ? pathname : `${pathname}?${next}`;
  // Forgotten before a field leaves the page, for that counts as one that loses the focus.
  useLayoutEffect(() => {
    if (typed === sent.current) return;
    const send = () => {
      forget();
      if (isStopped.current) return;
      sent.current = typed;
      startTransition(() => router.replace(href, { scroll: false }));
    };
    const timer = setTimeout(send, SETTLE_MS);
    // A timer that fires after a link or a form was followed would bring the user back.
    document.addEventListener('focusout', send);
    document.addEventListener('submit', send, { capture: true });
    const forget = () => {
      clearTimeout(timer);
      document.removeEventListener('focusout', send);
      document.removeEventListener('submit', send, { capture: true });
    };
    return forget;
  }, [typed, href, router]);

  const change = (name: Name, value: string) => setValues((now) => ({ ...now, [name]: value }));
  const stop = () => {
    isStopped.current = true;
  };
  return { values, change, pending: pending || typed !== shown, stop };
}

/** The query with these values in it, back on the first page of a list. */
function withValues<Name extends string>(
  query: URLSearchParams,
  values: Record<Name, string>,
  absent: Record<Name, string>,
): string {
  const next = new URLSearchParams(query);
  next.delete('page');
  next.delete('cursor');
  for (const name of Object.keys(values) as Name[]) {
    if (values[name] === absent[name]) next.delete(name);
    else next.set(name, values[name]);
  }
  return next.toString();
}
