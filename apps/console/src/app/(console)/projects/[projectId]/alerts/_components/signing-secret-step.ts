'use client';

import { shownOnce } from '#components/shown-once.tsx';
import type { NewSigningSecret } from '../actions.ts';

export const signingSecret = shownOnce<NewSigningSecret>(() => import('./signing-secret.tsx'));

/** The page, or instead of it a new signing secret. */
export const SigningSecretStep = signingSecret.Step;
