'use client';

import { type ReactNode, useEffect, useState } from 'react';
import { Notice } from '#components/ui/notice.tsx';
import { type ActionState, ask, type FormAction, IDLE } from '#lib/action-state.ts';

export interface LinkGateProps<Data> {
  /** The field of `read` that takes the secret. */
  field: string;
  read: FormAction<Data>;
  /** Keeps the secret in the tab under this name, for as long as the server does not refuse it. */
  keptAs?: string;
  /** What to do where the link has no secret. */
  incomplete: ReactNode;
  /** What to do instead where the link does not work. */
  instead?: ReactNode;
  /** What the link is for, once the server knows it. */
  children: (data: Data, secret: string) => ReactNode;
}

/** Reads the secret of the link that led here, and says what is wrong with it. */
export function LinkGate<Data>(props: LinkGateProps<Data>) {
  const { incomplete, instead, children } = props;
  const [secret, answer] = useLinkSecret(props);
  if (secret === undefined || (secret !== '' && answer.kind === 'idle')) {
    return <p className="text-muted">Reading the link…</p>;
  }
  if (answer.kind === 'done') return children(answer.data, secret);
  return (
    <div className="grid gap-4">
      {answer.kind === 'refused' ? (
        <Notice tone="error">{answer.message}</Notice>
      ) : (
        <p className="text-muted">{incomplete}</p>
      )}
      {instead}
    </div>
  );
}

/**
 * The secret behind the `#` of the link that led here, undefined until the browser has read it and empty
 * without one; and what the server says about it. It leaves the address at once, so that it is not copied
 * or shown with it.
 */
function useLinkSecret<Data>({ field, read, keptAs }: LinkGateProps<Data>) {
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
  return [secret, answer] as const;
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
