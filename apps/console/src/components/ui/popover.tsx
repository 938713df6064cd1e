'use client';

import { clsx } from 'clsx';
import { usePathname } from 'next/navigation';
import {
  type KeyboardEvent,
  type ReactNode,
  type ToggleEvent,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react';
import { flushSync } from 'react-dom';
import { type Placement, placeBeside } from './place-beside.ts';

export interface PopoverProps {
  /** The content of the button. */
  trigger: ReactNode;
  triggerClassName?: string;
  placement: Placement;
  /** For screen readers: "Projects". */
  label: string;
  className?: string;
  children?: ReactNode;
  /** What needs scripts or is long, before or after the children: it is rendered when the panel opens. */
  before?: ReactNode;
  after?: ReactNode;
}

/**
 * A panel of links behind a button, with the browser's Popover API: Escape, a click outside or a
 * link closes it and returns the focus. The arrow keys open it and move through it, as in a menu. It
 * opens without scripts.
 */
export function Popover({
  trigger,
  triggerClassName,
  placement,
  label,
  className,
  children,
  before,
  after,
}: PopoverProps) {
  const [wasOpened, setWasOpened] = useState(false);
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLElement>(null);
  const pathname = usePathname();

  // Following a link closes it.
  useEffect(() => panel.current?.hidePopover(), [pathname]);

  function place(event: ToggleEvent<HTMLElement>) {
    if (event.newState === 'open' && button.current !== null) {
      event.currentTarget.style.minWidth = `max(12rem, ${button.current.offsetWidth}px)`;
      placeBeside(event.currentTarget, button.current, placement);
    }
  }

  return (
    <>
      <button
        ref={button}
        type="button"
        popoverTarget={id}
        aria-haspopup="true"
        onKeyDown={(event) => {
          const end = END_OF_KEY[event.key];
          if (end === undefined || panel.current === null) return;
          event.preventDefault();
          if (!panel.current.matches(':popover-open')) panel.current.showPopover();
          itemsOf(panel.current).at(end)?.focus();
        }}
        className={triggerClassName}
      >
        {trigger}
      </button>
      <nav
        ref={panel}
        id={id}
        popover="auto"
        aria-label={label}
        // At once, so that the panel is placed with them.
        onBeforeToggle={({ newState }) =>
          newState === 'open' && flushSync(() => setWasOpened(true))
        }
        onToggle={place}
        onKeyDown={moveFocus}
        className={clsx(
          'fixed inset-auto m-0 max-h-[70dvh] overflow-y-auto rounded border border-line-strong/60 bg-surface p-1 text-ink open:animate-fade',
          className,
        )}
      >
        {wasOpened && before}
        {children}
        {wasOpened && after}
      </nav>
    </>
  );
}

/** The arrow keys that open it, and which item they focus. */
const END_OF_KEY: Partial<Record<string, number>> = { ArrowDown: 0, ArrowUp: -1 };

const itemsOf = (panel: HTMLElement) => [
  ...panel.querySelectorAll<HTMLElement>('a[href], button:not(:disabled)'),
];

/** @see https://www.w3.org/WAI/ARIA/apg/patterns/menu-button/ */
function moveFocus(event: KeyboardEvent<HTMLElement>) {
  const items = itemsOf(event.currentTarget);
  const at =
    document.activeElement instanceof HTMLElement ? items.indexOf(document.activeElement) : -1;
  const next = {
    ArrowDown: (at + 1) % items.length,
    ArrowUp: at <= 0 ? items.length - 1 : at - 1,
    Home: 0,
    End: items.length - 1,
  }[event.key];
  if (next === undefined) return;
  event.preventDefault();
  items[next]?.focus();
}

/** The classes of a link in a popover. */
export const popoverItem =
  'flex min-h-8 w-full items-center gap-2 rounded px-2 py-1 text-left hover:bg-hover aria-[current=page]:font-medium aria-[current=page]:text-accent-text [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-muted';
