'use client';

import { type ComponentProps, useEffect, useRef } from 'react';

/** The rows of a table. One that leaves it while the page stays, such as a key that is revoked, fades out. */
export function TableRows(props: ComponentProps<'tbody'>) {
  const body = useRef<HTMLTableSectionElement>(null);
  useEffect(() => {
    const rows = body.current;
    if (rows === null) return;
    let address = window.location.href;
    const observer = new MutationObserver((changes) => {
      // Another page, order or filter of the list is no change of its items.
      const isSameList = window.location.href === address;
      address = window.location.href;
      if (!isSameList) return;
      // The last one first: a row may have been followed by one that is gone too.
      const copies = new Map<Node | null, Node>();
      for (const { removedNodes, nextSibling } of changes.toReversed()) {
        for (const row of removedNodes) {
          if (!(row instanceof HTMLTableRowElement) || row.isConnected || row.inert) continue;
          const copy = copyOf(row);
          copies.set(row, copy);
          const next = copies.get(nextSibling) ?? nextSibling;
          rows.insertBefore(copy, next?.parentNode === rows ? next : null);
          void leave(copy);
        }
      }
    });
    observer.observe(rows, { childList: true });
    return () => observer.disconnect();
  }, []);
  return <tbody ref={body} {...props} />;
}

/** A row that is only looked at. */
function copyOf(row: HTMLTableRowElement): HTMLTableRowElement {
  const copy = row.cloneNode(true) as HTMLTableRowElement;
  copy.inert = true;
  copy.ariaHidden = 'true';
  copy.classList.add('animate-leave');
  return copy;
}

/** Removes the copy of a row that is gone once it has faded, and closes the gap. */
async function leave(copy: HTMLElement) {
  await moved(copy);
  const height = copy.offsetHeight;
  const below = following(copy);
  copy.remove();
  for (const next of below) {
    next.style.setProperty('--gap', `${height}px`);
    next.classList.add('animate-close-gap');
    void moved(next).then(() => next.classList.remove('animate-close-gap'));
  }
}

/** Ends at once where a user asks for less motion. */
const moved = (element: Element) =>
  Promise.allSettled(element.getAnimations().map(({ finished }) => finished));

function following(row: Element): HTMLElement[] {
  const next = row.nextElementSibling;
  return next instanceof HTMLElement ? [next, ...following(next)] : [];
}
