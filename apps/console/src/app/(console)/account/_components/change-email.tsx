'use client';

import dynamic from 'next/dynamic';
import { OpensDialog } from '#components/opens-dialog.tsx';
import type { ChangeEmailProps } from './change-email-dialog.tsx';

const ChangeEmailDialog = dynamic(() => import('./change-email-dialog.tsx'));

export const ChangeEmail = (address: ChangeEmailProps) => (
  <OpensDialog label="Change address…">
    {(close) => <ChangeEmailDialog {...address} onClose={close} />}
  </OpensDialog>
);
