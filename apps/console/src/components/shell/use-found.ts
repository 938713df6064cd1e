'use client';

import { useEffect, useState } from 'react';
import { IDLE } from '../../lib/action-state.ts';
import type { Found, Searches } from './found.ts';

/** Long enough to send a word as one request. */
const SETTLE_MS = 150;
/** A single letter is in nearly everything. */
const SHORTEST = 2;

/** What the server finds for a text, in the current project if there is one. */
export function useFound(
  searches: Searches,
  projectId: string | undefined,
  text: string,
): { found: readonly Found[]; isSearching: boolean } {
  const [answer, setAnswer] = useState<{ text: string; found: Found[] }>({ text: '', found: [] });
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
      const state = await search(IDLE, form).catch(() => IDLE);
      if (isLatest) setAnswer({ text: wanted, found: state.kind === 'done' ? state.data : [] });
    }, SETTLE_MS);
    return () => {
      isLatest = false;
      clearTimeout(timer);
    };
  }, [searches, projectId, wanted, isShort]);
  const isCurrent = answer.text === wanted;
  return { found: isCurrent ? answer.found : [], isSearching: !isShort && !isCurrent };
}
