'use client';

import type { ReactNode } from 'react';
import { Button, type ButtonProps } from '#components/ui/button.tsx';
import type { KeyTarget } from '../key-state.ts';
import type { KeyStep } from './key-dialog.tsx';
import { useKeyStep } from './key-dialogs.tsx';

export interface KeyStepButtonProps extends Pick<ButtonProps, 'size' | 'variant'> {
  step: KeyStep;
  target: KeyTarget;
  children: ReactNode;
}

/** A button that opens one dialog of a key. */
export function KeyStepButton({ step, target, children, ...looks }: KeyStepButtonProps) {
  const openStep = useKeyStep();
  return (
    <Button {...looks} onClick={(event) => openStep({ step, target }, event.currentTarget)}>
      {children}
    </Button>
  );
}
