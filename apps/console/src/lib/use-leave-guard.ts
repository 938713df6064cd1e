'use client';

import { useRouter } from 'next/navigation';
import { useLayoutEffect, useRef, useState } from 'react';

const LEAVING = 'ceiba:leaving';

/** For code that is about to navigate: false where the page asks first, and goes on by itself. */
export const mayLeaveFor = (href: string): boolean =>
  window.dispatchEvent(new CustomEvent(LEAVING, { detail: href, cancelable: true }));

/** Marks the step that a guard adds to the history. */
const STEP = 'ceibaGuarded';

/** Whether a step of the history is the guard's, or leads to a part of its page (`#content`). */
const isInside = (state: unknown) =>
  state === null || (typeof state === 'object' && Object.hasOwn(state, STEP));

export interface LeaveGuard {
  /** Continues the navigation that was stopped; null while no question is open. */
  leave: (() => void) | null;
  /** Forgets that leaving. */
  stay: () => void;
  /** Leaves by the page's own way out, and asks each time. */
  finish: () => void;
}

/**
 * Asks once before the page is left: by a link or a command inside the site, by the way back, or by
 * closing or reloading the tab (the browser asks).
 *
 * While it is mounted a step of its own lies on the history: the way back takes that one first, so
 * that there is still a page to ask on. Every way out takes it back, or the way back would later
 * stop there.
 *
 * @param isSafe Whether leaving loses nothing, so that no question is needed.
 * @param onDone The page's own way out.
 */
export function useLeaveGuard(isSafe: boolean, onDone: () => void): LeaveGuard {
  const router = useRouter();
  const [leave, setLeave] = useState<(() => void) | null>(null);
  const asked = useRef(false);
  const latest = useRef({ isSafe, onDone });
  latest.current = { isSafe, onDone };
  /** What goes on once the guard's step is taken back. */
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

  // Before what is guarded can be seen, and therefore left.
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
    // To where one is leads nowhere: nothing is asked, and no page is read that could fail.
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
    // Where nothing lies behind it, the way back is the page's own way out.
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
    // Before React's own listeners, which would already have begun to navigate.
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
