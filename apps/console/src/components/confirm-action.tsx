'use client';

import type { ReactNode } from 'react';
import type { FormAction } from '#lib/action-state.ts';
import { ActionForm, type ActionFormParts } from './action-form.tsx';
import { Button } from './ui/button.tsx';
import { AlertDialog, DialogClose, DialogFooter, type DialogProps } from './ui/dialog.tsx';
import { type ToastMessage, useToast } from './ui/toast.tsx';

export interface ConfirmActionProps<Data> extends Omit<DialogProps, 'open' | 'children'> {
  action: FormAction<Data>;
  hidden?: Record<string, string>;
  /** The message of a success. */
  done?: ToastMessage;
  /** Called on a success, in place of `onClose`. */
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
  hidden,
  done,
  onDone,
  confirm,
  cancel,
  isDangerous = true,
  children,
  ...dialog
}: ConfirmActionProps<Data>) {
  const toast = useToast();
  return (
    <AlertDialog {...dialog}>
      <ActionForm
        action={action}
        hidden={hidden}
        onDone={(data) => {
          if (done) toast(done);
          if (onDone) onDone(data);
          else dialog.onClose?.();
        }}
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
