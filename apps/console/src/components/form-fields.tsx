'use client';

import { clsx } from 'clsx';
import type { ComponentProps } from 'react';
import { useActionForm } from './action-form.tsx';
import { SubmitButton } from './submit-form.tsx';
import { ButtonLink } from './ui/button.tsx';
import {
  Field,
  InputField,
  type InputFieldProps,
  SelectField,
  type SelectFieldProps,
} from './ui/field.tsx';
import { TextArea } from './ui/input.tsx';

/** An `ActionForm` gives its fields their errors and what was typed; `initial` is the value before that. */
type OfForm<Props> = Omit<Props, 'error' | 'defaultValue'> & { initial?: string | undefined };

export type TextFieldProps = OfForm<InputFieldProps>;

/** A labelled text field of an `ActionForm`: shows its error and keeps what was typed. */
export function TextField({ initial, ...field }: TextFieldProps) {
  const { errorOf, typed } = useActionForm();
  return (
    <InputField
      autoComplete="off"
      {...field}
      error={errorOf(field.name)}
      defaultValue={typed(field.name, initial)}
    />
  );
}

/** As {@link TextField}, for a choice of one. */
export function ChoiceField({ initial, ...field }: OfForm<SelectFieldProps>) {
  const { errorOf, typed } = useActionForm();
  return (
    <SelectField {...field} error={errorOf(field.name)} defaultValue={typed(field.name, initial)} />
  );
}

export type TextAreaFieldProps = Omit<ComponentProps<'textarea'>, 'name' | 'defaultValue'> &
  Pick<TextFieldProps, 'name' | 'label' | 'hint' | 'optional' | 'initial'>;

/** As {@link TextField}, for several lines. */
export function TextAreaField(props: TextAreaFieldProps) {
  const { name, label, hint, optional, initial, ...area } = props;
  const { errorOf, typed } = useActionForm();
  return (
    <Field name={name} label={label} hint={hint} optional={optional} error={errorOf(name)}>
      {(control) => <TextArea {...control} defaultValue={typed(name, initial)} {...area} />}
    </Field>
  );
}

export type NumberFieldProps = Omit<TextFieldProps, 'initial'> & {
  initial?: number | null | undefined;
};

/** A whole number, such as a limit. A text field, because users may type `10,000`. */
export const NumberField = ({ initial, ...field }: NumberFieldProps) => (
  <TextField
    inputMode="numeric"
    className="numbers"
    initial={initial?.toString() ?? ''}
    {...field}
  />
);

/** A code of the second factor. */
export const CodeField = (props: Pick<TextFieldProps, 'hint' | 'autoFocus'>) => (
  <TextField
    name="code"
    label="Code"
    autoComplete="one-time-code"
    className="numbers"
    maxLength={64}
    {...props}
  />
);

/** The error of a field that shows none itself. */
export function FieldError({ field, className }: { field: string; className?: string }) {
  const { errorOf } = useActionForm();
  return (
    <p aria-live="polite" className={clsx('text-small text-deny-text empty:hidden', className)}>
      {errorOf(field)}
    </p>
  );
}

export interface FormButtonsProps {
  /** What the form does: "Create key". */
  label: string;
  cancelHref: string;
}

/** The end of a form that has a page of its own. */
export const FormButtons = ({ label, cancelHref }: FormButtonsProps) => (
  <div className="flex gap-2">
    <SubmitButton variant="primary">{label}</SubmitButton>
    <ButtonLink variant="quiet" href={cancelHref}>
      Cancel
    </ButtonLink>
  </div>
);
