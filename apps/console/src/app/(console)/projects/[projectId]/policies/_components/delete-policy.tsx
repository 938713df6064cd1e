'use client';

import { Trash2 } from 'lucide-react';
import dynamic from 'next/dynamic';
import { createContext, type ReactNode, useContext, useRef, useState } from 'react';
import { Button } from '#components/ui/button.tsx';
import type { PolicyTarget } from './delete-policy-dialog.tsx';

const AskContext = createContext<(target: PolicyTarget, from: HTMLElement) => void>(() => {});

const DeletePolicyDialog = dynamic(() => import('./delete-policy-dialog.tsx'));

export interface PolicyDeletionProps {
  projectId: string;
  children: ReactNode;
}

/**
 * Asks before a policy is deleted. It stands around the list and what is shown without one, so that
 * the last policy to leave takes neither the question nor its answer along.
 */
export function PolicyDeletion({ projectId, children }: PolicyDeletionProps) {
  const [target, setTarget] = useState<PolicyTarget>();
  const opener = useRef<HTMLElement | null>(null);
  const list = useRef<HTMLDivElement>(null);

  function close() {
    setTarget(undefined);
    // After the dialog has let go of the focus; the row may be gone by then.
    setTimeout(() => (opener.current?.isConnected ? opener.current : list.current)?.focus());
  }

  return (
    <AskContext
      value={(asked, from) => {
        opener.current = from;
        setTarget(asked);
      }}
    >
      <div ref={list} tabIndex={-1} className="outline-none">
        {children}
      </div>
      {target && <DeletePolicyDialog projectId={projectId} target={target} onClose={close} />}
    </AskContext>
  );
}

export function DeletePolicyButton({ target }: { target: PolicyTarget }) {
  const ask = useContext(AskContext);
  return (
    <Button
      size="icon"
      variant="quiet"
      aria-label={`Delete ${target.words}`}
      onClick={(event) => ask(target, event.currentTarget)}
    >
      <Trash2 aria-hidden="true" />
    </Button>
  );
}
