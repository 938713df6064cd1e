'use client';

import { useTransition } from 'react';
import { ask, type FormAction } from '../lib/action-state.ts';
import { Button } from './ui/button.tsx';
import { type ToastMessage, useToast } from './ui/toast.tsx';

export interface Undo<Data> {
  /** What takes the change back. */
  action: FormAction<Data>;
  fields: Record<string, string>;
  /** The message of its success. */
  done: string | ((data: Data) => string);
}

/** A message whose change can be taken back from it, also by `z`. */
export const withUndo = <Data,>(message: ToastMessage, undo: Undo<Data>): ToastMessage => ({
  ...message,
  action: (dismiss) => <UndoButton {...undo} dismiss={dismiss} />,
});

function UndoButton<Data>({ action, fields, done, dismiss }: Undo<Data> & { dismiss: () => void }) {
  const toast = useToast();
  const [pending, start] = useTransition();
  function undo() {
    start(async () => {
      const state = await ask(action, fields, NO_ANSWER);
      dismiss();
      if (state.kind === 'refused') {
        toast({ title: 'Not undone', ...(state.message && { description: state.message }) });
      } else if (state.kind === 'done') {
        toast({ title: typeof done === 'string' ? done : done(state.data) });
      }
    });
  }
  return (
    <Button size="sm" disabled={pending} onClick={undo} data-shortcut="undo">
      Undo
    </Button>
  );
}

const NO_ANSWER = 'The console is not answering. Reload the page to see what was saved.';
