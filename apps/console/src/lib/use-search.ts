'use client';

import { useEffect, useState } from 'react';
import { ask, type FormAction } from './action-state.ts';

/** Long enough to send a word as one request. */
const SETTLE_MS = 150;

export interface Searched<Item> {
  /** Until an answer arrives, what was found for an earlier text. */
  found: readonly Item[];
  /** Why the server did not search. */
  refusal?: string | undefined;
  /** Whether this is the answer for the text; true for a text that is too short to search for. */
  isCurrent: boolean;
}

export interface SearchOptions<Item> {
  /** Takes the text as `q`: in the body of a request, never in an address, because it may hold a key. */
  search: FormAction<Item[]>;
  projectId?: string | undefined;
  /** The length from which on a text is searched for. */
  shortest: number;
  /** What stands for a shorter text. */
  otherwise: readonly Item[];
}

/** What the server finds for a text, shortly after the last keystroke. */
export function useSearch<Item>(
  text: string,
  { search, projectId, shortest, otherwise }: SearchOptions<Item>,
): Searched<Item> {
  const [answer, setAnswer] = useState<Omit<Searched<Item>, 'isCurrent'> & { text: string }>({
    text: '',
    found: otherwise,
  });
  const wanted = text.trim();
  const isShort = wanted.length < shortest;
  useEffect(() => {
    if (isShort) return;
    let isLatest = true;
    const timer = setTimeout(async () => {
      const state = await ask(search, { q: wanted, ...(projectId !== undefined && { projectId }) });
      if (!isLatest) return;
      setAnswer({
        text: wanted,
        found: state.kind === 'done' ? state.data : [],
        refusal: state.kind === 'refused' ? state.message : undefined,
      });
    }, SETTLE_MS);
    return () => {
      isLatest = false;
      clearTimeout(timer);
    };
  }, [search, projectId, wanted, isShort]);
  if (isShort) return { found: otherwise, isCurrent: true };
  return { found: answer.found, refusal: answer.refusal, isCurrent: answer.text === wanted };
}
