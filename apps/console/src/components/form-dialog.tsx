'use client';

import { type ReactNode, useState } from 'react';
import { ActionForm, type ActionFormParts, type ActionFormProps } from './action-form.tsx';
import { Button } from './ui/button.tsx';
import { Dialog, DialogClose, DialogFooter, type DialogProps } from './ui/dialog.tsx';
import { Field } from './ui/field.tsx';
import { Input } from './ui/input.tsx';
import { type ToastMessage, useToast } from './ui/toast.tsx';

export interface FormDialogProps<Data>
  extends Pick<DialogProps, 'trigger' | 'title' | 'description' | 'onClose'>,
    Pick<ActionFormProps<Data>, 'action' | 'hidden'> {
  /** What the form does: "Rename passkey". */
  submit: string;
  /**
   * Where the action cannot be undone: the exact text to type before the button works. The action checks
   * its field `confirmation` again.
   */
  expected?: string | undefined;
  /** Shown in place of the form. */
  instead?: ReactNode;
  /** The message of a success. */
  done?: ToastMessage;
  onDone?: (data: Data) => void;
  /** The fields. */
  children?: (parts: ActionFormParts<Data>) => ReactNode;
}

/** A form in a dialog, which closes when the action is done. */
export function FormDialog<Data>({
  action,
  hidden,
  submit,
  expected,
  instead,
  done,
  onDone,
  onClose,
  children,
  ...dialog
}: FormDialogProps<Data>) {
  const [isOpen, setOpen] = useState(onClose !== undefined);
  const toast = useToast();
  function change(next: boolean) {
    setOpen(next);
    if (!next) onClose?.();
  }
  return (
    <Dialog {...dialog} open={isOpen} onOpenChange={change}>
      {instead || (
        <ActionForm
          action={action}
          hidden={hidden}
          onDone={(data) => {
            if (done) toast(done);
            onDone?.(data);
            change(false);
          }}
          className="grid gap-4"
        >
          {(parts) => (
            <>
              {children?.(parts)}
              <End {...parts} submit={submit} expected={expected} />
            </>
          )}
        </ActionForm>
      )}
    </Dialog>
  );
}

interface EndProps extends Pick<ActionFormParts<unknown>, 'pending' | 'errorOf'> {
  submit: string;
  expected: string | undefined;
}

/** The buttons, below the field that confirms a deletion. */
function End({ pending, errorOf, submit, expected }: EndProps) {
  const [typed, setTyped] = useState('');
  return (
    <>
      {expected !== undefined && (
        <Field
          name="confirmation"
          error={errorOf('confirmation')}
          label={
            <span className="font-normal">
              {/* Not a <Name>: copied from here, the text must be the exact name. */}
              Type <strong className="inline-block font-semibold break-all">{expected}</strong> to
              confirm
            </span>
          }
        >
          {(control) => (
            <Input
              {...control}
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
            />
          )}
        </Field>
      )}
      <DialogFooter>
        <DialogClose>Cancel</DialogClose>
        <Button
          type="submit"
          variant={expected === undefined ? 'primary' : 'danger'}
          disabled={expected !== undefined && typed.trim() !== expected}
          pending={pending}
        >
          {submit}
        </Button>
      </DialogFooter>
    </>
  );
}
