'use client';

import { PASSWORD_LENGTH_MIN } from '@ceiba/domain/constants';
import type { ComponentProps } from 'react';
import type { ActionFormParts } from './action-form.tsx';
import { Button, ButtonLink } from './ui/button.tsx';
import { Field, InputField, type InputFieldProps } from './ui/field.tsx';
import { TextArea } from './ui/input.tsx';
import { PasswordInput } from './ui/password-input.tsx';

type Parts = Pick<ActionFormParts<unknown>, 'errorOf' | 'typed'>;

export type TextFieldProps = Omit<InputFieldProps, 'error' | 'defaultValue'> & {
  parts: Parts;
  /** The value before anything is typed. */
  initial?: string | undefined;
};

/** A labelled text field of an `ActionForm`: shows its error and keeps what was typed. */
export const TextField = ({ parts, initial, ...field }: TextFieldProps) => (
  <InputField
    autoComplete="off"
    {...field}
    error={parts.errorOf(field.name)}
    defaultValue={parts.typed(field.name, initial)}
  />
);

export type TextAreaFieldProps = Omit<ComponentProps<'textarea'>, 'name' | 'defaultValue'> &
  Pick<TextFieldProps, 'parts' | 'name' | 'label' | 'hint' | 'optional' | 'initial'>;

/** As {@link TextField}, for several lines. */
export function TextAreaField({
  parts: { errorOf, typed },
  name,
  label,
  hint,
  optional,
  initial,
  ...area
}: TextAreaFieldProps) {
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
export function NumberField({ initial, ...field }: NumberFieldProps) {
  return (
    <TextField
      inputMode="numeric"
      className="numbers"
      initial={initial?.toString() ?? ''}
      {...field}
    />
  );
}

export type PasswordFieldProps = Pick<TextFieldProps, 'name' | 'label' | 'hint'> & {
  errorOf: Parts['errorOf'];
  autoComplete: 'current-password' | 'new-password';
};

export const NEW_PASSWORD_HINT = `At least ${PASSWORD_LENGTH_MIN} characters. Try a phrase only you would think of.`;

/** A password; a refused form does not send it back, the browser keeps it. */
export function PasswordField({ errorOf, autoComplete, ...field }: PasswordFieldProps) {
  return (
    <Field {...field} error={errorOf(field.name)}>
      {(control) => <PasswordInput {...control} autoComplete={autoComplete} />}
    </Field>
  );
}

/** Where a page has the account already. */
const CHANGED = { email: 'username', password: 'newPassword', label: 'New password' };

/** A new password, which password managers save for the account of `email`. */
export function NewPassword({
  errorOf,
  email,
  names = CHANGED,
}: Pick<PasswordFieldProps, 'errorOf'> & { email: string; names?: typeof CHANGED }) {
  return (
    <>
      <input type="text" name={names.email} autoComplete="username" value={email} readOnly hidden />
      <PasswordField
        errorOf={errorOf}
        name={names.password}
        label={names.label}
        hint={NEW_PASSWORD_HINT}
        autoComplete="new-password"
      />
    </>
  );
}

/** Proves that the signed-in user is at the keyboard. */
export function CurrentPassword({ errorOf }: Pick<PasswordFieldProps, 'errorOf'>) {
  return (
    <PasswordField
      errorOf={errorOf}
      name="currentPassword"
      label="Your password"
      autoComplete="current-password"
    />
  );
}

/** A code of the second factor. */
export function CodeField({
  parts,
  hint,
  autoFocus,
}: Pick<TextFieldProps, 'parts' | 'hint' | 'autoFocus'>) {
  return (
    <TextField
      parts={parts}
      name="code"
      label="Code"
      hint={hint}
      autoComplete="one-time-code"
      className="numbers"
      maxLength={64}
      autoFocus={autoFocus}
    />
  );
}

export interface FormButtonsProps {
  /** What the form does: "Create key". */
  label: string;
  pending: boolean;
  cancelHref: string;
}

/** The end of a form that has a page of its own. */
export function FormButtons({ label, pending, cancelHref }: FormButtonsProps) {
  return (
    <div className="flex gap-2">
      <Button type="submit" variant="primary" pending={pending}>
        {label}
      </Button>
      <ButtonLink variant="quiet" href={cancelHref}>
        Cancel
      </ButtonLink>
    </div>
  );
}
