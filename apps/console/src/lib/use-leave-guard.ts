'use client';

import { useRouter } from 'next/navigation';
import { useLayoutEffect, useRef, useState } from 'react';

const LEAVING = 'ceiba:leaving';

/** Asks a page before code navigates away. False if the page shows its question and navigates itself. */
export const mayLeaveFor = (href: string): boolean =>
  window.dispatchEvent(new CustomEvent(LEAVING, { detail: href, cancelable: true }));

/** Marks the history entry that a guard adds. */
const STEP = 'ceibaGuarded';

/** Whether a history entry is the guard's, or of a fragment of its page (`#content`). */
const isInside = (state: unknown) =>
  state === null || (typeof state === 'object' && Object.hasOwn(state, STEP));

export interface LeaveGuard {
  /** Continues the stopped navigation; null if no question is open. */
  leave: (() => void) | null;
  /** Cancels the stopped navigation. */
  stay: () => void;
  /** Leaves through `onDone`; asks every time. */
  finish: () => void;
}

/**
 * Asks once before the user leaves the page: through a link or a command, the Back button, or by
 * closing or reloading the tab (there the browser asks).
 *
 * It adds an entry to the history, so that Back first returns to the page, which can then ask. Every
 * way out removes that entry, so that Back works as usual later.
 *
 * @param isSafe Leaving loses nothing, so no question is needed.
 * @param onDone Leaves the page.
 */
export function useLeaveGuard(isSafe: boolean, onDone: () => void): LeaveGuard {
  const router = useRouter();
  const [leave, setLeave] = useState<(() => void) | null>(null);
  const asked = useRef(false);
  const latest = useRef({ isSafe, onDone });
  latest.current = { isSafe, onDone };
  /** Continues after the guard's entry is removed. */
  const next = useRef<(() => void) | null>(null);

  function ask(goOn: () => void) {
    setLeave(() => () => {
      setLeave(null);
      goOn();
    });
  }
  function out(goOn: () => void) {
    next.current = goOn;
    history.back();
  }
  function enter() {
    if (!isInside(history.state)) history.pushState({ [STEP]: true }, '', location.href);
  }

  // A layout effect, so that it runs before the user can leave.
  useLayoutEffect(() => {
    const here = location.pathname;
    const isFirst = history.length === 1;
    const mustAsk = () => !latest.current.isSafe && !asked.current;
    function askOnce(goOn: () => void) {
      if (!mustAsk()) return goOn();
      asked.current = true;
      ask(goOn);
    }
    function isHere(href: string) {
      const { origin, pathname } = new URL(href, location.href);
      return origin === location.origin && pathname === here;
    }
    // A link to the current page does nothing: reloading could fail and lose the secret.
    function leaveFor(href: string) {
      if (!isHere(href)) askOnce(() => out(() => router.push(href)));
    }
    function onUnload(event: BeforeUnloadEvent) {
      if (mustAsk()) event.preventDefault();
    }
    function onClick(event: MouseEvent) {
      const link = event.target instanceof Element ? event.target.closest('a[href]') : null;
      const opensElsewhere = event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0;
      if (!(link instanceof HTMLAnchorElement) || opensElsewhere) return;
      if (link.target === '_blank' || link.hasAttribute('download')) return;
      if (link.hash !== '' && isHere(link.href)) return;
      event.preventDefault();
      event.stopPropagation();
      leaveFor(link.href);
    }
    function onLeaving(event: Event) {
      if (!(event instanceof CustomEvent)) return;
      event.preventDefault();
      leaveFor(event.detail);
    }
    // Without an earlier entry, Back leaves through `onDone`.
    const goBack = () => (isFirst ? latest.current.onDone() : history.back());
    function onBack(event: PopStateEvent) {
      if (location.pathname !== here) return;
      const goOn = next.current;
      if (isInside(event.state)) {
        if (goOn !== null) history.back();
        return;
      }
      next.current = null;
      if (goOn === null) askOnce(goBack);
      else goOn();
    }
    enter();
    window.addEventListener('beforeunload', onUnload);
    window.addEventListener(LEAVING, onLeaving);
    window.addEventListener('popstate', onBack);
    // In the capture phase, before React's listeners start to navigate.
    document.addEventListener('click', onClick, true);
    return () => {
      window.removeEventListener('beforeunload', onUnload);
      window.removeEventListener(LEAVING, onLeaving);
      window.removeEventListener('popstate', onBack);
      document.removeEventListener('click', onClick, true);
    };
  }, [router]);

  function stay() {
    setLeave(null);
    enter();
  }
  const finish = () => (isSafe ? out(onDone) : ask(() => out(onDone)));
  return { leave, stay, finish };
}
