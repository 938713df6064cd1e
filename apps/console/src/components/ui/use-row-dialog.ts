'use client';

import { useEffect, useRef, useState } from 'react';

/**
 * A dialog about one row of a list. Keep its state around the list: the row may leave the list while
 * the dialog still shows the result. On closing, the focus returns to the button that opened it, or
 * to the list.
 *
 * A dialog that is opened with an address has it as the fragment of the page's, which is a step of the
 * browser's history: going back closes the dialog.
 */
export function useRowDialog<T>() {
  const [shown, setShown] = useState<T>();
  const opener = useRef<HTMLElement | null>(null);
  const list = useRef<HTMLDivElement>(null);
  const address = useRef<{ hash: string; isStep: boolean }>(undefined);
  useEffect(() => {
    const onStep = () => {
      if (address.current === undefined || location.hash === address.current.hash) return;
      address.current = undefined;
      setShown(undefined);
    };
    addEventListener('popstate', onStep);
    return () => removeEventListener('popstate', onStep);
  }, []);
  return {
    shown,
    open(what: T, from: HTMLElement | null, at?: string) {
      opener.current = from;
      setShown(what);
      if (at === undefined) return;
      const hash = `#${at}`;
      const isStep = location.hash !== hash;
      address.current = { hash, isStep };
      if (isStep) history.pushState(null, '', hash);
    },
    close() {
      setShown(undefined);
      const left = address.current;
      address.current = undefined;
      if (left?.isStep) history.back();
      else if (left) history.replaceState(null, '', location.pathname + location.search);
      // After the dialog has released the focus.
      setTimeout(() => (opener.current?.isConnected ? opener.current : list.current)?.focus());
    },
    /** For the element around the list. */
    listProps: { ref: list, tabIndex: -1, className: 'outline-none' } as const,
  };
}
