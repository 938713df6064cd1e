'use client';

import { shownOnce } from '#components/shown-once.tsx';
import type { NewResetLink } from '../actions.ts';

/** The step that shows a new link in place of the list of accounts. */
export const shownLink = shownOnce<NewResetLink>(() => import('./reset-link.tsx'));
