'use client';

import { shownOnce } from '#components/shown-once.tsx';
import { type ReplacedKey, replaceKey } from '../actions.ts';

const shown = shownOnce<ReplacedKey>(() => import('./replaced-key.tsx'));

/** The page, or instead of it the new secret of a key that was replaced on it. */
export const ReplaceStep = shown.Step;

export const useShowReplaced = shown.useShow;
export const prepareReplaced = shown.prepare;
export const replaceShownKey = shown.before(replaceKey, 'the key was not replaced');
