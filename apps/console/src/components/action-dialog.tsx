'use client';

import { type ReactNode, useState } from 'react';
import { ActionForm, type ActionFormProps, useActionForm } from './action-form.tsx';
import { SubmitButton } from './submit-form.tsx';
import {
  AlertDialog,
  Dialog,
  DialogClose,
  type DialogContent,
  DialogFooter,
  type DialogOpening,
  useCloseDialog,
} from './ui/dialog.tsx';
import { Field } from './ui/field.tsx';
import { Input } from './ui/input.tsx';

type ActionDialogProps<Data> = DialogOpening &
  Pick<DialogContent, 'title' | 'description'> &
  Pick<ActionFormProps<Data>, 'action' | 'hidden' | 'done'> & {
    /** Called on a success, in place of closing the dialog. */
    onDone?: (data: Data) => void;
    /** The fields. */
    children?: ReactNode;
  };

export type ConfirmActionProps<Data> = ActionDialogProps<Data> & {
  /** What the two buttons do: "Revoke key", "Keep key". */
  confirm: string;
  cancel: string;
  isDangerous?: boolean;
};

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
  return (
    <AlertDialog {...dialog}>
      <DialogForm {...{ action, hidden, done, onDone }} className="contents">
        {children}
        <DialogFooter>
          <DialogClose>{cancel}</DialogClose>
          <SubmitButton variant={isDangerous ? 'danger' : 'primary'}>{confirm}</SubmitButton>
        </DialogFooter>
      </DialogForm>
    </AlertDialog>
  );
}

export type FormDialogProps<Data> = ActionDialogProps<Data> & {
  /** What the form does: "Rename passkey". */
  submit: string;
  /**
   * Where the action cannot be undone: the exact text to type before the button works. The action checks
   * its field `confirmation` again.
   */
  expected?: string | undefined;
  /** Shown in place of the form. */
  instead?: ReactNode;
};

/** A form in a dialog. */
export function FormDialog<Data>({
  action,
  hidden,
  done,
  onDone,
  submit,
  expected,
  instead,
  children,
  ...dialog
}: FormDialogProps<Data>) {
  return (
    <Dialog {...dialog}>
      {instead || (
        <DialogForm {...{ action, hidden, done, onDone }} className="grid gap-4">
          {children}
          <End submit={submit} expected={expected} />
        </DialogForm>
      )}
    </Dialog>
  );
}

/** Closes the dialog that it is in when the action is done. */
function DialogForm<Data>({ onDone, ...form }: ActionFormProps<Data>) {
  const close = useCloseDialog();
  return <ActionForm {...form} onDone={onDone ?? close} />;
}

/** The buttons, below the field that confirms a deletion. */
function End({ submit, expected }: { submit: string; expected: string | undefined }) {
  const { errorOf } = useActionForm();
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
        <SubmitButton
          variant={expected === undefined ? 'primary' : 'danger'}
          disabled={expected !== undefined && typed.trim() !== expected}
        >
          {submit}
        </SubmitButton>
      </DialogFooter>
    </>
  );
}
