'use client';

import type { ReactNode } from 'react';
import type { FormAction } from '#lib/action-state.ts';
import { ActionForm, type ActionFormParts } from './action-form.tsx';
import { Button } from './ui/button.tsx';
import { AlertDialog, DialogClose, DialogFooter } from './ui/dialog.tsx';

export interface ConfirmActionProps<Data> {
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
  /** The button that opens the dialog. */
  trigger?: ReactNode;
  /** The question: "Revoke Mobile app?" */
  title: ReactNode;
  /** What it does, and whether it can be undone. */
  description: ReactNode;
  action: FormAction<Data>;
  hidden?: Record<string, string>;
  onDone?: (data: Data) => void;
  /** What the two buttons do: "Revoke key", "Keep key". */
  confirm: string;
  cancel: string;
  isDangerous?: boolean;
  /** Fields above the buttons. */
  children?: (parts: ActionFormParts<Data>) => ReactNode;
}

/** Asks before an action runs. The safe button has the focus; an error shows in the dialog. */
export function ConfirmAction<Data>({
  action,
  hidden = {},
  onDone,
  confirm,
  cancel,
  isDangerous = true,
  children,
  ...dialog
}: ConfirmActionProps<Data>) {
  return (
    <AlertDialog {...dialog}>
      <ActionForm
        action={action}
        hidden={hidden}
        onDone={(data) => onDone?.(data)}
        className="contents"
      >
        {(parts) => (
          <>
            {children?.(parts)}
            <DialogFooter>
              <DialogClose>{cancel}</DialogClose>
              <Button
                type="submit"
                variant={isDangerous ? 'danger' : 'primary'}
                pending={parts.pending}
              >
                {confirm}
              </Button>
            </DialogFooter>
          </>
        )}
      </ActionForm>
    </AlertDialog>
  );
}
