'use client';

import { Slot } from '@radix-ui/react-slot';
import {
  type PointerEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { createPortal } from 'react-dom';
import { placeBeside } from './place-beside.ts';

const OPEN_AFTER_MS = 300;
/** Long enough to move the pointer onto the text. */
const CLOSE_AFTER_MS = 120;

/**
 * A tooltip on hover and keyboard focus. The pointer can move onto it, and Escape closes it
 * (WCAG 1.4.13). The child is one element that takes a ref.
 *
 * It uses the browser's Popover API: Radix's tooltip would add 19 kB to every page.
 */
export function Hint({ text, children }: { text: ReactNode; children: ReactNode }) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const anchor = useRef<HTMLElement>(null);
  const timer = useRef<number>(undefined);

  function soon(next: boolean, afterMs: number) {
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(() => setOpen(next), afterMs);
  }
  const pointer = {
    onPointerEnter: (event: PointerEvent) => {
      if (event.pointerType !== 'touch') soon(true, OPEN_AFTER_MS);
    },
    onPointerLeave: () => soon(false, CLOSE_AFTER_MS),
  };

  useEffect(() => () => window.clearTimeout(timer.current), []);

  return (
    <>
      <Slot
        ref={anchor}
        aria-describedby={open ? id : undefined}
        {...pointer}
        onFocus={(event) => {
          if (event.currentTarget.matches(':focus-visible')) setOpen(true);
        }}
        onBlur={() => soon(false, 0)}
      >
        {children}
      </Slot>
      {open && (
        <Bubble id={id} anchor={anchor} onEscape={() => setOpen(false)} {...pointer}>
          {text}
        </Bubble>
      )}
    </>
  );
}

interface BubbleProps {
  id: string;
  anchor: RefObject<HTMLElement | null>;
  onEscape: () => void;
  onPointerEnter: (event: PointerEvent) => void;
  onPointerLeave: () => void;
  children: ReactNode;
}

function Bubble({ id, anchor, onEscape, children, ...pointer }: BubbleProps) {
  const panel = useRef<HTMLDivElement>(null);

  useLayoutEffect(() => {
    if (panel.current === null || anchor.current === null) return;
    panel.current.showPopover();
    placeBeside(panel.current, anchor.current, { side: 'above', align: 'center' });
  }, [anchor]);

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => event.key === 'Escape' && onEscape();
    window.addEventListener('keydown', onKey);
    window.addEventListener('scroll', onEscape, true);
    return () => {
      window.removeEventListener('keydown', onKey);
      window.removeEventListener('scroll', onEscape, true);
    };
  }, [onEscape]);

  return createPortal(
    <div
      ref={panel}
      id={id}
      role="tooltip"
      popover="manual"
      className="fixed inset-auto m-0 max-w-72 animate-fade rounded bg-ink px-3 py-2 text-small text-paper"
      {...pointer}
    >
      {children}
    </div>,
    document.body,
  );
}
