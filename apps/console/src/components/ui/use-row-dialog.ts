'use client';

import { useRef, useState } from 'react';

/**
 * A dialog about one row of a list. Keep its state around the list: the row may leave the list while
 * the dialog still shows the result. On closing, the focus returns to the button that opened it, or
 * to the list.
 */
export function useRowDialog<T>() {
  const [shown, setShown] = useState<T>();
  const opener = useRef<HTMLElement | null>(null);
  const list = useRef<HTMLDivElement>(null);
  return {
    shown,
    open(what: T, from: HTMLElement | null) {
      opener.current = from;
      setShown(what);
    },
    close() {
      setShown(undefined);
      // After the dialog has released the focus.
      setTimeout(() => (opener.current?.isConnected ? opener.current : list.current)?.focus());
    },
    /** For the element around the list. */
    listProps: { ref: list, tabIndex: -1, className: 'outline-none' } as const,
  };
}
