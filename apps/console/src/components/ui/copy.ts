'use client';

import { useEffect, useState } from 'react';

const CONFIRMATION_MS = 2_000;

/** Copies text. `copied` is true for two seconds; `copy` returns false if the browser refuses. */
export function useCopy(text: string): { copied: boolean; copy: () => Promise<boolean> } {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), CONFIRMATION_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    const done = await copyText(text);
    setCopied(done);
    return done;
  };
  return { copied, copy };
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
