'use client';

import { Trash2 } from 'lucide-react';
import { rowDialogs } from '#components/row-dialogs.tsx';
import { IconButton } from '#components/ui/button.tsx';
import type { PolicyTarget } from './delete-policy-dialog.tsx';

const { Dialogs, useOpen } = rowDialogs<{ target: PolicyTarget }, object>(
  () => import('./delete-policy-dialog.tsx'),
);

/** Asks before a policy of the list inside it is deleted. */
export const PolicyDeletion = Dialogs;

export function DeletePolicyButton({ target }: { target: PolicyTarget }) {
  const open = useOpen();
  return (
    <IconButton
      icon={Trash2}
      label={`Delete ${target.words}`}
      onClick={(event) => open({ target }, event.currentTarget)}
    />
  );
}
