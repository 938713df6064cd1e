import { clsx } from 'clsx';
import { ChevronDown } from 'lucide-react';
import { type ComponentProps, type ReactNode, useId } from 'react';

const control =
  'w-full rounded border border-line-strong bg-control text-body text-ink transition-colors max-sm:text-title max-sm:tracking-normal placeholder:text-muted hover:border-muted disabled:cursor-not-allowed disabled:opacity-60 aria-invalid:border-deny';

export function Input({ className, ...rest }: ComponentProps<'input'>) {
  return <input className={clsx(control, 'h-9 px-3 max-sm:h-11', className)} {...rest} />;
}

/** For identifiers, paths and keys, which a browser must not correct. */
export const CODE_INPUT = {
  className: 'font-mono',
  autoComplete: 'off',
  autoCapitalize: 'none',
  spellCheck: false,
} as const;

export function TextArea({ className, ...rest }: ComponentProps<'textarea'>) {
  return <textarea className={clsx(control, 'min-h-24 px-3 py-2', className)} {...rest} />;
}

/** The native select, which works with every keyboard, screen reader and phone. */
export function Select({ className, children, ...rest }: ComponentProps<'select'>) {
  return (
    <span className={clsx('relative block', className)}>
      <select className={clsx(control, 'h-9 appearance-none pr-9 pl-3 max-sm:h-11')} {...rest}>
        {children}
      </select>
      <ChevronDown
        aria-hidden="true"
        className="pointer-events-none absolute inset-y-0 right-3 my-auto size-4 text-muted"
      />
    </span>
  );
}

export type CheckboxProps = Omit<ComponentProps<'input'>, 'type' | 'children'> & {
  label: ReactNode;
  hint?: ReactNode;
};

/** A checkbox with a label that can be clicked. */
export function Checkbox({ label, hint, className, ...rest }: CheckboxProps) {
  const id = useId();
  return (
    <div className={clsx('flex items-start gap-3', className)}>
      <input
        type="checkbox"
        id={id}
        aria-describedby={hint ? `${id}-hint` : undefined}
        className="mt-0.5 size-4 shrink-0 accent-accent"
        {...rest}
      />
      <div>
        <label htmlFor={id}>{label}</label>
        {hint && (
          <p id={`${id}-hint`} className="text-small text-muted">
            {hint}
          </p>
        )}
      </div>
    </div>
  );
}
