'use client';

import { usePathname, useRouter, useSearchParams } from 'next/navigation';
import { useEffect, useLayoutEffect, useRef, useState, useTransition } from 'react';

/** Short enough to feel immediate, long enough to send a word as one request. */
const SETTLE_MS = 150;

export interface LiveQuery<Name extends string> {
  values: Record<Name, string>;
  change: (name: Name, value: string) => void;
  /** The page does not show what is typed yet. */
  pending: boolean;
  /** Stops updating the URL; call it before leaving the page. */
  stop: () => void;
}

/**
 * Keeps fields in the URL. Shortly after the last keystroke the server renders the page with them,
 * so that its rules exist once, and reloading, going back and sharing keep what was typed.
 *
 * @param inUrl The current values in the URL.
 * @param absent The value of each field that is not in the URL. A field with this value is removed
 * from the URL.
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
  // A layout effect is cleaned up before a removed field fires `focusout`.
  useLayoutEffect(() => {
    if (typed === sent.current) return;
    const send = () => {
      forget();
      if (isStopped.current) return;
      sent.current = typed;
      startTransition(() => router.replace(href, { scroll: false }));
    };
    const timer = setTimeout(send, SETTLE_MS);
    // Sent now if the user leaves: a later update would navigate back to this page.
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

/** The query with these values, on the first page of a list. */
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
