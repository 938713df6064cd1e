'use client';

import { useRouter } from 'next/navigation';
import {
  type FocusEvent,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  useRef,
  useState,
} from 'react';

/** What the keys do, in steps. */
const MOVES: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, Home: -1e6, End: 1e6 };

/**
 * Makes the bars of a chart answer to pointer, touch and keyboard. Its children are links, one per
 * bar: the arrow keys move between them, hovering and focus show their label, and a second tap, a
 * click or Enter follows them, unless a bar has no address. Without scripts they are plain links.
 */
export function ChartPointer({ label, children }: { label: string; children: ReactNode }) {
  const router = useRouter();
  const [shown, setShown] = useState<HTMLAnchorElement | null>(null);
  const isScrolling = useRef(false);

  function onKeyDown(event: KeyboardEvent<HTMLElement>) {
    const step = MOVES[event.key];
    const link = linkAt(event.target);
    if (event.key === 'Escape') setShown(null);
    if (step === undefined || link === null) return;
    event.preventDefault();
    const links = [...event.currentTarget.querySelectorAll('a')];
    const next = Math.max(0, Math.min(links.length - 1, links.indexOf(link) + step));
    links[next]?.focus();
  }
  /** The focused link is the one that Tab returns to. */
  function onFocus(event: FocusEvent<HTMLElement>) {
    const link = linkAt(event.target);
    for (const other of event.currentTarget.querySelectorAll('a')) other.tabIndex = -1;
    if (link !== null) link.tabIndex = 0;
    setShown(link);
  }
  function onClick(event: MouseEvent) {
    const link = linkAt(event.target);
    if (!link?.href || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    router.push(link.pathname + link.search);
  }

  return (
    // biome-ignore lint/a11y/useSemanticElements: links are no fields
    <div
      role="group"
      aria-label={label}
      className="absolute inset-0 flex"
      onPointerOver={(event) => event.pointerType !== 'touch' && setShown(linkAt(event.target))}
      onPointerLeave={(event) => event.pointerType !== 'touch' && setShown(null)}
      onTouchStart={() => {
        isScrolling.current = false;
      }}
      onTouchMove={() => {
        isScrolling.current = true;
      }}
      onTouchEnd={(event) => {
        if (isScrolling.current) return;
        const link = linkAt(event.target);
        // The first tap shows the label; its click would follow the link.
        if (link === shown) return;
        event.preventDefault();
        link?.focus();
        setShown(link);
      }}
      onFocus={onFocus}
      onBlur={() => setShown(null)}
      onKeyDown={onKeyDown}
      onClick={onClick}
    >
      {children}
      {shown !== null && <Label link={shown} />}
    </div>
  );
}

const linkAt = (target: EventTarget): HTMLAnchorElement | null =>
  target instanceof Element ? target.closest('a') : null;

/** Above the bar and within the chart. Screen readers read the link itself. */
function Label({ link }: { link: HTMLAnchorElement }) {
  const middle = link.offsetLeft + link.offsetWidth / 2;
  const share = (middle / (link.parentElement?.offsetWidth ?? 1)) * 100;
  const [name = '', counts = ''] = link.ariaLabel?.split(': ') ?? [];
  return (
    <p
      aria-hidden="true"
      style={{ left: `${share}%`, transform: `translate(-${share}%, -100%)` }}
      className="pointer-events-none absolute -top-1 z-10 w-max max-w-full rounded border bg-surface px-3 py-2 text-small text-ink"
    >
      <span className="block font-medium">{name}</span>
      {counts}
    </p>
  );
}
