'use client';

import { clsx } from 'clsx';
import type { ReactNode } from 'react';
import { ActionForm, type ActionFormProps, useActionForm } from './action-form.tsx';
import { Button, type ButtonProps } from './ui/button.tsx';

export type SubmitFormProps<Data> = Omit<ActionFormProps<Data>, 'children'> &
  Pick<ButtonProps, 'variant'> & {
    /** What the button does: "Save retention". */
    submit: string;
    /** The button is as wide as the form. */
    isWide?: boolean;
    /** Where there is room, the fields and the button are on one line. */
    isInline?: boolean;
    /** A success leads to another page: until it is there, the button cannot be pressed again. */
    leaves?: boolean;
    children: ReactNode;
  };

/** A form over a server action that ends with its one button. */
export function SubmitForm<Data>({
  submit,
  variant,
  isWide = false,
  isInline = false,
  leaves = false,
  children,
  ...form
}: SubmitFormProps<Data>) {
  return (
    <ActionForm
      className={
        isInline
          ? 'flex gap-x-3 gap-y-4 max-sm:flex-col sm:flex-wrap sm:items-start [&>:has(>label)]:max-w-md [&>:has(>label)]:flex-1 *:[[role=alert]]:basis-full'
          : 'grid max-w-md gap-4'
      }
      {...form}
    >
      {children}
      {/* Beside the control of a field, which is below its label. */}
      <div className={clsx(isWide && 'grid', isInline && 'sm:mt-6.5')}>
        <SubmitButton variant={variant} leaves={leaves}>
          {submit}
        </SubmitButton>
      </div>
    </ActionForm>
  );
}

export type ActionButtonProps<Data> = Pick<
  SubmitFormProps<Data>,
  'action' | 'hidden' | 'done' | 'onDone' | 'leaves'
> &
  Omit<ButtonProps, 'hidden' | 'type' | 'pending'>;

/** A button that acts without a question, because what it does can be undone. */
export function ActionButton<Data>({
  action,
  hidden,
  done,
  onDone,
  leaves = false,
  ...button
}: ActionButtonProps<Data>) {
  return (
    <ActionForm {...{ action, hidden, done, onDone }}>
      <SubmitButton {...button} leaves={leaves} />
    </ActionForm>
  );
}

/** Sends the form that it is in. */
export function SubmitButton({ leaves = false, ...button }: ButtonProps & { leaves?: boolean }) {
  const { pending, state } = useActionForm();
  const isBusy = pending || (leaves && state.kind === 'done');
  return <Button type="submit" pending={isBusy} {...button} />;
}
