'use client';

import { useEffect, useState } from 'react';
import { IDLE, unanswered } from '../../lib/action-state.ts';
import type { Found, Searches } from './found.ts';

/** Long enough to send a word as one request. */
const SETTLE_MS = 150;
/** A single letter is in nearly everything. */
const SHORTEST = 2;
const NO_ANSWER = 'The console is not answering. Try again in a moment.';

interface Answer {
  text: string;
  found: readonly Found[];
  /** Why the server did not search. */
  refusal?: string | undefined;
}

const NOTHING: Omit<Answer, 'text'> = { found: [] };

/** What the server finds for a text, in the current project if there is one. */
export function useFound(
  searches: Searches,
  projectId: string | undefined,
  text: string,
): Pick<Answer, 'found' | 'refusal'> & { isSearching: boolean } {
  const [answer, setAnswer] = useState<Answer>({ text: '', found: [] });
  const wanted = text.trim();
  const isShort = wanted.length < SHORTEST;
  useEffect(() => {
    if (isShort) return;
    let isLatest = true;
    const timer = setTimeout(async () => {
      const form = new FormData();
      form.set('q', wanted);
      if (projectId !== undefined) form.set('projectId', projectId);
      const search = projectId === undefined ? searches.elsewhere : searches.inProject;
      const state = await search(IDLE, form).catch(() => unanswered(NO_ANSWER, form));
      if (!isLatest) return;
      setAnswer({
        text: wanted,
        found: state.kind === 'done' ? state.data : [],
        ...(state.kind === 'refused' && { refusal: state.message }),
      });
    }, SETTLE_MS);
    return () => {
      isLatest = false;
      clearTimeout(timer);
    };
  }, [searches, projectId, wanted, isShort]);
  const isCurrent = answer.text === wanted;
  const { found, refusal } = isCurrent && !isShort ? answer : NOTHING;
  return { found, refusal, isSearching: !isShort && !isCurrent };
}
