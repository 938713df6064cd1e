'use client';

import { useEffect, useState } from 'react';

const CONFIRMATION_MS = 2_000;
/** Longer: it says what to do instead. */
const REFUSAL_MS = 6_000;

/** What the browser did; null before a copy and some seconds after it. */
export type CopyOutcome = 'copied' | 'refused' | null;

export function useCopy(text: string): {
  outcome: CopyOutcome;
  copy: () => Promise<CopyOutcome>;
} {
  const [outcome, setOutcome] = useState<CopyOutcome>(null);
  useEffect(() => {
    if (outcome === null) return;
    const staysMs = outcome === 'copied' ? CONFIRMATION_MS : REFUSAL_MS;
    const timer = setTimeout(() => setOutcome(null), staysMs);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = async () => {
    const done = (await copyText(text)) ? 'copied' : 'refused';
    setOutcome(done);
    return done;
  };
  return { outcome, copy };
}

async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

/** The deprecated API, which also works without HTTPS. */
function copyBySelection(text: string): boolean {
  const holder = document.createElement('textarea');
  holder.value = text;
  holder.className = 'fixed opacity-0';
  // In an open dialog, because its focus trap would take the selection away.
  (document.activeElement?.closest('[role=dialog]') ?? document.body).append(holder);
  holder.select();
  const copied = document.execCommand('copy');
  holder.remove();
  return copied;
}
