'use client';

import { useEffect, useState } from 'react';
import { type ActionState, ask, type FormAction, IDLE } from '#lib/action-state.ts';

export interface LinkSecret<Data> {
  /** Undefined until the browser has read it; empty without one. */
  secret: string | undefined;
  /** What the server says about it. */
  answer: ActionState<Data>;
}

/**
 * The secret behind the `#` of the link that led here, and what it stands for. It leaves the address at
 * once, so that it is not copied or shown with it.
 *
 * @param field The field of `read` that takes the secret.
 * @param keptAs Keeps it in the tab under this name, for as long as the server does not refuse it.
 */
export function useLinkSecret<Data>(
  field: string,
  read: FormAction<Data>,
  keptAs?: string,
): LinkSecret<Data> {
  const [secret, setSecret] = useState<string>();
  const [answer, setAnswer] = useState<ActionState<Data>>(IDLE);
  useEffect(() => {
    const taken = takeFragment() || (keptAs && sessionStorage.getItem(keptAs)) || '';
    setSecret(taken);
    if (taken === '') return;
    if (keptAs !== undefined) sessionStorage.setItem(keptAs, taken);
    ask(read, { [field]: taken }, NO_ANSWER).then((settled) => {
      const isRefused = settled.kind === 'refused' && settled.code !== 'unavailable';
      if (isRefused && keptAs !== undefined) sessionStorage.removeItem(keptAs);
      setAnswer(settled);
    });
  }, [field, read, keptAs]);
  useEffect(() => {
    // Another link, opened in this tab, changes only the fragment.
    const restart = () => location.reload();
    window.addEventListener('hashchange', restart);
    return () => window.removeEventListener('hashchange', restart);
  }, []);
  return { secret, answer };
}

const NO_ANSWER = 'The console is not answering. Open the link again in a moment.';

function takeFragment(): string {
  const fragment = location.hash.slice(1);
  if (fragment !== '') {
    // After the effects of this render, with which Next.js starts to notice such a change: it would
    // otherwise put the fragment back with the answer of the next action.
    queueMicrotask(() => history.replaceState(null, '', location.pathname));
  }
  return fragment;
}
