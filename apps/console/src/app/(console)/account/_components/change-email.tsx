'use client';

import { dialogButton } from '#components/dialog-button.tsx';
import type { ChangeEmailProps } from './change-email-dialog.tsx';

export const ChangeEmail = dialogButton<ChangeEmailProps>(
  'Change address…',
  () => import('./change-email-dialog.tsx'),
);
