'use client';

import { useRouter } from 'next/navigation';
import { useEffect, useRef, useState } from 'react';

const LEAVING = 'ceiba:leaving';

/** For code that is about to navigate: false where the page asks first, and goes on by itself. */
export const mayLeaveFor = (href: string): boolean =>
  window.dispatchEvent(new CustomEvent(LEAVING, { detail: href, cancelable: true }));

/**
 * Asks once before the page is left: by a link or a command inside the site, by the way back, or by
 * closing or reloading the tab (the browser asks).
 *
 * @returns what goes on with the leaving that was stopped, and a way to forget it
 */
export function useLeaveGuard(active: boolean): {
  leave: (() => void) | null;
  stay: () => void;
} {
  const router = useRouter();
  const [leave, setLeave] = useState<(() => void) | null>(null);
  const asked = useRef(false);

  useEffect(() => {
    if (!active) return;
    function ask(goOn: () => void) {
      asked.current = true;
      setLeave(() => goOn);
    }
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
      ask(() => router.push(link.href));
    }
    function onLeaving(event: Event) {
      if (asked.current || !(event instanceof CustomEvent)) return;
      event.preventDefault();
      const href: string = event.detail;
      ask(() => router.push(href));
    }
    function onBack() {
      if (!asked.current) ask(() => history.back());
    }
    // A step of its own to go back from: without it the page is gone before anybody can ask.
    history.pushState(null, '', location.href);
    window.addEventListener('beforeunload', onUnload);
    window.addEventListener(LEAVING, onLeaving);
    window.addEventListener('popstate', onBack);
    // Before React's own listeners, which would already have begun to navigate.
    document.addEventListener('click', onClick, true);
    return () => {
      window.removeEventListener('beforeunload', onUnload);
      window.removeEventListener(LEAVING, onLeaving);
      window.removeEventListener('popstate', onBack);
      document.removeEventListener('click', onClick, true);
    };
  }, [active, router]);

  return { leave, stay: () => setLeave(null) };
}
