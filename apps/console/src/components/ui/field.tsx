import { clsx } from 'clsx';
import { CircleAlert } from 'lucide-react';
import { type ComponentProps, type ComponentType, type ReactNode, useId } from 'react';
import { Input, Select } from './input.tsx';

/** Attributes that connect a control with its label, hint and error. Spread them. */
export interface ControlProps {
  id: string;
  name: string;
  'aria-describedby': string | undefined;
  'aria-invalid': boolean | undefined;
}

export interface FieldProps {
  name: string;
  label: ReactNode;
  hint?: ReactNode;
  /** How to fix the input; undefined if it is valid. */
  error?: string | undefined;
  optional?: boolean | undefined;
  className?: string | undefined;
  children: (control: ControlProps) => ReactNode;
}

/** One control with its label, hint and error. */
export function Field({ name, label, hint, error, optional, className, children }: FieldProps) {
  const id = useId();
  const hintId = `${id}-hint`;
  const errorId = `${id}-error`;
  const described = [hint && hintId, error && errorId].filter(Boolean).join(' ');
  return (
    <div className={clsx('grid content-start gap-1.5', className)}>
      <label htmlFor={id} className="flex items-baseline gap-2 font-medium">
        {label}
        {optional && <span className="text-small font-normal text-muted">optional</span>}
      </label>
      {children({
        id,
        name,
        'aria-describedby': described || undefined,
        'aria-invalid': error ? true : undefined,
      })}
      {hint && (
        <p id={hintId} className="text-small text-muted">
          {hint}
        </p>
      )}
      <p
        id={errorId}
        aria-live="polite"
        className="empty:hidden flex gap-2 text-small text-deny-text"
      >
        {error && (
          <>
            <CircleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
            <span>{error}</span>
          </>
        )}
      </p>
    </div>
  );
}

/** `className` is that of the control, `fieldClassName` that of all. */
type Labelled = Omit<FieldProps, 'children' | 'className'> & { fieldClassName?: string };

export type InputFieldProps = Labelled &
  Omit<ComponentProps<'input'>, keyof Labelled> & {
    /** The control, such as one that cuts secrets. */
    as?: ComponentType<ComponentProps<'input'>>;
  };

/** A labelled field of one line. */
export function InputField({ name, label, hint, error, optional, ...rest }: InputFieldProps) {
  const { fieldClassName: className, as: Control = Input, ...input } = rest;
  return (
    <Field {...{ name, label, hint, error, optional, className }}>
      {(control) => <Control {...control} {...input} />}
    </Field>
  );
}

export type SelectFieldProps = Labelled &
  Omit<ComponentProps<'select'>, keyof Labelled | 'children'> & {
    options: readonly (readonly [value: string, text: string])[];
  };

/** A labelled choice of one. */
export function SelectField({ name, label, hint, error, optional, ...rest }: SelectFieldProps) {
  const { fieldClassName: className, options, ...select } = rest;
  return (
    <Field {...{ name, label, hint, error, optional, className }}>
      {(control) => (
        <Select {...control} {...select}>
          {options.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}
