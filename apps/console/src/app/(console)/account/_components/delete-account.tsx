'use client';

import { dialogButton } from '#components/dialog-button.tsx';
import type { DeleteAccountProps } from './delete-account-dialog.tsx';

export const DeleteAccount = dialogButton<DeleteAccountProps>(
  'Delete account…',
  () => import('./delete-account-dialog.tsx'),
  'danger',
);
