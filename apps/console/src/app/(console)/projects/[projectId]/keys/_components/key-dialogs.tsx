'use client';

import dynamic from 'next/dynamic';
import { createContext, type ReactNode, useContext } from 'react';
import { useRowDialog } from '#components/ui/use-row-dialog.ts';
import type { KeyTarget } from '../key-state.ts';
import type { KeyStep } from './key-dialog.tsx';

type Open = (step: KeyStep, target: KeyTarget, from: HTMLElement | null) => void;

const OpenContext = createContext<Open>(() => {});

/** Opens a dialog for a key; `from` gets the focus back. */
export const useKeyStep = () => useContext(OpenContext);

const KeyDialog = dynamic(() => import('./key-dialog.tsx'));

export interface KeyDialogsProps {
  defaultRate: number | null;
  children: ReactNode;
}

/** Shows the dialogs of the keys inside it. */
export function KeyDialogs({ defaultRate, children }: KeyDialogsProps) {
  const dialog = useRowDialog<{ step: KeyStep; target: KeyTarget }>();
  return (
    <OpenContext value={(step, target, from) => dialog.open({ step, target }, from)}>
      <div {...dialog.listProps}>{children}</div>
      {dialog.shown && (
        <KeyDialog defaultRate={defaultRate} {...dialog.shown} onClose={dialog.close} />
      )}
    </OpenContext>
  );
}
