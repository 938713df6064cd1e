'use client';

import { usePathname, useSearchParams } from 'next/navigation';
import { useEffect, useState } from 'react';

/** A navigation that ends where it began changes nothing that the bar could notice. */
const GIVES_UP_MS = 10_000;

/** A bar at the top of the page from the click on a link until its page is shown. */
export function LoadingBar() {
  const shown = `${usePathname()}?${useSearchParams()}`;
  const [left, setLeft] = useState<string>();
  if (left !== undefined && left !== shown) setLeft(undefined);

  useEffect(() => {
    function onClick(event: MouseEvent) {
      if (loadsPage(event)) setLeft(shown);
    }
    document.addEventListener('click', onClick);
    return () => document.removeEventListener('click', onClick);
  }, [shown]);

  useEffect(() => {
    if (left === undefined) return;
    const timer = setTimeout(() => setLeft(undefined), GIVES_UP_MS);
    return () => clearTimeout(timer);
  }, [left]);

  if (left === undefined) return null;
  return (
    <div
      role="progressbar"
      aria-label="Loading the page"
      className="fixed inset-x-0 top-0 z-50 h-0.5 origin-left animate-load bg-accent-text"
    />
  );
}

/** Whether a click follows a link to another page of the console in this tab. */
function loadsPage(event: MouseEvent): boolean {
  const link = event.target instanceof Element ? event.target.closest('a[href]') : null;
  if (!(link instanceof HTMLAnchorElement)) return false;
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return false;
  if (link.target === '_blank' || link.hasAttribute('download')) return false;
  const { origin, pathname, search } = new URL(link.href);
  const { location } = window;
  return origin === location.origin && pathname + search !== location.pathname + location.search;
}
