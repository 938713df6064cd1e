'use client';

import { ActionForm, type ActionFormParts, type ActionFormProps } from './action-form.tsx';
import { Button, type ButtonProps } from './ui/button.tsx';

export type SubmitFormProps<Data> = ActionFormProps<Data> &
  Pick<ButtonProps, 'variant'> & {
    /** What the button does: "Save retention". */
    submit: string;
    /** The button is as wide as the form. */
    isWide?: boolean;
    /** A success leads to another page: until it is there, the button cannot be pressed again. */
    leaves?: boolean;
  };

/** A form over a server action that ends with its one button. */
export function SubmitForm<Data>({
  submit,
  variant,
  isWide = false,
  leaves = false,
  children,
  ...form
}: SubmitFormProps<Data>) {
  return (
    <ActionForm className="grid max-w-md gap-4" {...form}>
      {(parts) => (
        <>
          {children(parts)}
          <div className={isWide ? 'grid' : undefined}>
            <Button type="submit" variant={variant} pending={isBusy(parts, leaves)}>
              {submit}
            </Button>
          </div>
        </>
      )}
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
      {(parts) => <Button {...button} type="submit" pending={isBusy(parts, leaves)} />}
    </ActionForm>
  );
}

const isBusy = ({ pending, state }: ActionFormParts<unknown>, leaves: boolean) =>
  pending || (leaves && state.kind === 'done');
