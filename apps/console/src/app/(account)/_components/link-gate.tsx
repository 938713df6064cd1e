'use client';

import { type ReactNode, useCallback, useEffect, useState } from 'react';
import { Button } from '#components/ui/button.tsx';
import { Notice } from '#components/ui/notice.tsx';
import {
  type ActionState,
  ask,
  type FormAction,
  IDLE,
  type RefusalCode,
} from '#lib/action-state.ts';

export interface LinkGateProps<Data> {
  /** The field of `read` that takes the secret. */
  field: string;
  read: FormAction<Data>;
  /** Keeps the secret in the tab under this name, for as long as the server does not refuse the link. */
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
  const { secret, answer, isAsking, askAgain } = useLinkSecret(props);
  if (secret === undefined || (secret !== '' && answer.kind === 'idle')) {
    return <p className="text-muted">Reading the link…</p>;
  }
  if (answer.kind === 'done') return children(answer.data, secret);
  if (answer.kind === 'refused' && UNDECIDED.has(answer.code)) {
    return (
      <div className="grid gap-4">
        <Notice key={answer.at} tone="error">
          The console cannot read this link right now. Try again in a moment, or open the link
          again.
        </Notice>
        <Button pending={isAsking} onClick={askAgain}>
          Try again
        </Button>
      </div>
    );
  }
  return (
    <div className="grid gap-4">
      {answer.kind === 'refused' ? (
        <Notice tone="error">{answer.message ?? incomplete}</Notice>
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
  const [isAsking, setIsAsking] = useState(false);
  const askAbout = useCallback(
    async (taken: string) => {
      setIsAsking(true);
      const settled = await ask(read, { [field]: taken });
      const isRefused = settled.kind === 'refused' && !UNDECIDED.has(settled.code);
      if (isRefused && keptAs !== undefined) sessionStorage.removeItem(keptAs);
      setAnswer(settled);
      setIsAsking(false);
    },
    [field, read, keptAs],
  );
  useEffect(() => {
    const taken = takeFragment() || (keptAs && sessionStorage.getItem(keptAs)) || '';
    setSecret(taken);
    if (taken === '') return;
    if (keptAs !== undefined) sessionStorage.setItem(keptAs, taken);
    askAbout(taken);
  }, [askAbout, keptAs]);
  useEffect(() => {
    // Another link, opened in this tab, changes only the fragment.
    const restart = () => location.reload();
    window.addEventListener('hashchange', restart);
    return () => window.removeEventListener('hashchange', restart);
  }, []);
  return { secret, answer, isAsking, askAgain: () => secret && askAbout(secret) };
}

/** These say nothing about the link, which may work in a moment. */
const UNDECIDED: ReadonlySet<RefusalCode> = new Set(['rate_limited', 'unavailable', 'internal']);

function takeFragment(): string {
  const fragment = location.hash.slice(1);
  if (fragment !== '') {
    // After the effects of this render, with which Next.js starts to notice such a change: it would
    // otherwise put the fragment back with the answer of the next action.
    queueMicrotask(() => history.replaceState(null, '', location.pathname));
  }
  return fragment;
}
