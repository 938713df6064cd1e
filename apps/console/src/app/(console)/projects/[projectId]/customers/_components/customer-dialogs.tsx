'use client';

import { rowDialogs } from '#components/row-dialogs.tsx';
import type { CustomerDialogFacts, CustomerTarget } from '../customer-state.ts';
import type { CustomerStep } from './customer-dialog.tsx';

const { Dialogs, OpenButton, useOpen } = rowDialogs<
  { step: CustomerStep; target: CustomerTarget },
  CustomerDialogFacts
>(() => import('./customer-dialog.tsx'));

/** Shows the dialogs of the customers inside it. */
export const CustomerDialogs = Dialogs;

/** A button that opens one dialog of the customer. */
export const CustomerStepButton = OpenButton;

/** Opens a dialog for a customer. */
export const useCustomerStep = useOpen;
