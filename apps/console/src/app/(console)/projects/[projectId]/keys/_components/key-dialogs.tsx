'use client';

import { rowDialogs } from '#components/row-dialogs.tsx';
import type { KeyDialogFacts, KeyTarget } from '../key-state.ts';
import type { KeyStep } from './key-dialog.tsx';

const { Dialogs, useOpen } = rowDialogs<{ step: KeyStep; target: KeyTarget }, KeyDialogFacts>(
  () => import('./key-dialog.tsx'),
);

/** Shows the dialogs of the keys inside it. */
export const KeyDialogs = Dialogs;

/** Opens a dialog for a key. */
export const useKeyStep = useOpen;
