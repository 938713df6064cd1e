'use client';

import dynamic from 'next/dynamic';
import { createContext, type ReactNode, useContext, useRef, useState } from 'react';
import type { KeyStep, KeyTarget } from './key-dialog.tsx';

type Open = (step: KeyStep, target: KeyTarget, from: HTMLElement | null) => void;

const OpenContext = createContext<Open>(() => {});

/** Opens a step for a key; `from` takes the focus back. */
export const useKeyStep = () => useContext(OpenContext);

const KeyDialog = dynamic(() => import('./key-dialog.tsx'));

export interface KeyDialogsProps {
  projectId: string;
  defaultRate: number | null;
  children: ReactNode;
}

/**
 * Holds the step that is open. It stands around the list, so that a row that leaves the list by
 * what was done to it takes neither the step nor its answer along.
 */
export function KeyDialogs({ projectId, defaultRate, children }: KeyDialogsProps) {
  const [shown, setShown] = useState<{ step: KeyStep; target: KeyTarget }>();
  const opener = useRef<HTMLElement | null>(null);
  const list = useRef<HTMLDivElement>(null);

  function close() {
    setShown(undefined);
    // After the dialog has let go of the focus; the row may be gone by then.
    setTimeout(() => (opener.current?.isConnected ? opener.current : list.current)?.focus());
  }

  return (
    <OpenContext
      value={(step, target, from) => {
        opener.current = from;
        setShown({ step, target });
      }}
    >
      <div ref={list} tabIndex={-1} className="outline-none">
        {children}
      </div>
      {shown && (
        <KeyDialog projectId={projectId} defaultRate={defaultRate} {...shown} onClose={close} />
      )}
    </OpenContext>
  );
}
