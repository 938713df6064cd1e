'use client';

import { Trash2 } from 'lucide-react';
import dynamic from 'next/dynamic';
import { createContext, type ReactNode, useContext } from 'react';
import { IconButton } from '#components/ui/button.tsx';
import { useRowDialog } from '#components/ui/use-row-dialog.ts';
import type { PolicyTarget } from './delete-policy-dialog.tsx';

const OpenContext = createContext<(target: PolicyTarget, from: HTMLElement) => void>(() => {});

const DeletePolicyDialog = dynamic(() => import('./delete-policy-dialog.tsx'));

/** Asks before a policy of the list inside it is deleted. */
export function PolicyDeletion({ children }: { children: ReactNode }) {
  const dialog = useRowDialog<PolicyTarget>();
  return (
    <OpenContext value={dialog.open}>
      <div {...dialog.listProps}>{children}</div>
      {dialog.shown && <DeletePolicyDialog target={dialog.shown} onClose={dialog.close} />}
    </OpenContext>
  );
}

export function DeletePolicyButton({ target }: { target: PolicyTarget }) {
  const open = useContext(OpenContext);
  return (
    <IconButton
      icon={Trash2}
      label={`Delete ${target.words}`}
      onClick={(event) => open(target, event.currentTarget)}
    />
  );
}
