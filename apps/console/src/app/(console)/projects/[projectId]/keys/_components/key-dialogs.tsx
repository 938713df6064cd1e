'use client';

import type { ComponentProps } from 'react';
import { rowDialogs } from '#components/row-dialogs.tsx';
import type { KeyDialogFacts, KeyTarget } from '../key-state.ts';
import type { KeyStep } from './key-dialog.tsx';
import { ReplaceStep } from './replace-step.tsx';

const { Dialogs, OpenButton, useOpen } = rowDialogs<
  { step: KeyStep; target: KeyTarget },
  KeyDialogFacts
>(() => import('./key-dialog.tsx'));

/** Shows the dialogs of the keys inside it, and in place of the page the new secret of one. */
export const KeyDialogs = (props: ComponentProps<typeof Dialogs>) => (
  <ReplaceStep>
    <Dialogs {...props} />
  </ReplaceStep>
);

/** A button that opens one dialog of a key. */
export const KeyStepButton = OpenButton;

/** Opens a dialog for a key. */
export const useKeyStep = useOpen;
