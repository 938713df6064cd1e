'use client';

import dynamic from 'next/dynamic';
import { OpensDialog } from '#components/opens-dialog.tsx';
import type { DeleteAccountProps } from './delete-account-dialog.tsx';

const DeleteAccountDialog = dynamic(() => import('./delete-account-dialog.tsx'));

export const DeleteAccount = (account: DeleteAccountProps) => (
  <OpensDialog label="Delete account…" variant="danger">
    {(close) => <DeleteAccountDialog {...account} onClose={close} />}
  </OpensDialog>
);
