'use client';

import { usePathname, useSearchParams } from 'next/navigation';
import { useEffect, useState } from 'react';

/** What may load a page. */
const LOADS = ['click', 'submit', 'load-page'] as const;

/** A navigation that ends where it began changes nothing that the bar could notice. */
const GIVES_UP_MS = 10_000;

/** Says that a page is being loaded by code, which no click or form shows. */
export const announceLoad = (href: string) =>
  document.dispatchEvent(new CustomEvent('load-page', { detail: href }));

/**
 * A bar at the top of the page from the click on a link, the press of a button that filters, or
 * {@link announceLoad}, until the page is shown.
 */
export function LoadingBar() {
  const shown = `${usePathname()}?${useSearchParams()}`;
  const [left, setLeft] = useState<string>();
  if (left !== undefined && left !== shown) setLeft(undefined);

  useEffect(() => {
    function onLoad(event: Event) {
      if (leadsElsewhere(addressOf(event))) setLeft(shown);
    }
    for (const type of LOADS) document.addEventListener(type, onLoad);
    return () => {
      for (const type of LOADS) document.removeEventListener(type, onLoad);
    };
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

/** The address that an event loads in this tab, if any. */
function addressOf(event: Event): string | undefined {
  if (event instanceof CustomEvent) return event.detail;
  if (event instanceof SubmitEvent) return addressOfForm(event);
  return event instanceof MouseEvent ? addressOfLink(event) : undefined;
}

function addressOfLink({ target, ctrlKey, metaKey, shiftKey, altKey }: MouseEvent) {
  const link = target instanceof Element ? target.closest('a[href]') : null;
  if (!(link instanceof HTMLAnchorElement) || ctrlKey || metaKey || shiftKey || altKey) return;
  return link.target === '_blank' || link.hasAttribute('download') ? undefined : link.href;
}

/** The address of a form that filters. One that is `data-live` filters while the user types. */
function addressOfForm({ target }: SubmitEvent) {
  if (!(target instanceof HTMLFormElement) || !target.hasAttribute('action')) return;
  if (target.method !== 'get' || 'live' in target.dataset) return;
  const fields = [...new FormData(target)].map(([name, value]) => [name, String(value)]);
  return `${target.action}?${new URLSearchParams(fields)}`;
}

/** Whether an address is another page of the console. */
function leadsElsewhere(href: string | undefined): boolean {
  if (href === undefined) return false;
  const { location } = window;
  const { origin, pathname, search } = new URL(href, location.href);
  return origin === location.origin && pathname + search !== location.pathname + location.search;
}
