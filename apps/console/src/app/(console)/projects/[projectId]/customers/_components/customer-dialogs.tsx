'use client';

import type { ReactNode } from 'react';
import { rowDialogs } from '#components/row-dialogs.tsx';
import { Button, type ButtonProps } from '#components/ui/button.tsx';
import type { CustomerDialogFacts } from '../customer-state.ts';
import type { CustomerStep } from './customer-dialog.tsx';

const { Dialogs, useOpen } = rowDialogs<{ step: CustomerStep }, CustomerDialogFacts>(
  () => import('./customer-dialog.tsx'),
);

/** Shows the dialogs of a customer. */
export const CustomerDialogs = Dialogs;

export interface CustomerStepButtonProps extends Pick<ButtonProps, 'size' | 'variant'> {
  step: CustomerStep;
  children: ReactNode;
}

/** A button that opens one dialog of the customer. */
export function CustomerStepButton({ step, children, ...looks }: CustomerStepButtonProps) {
  const open = useOpen();
  return (
    <Button {...looks} onClick={(event) => open({ step }, event.currentTarget)}>
      {children}
    </Button>
  );
}
