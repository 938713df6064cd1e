'use client';

import { useEffect, useRef, useState } from 'react';

/**
 * Asks once before the page is left: by a link inside the site (the returned address is where it
 * leads), or by closing or reloading the tab (the browser asks).
 *
 * @returns the address that was stopped, and a way to forget it
 */
export function useLeaveGuard(active: boolean): {
  stoppedAt: string | null;
  stay: () => void;
} {
  const [stoppedAt, setStoppedAt] = useState<string | null>(null);
  const asked = useRef(false);

  useEffect(() => {
    if (!active) return;
    function onUnload(event: BeforeUnloadEvent) {
      if (!asked.current) event.preventDefault();
    }
    function onClick(event: MouseEvent) {
      const link = event.target instanceof Element ? event.target.closest('a[href]') : null;
      const opensElsewhere = event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0;
      if (!(link instanceof HTMLAnchorElement) || opensElsewhere || asked.current) return;
      if (link.target === '_blank' || link.hasAttribute('download')) return;
      event.preventDefault();
      event.stopPropagation();
      asked.current = true;
      setStoppedAt(link.href);
    }
    window.addEventListener('beforeunload', onUnload);
    // Before React's own listeners, which would already have begun to navigate.
    document.addEventListener('click', onClick, true);
    return () => {
      window.removeEventListener('beforeunload', onUnload);
      document.removeEventListener('click', onClick, true);
    };
  }, [active]);

  return { stoppedAt, stay: () => setStoppedAt(null) };
}
