import { clsx } from 'clsx';
import { LoaderCircle, type LucideIcon } from 'lucide-react';
import type { ComponentProps } from 'react';
import { Link } from './link.tsx';

/** While a button works, the spinner takes the place of its icon. */
const BASE =
  'inline-flex shrink-0 items-center justify-center gap-2 rounded border font-medium whitespace-nowrap transition-colors select-none disabled:pointer-events-none disabled:bg-transparent disabled:text-muted disabled:opacity-70 aria-disabled:pointer-events-none aria-disabled:opacity-60 aria-disabled:[&>svg~svg]:hidden [&_svg]:size-4 [&_svg]:shrink-0';

const VARIANTS = {
  primary:
    'border-transparent bg-accent text-accent-ink hover:bg-accent-hover disabled:border-line',
  secondary: 'border-control-line bg-control text-ink hover:bg-control-hover disabled:border-line',
  quiet: 'border-transparent text-muted hover:bg-hover hover:text-ink',
  /** Filled in the dialog that asks; the button that opens it is not the loudest of its page. */
  danger:
    'border-control-line bg-control text-deny-text hover:border-deny/50 hover:bg-deny-soft in-[dialog]:border-transparent in-[dialog]:bg-danger in-[dialog]:text-alarm-ink in-[dialog]:hover:bg-danger-hover disabled:border-line!',
} as const;

const SIZES = {
  md: 'h-9 px-3.5 text-body max-sm:h-10',
  sm: 'h-8 px-3 text-small',
  icon: 'size-8',
} as const;

interface ButtonLooks {
  variant?: keyof typeof VARIANTS | undefined;
  size?: keyof typeof SIZES | undefined;
  className?: string | undefined;
}

/** The classes of a button, for other elements. */
export const buttonLooks = ({ variant = 'secondary', size = 'md', className }: ButtonLooks = {}) =>
  clsx(BASE, VARIANTS[variant], SIZES[size], className);

export type ButtonProps = ComponentProps<'button'> &
  ButtonLooks & {
    /** Shows and announces that the action is running; a second press does nothing. */
    pending?: boolean;
  };

/** Its label says what it does: "Revoke key", never "OK". */
export function Button({
  variant,
  size,
  pending = false,
  className,
  children,
  type = 'button',
  ...rest
}: ButtonProps) {
  return (
    <button
      type={type}
      className={buttonLooks({ variant, size, className })}
      aria-disabled={pending || undefined}
      {...rest}
    >
      {pending && <LoaderCircle className="animate-spin" aria-hidden="true" />}
      {children}
      {pending && <span className="sr-only">, working</span>}
    </button>
  );
}

export type ButtonLinkProps = Omit<ComponentProps<typeof Link>, 'className'> & ButtonLooks;

/** A link with the looks of a button. */
export const ButtonLink = ({ variant, size, className, ...link }: ButtonLinkProps) => (
  <Link className={buttonLooks({ variant, size, className })} {...link} />
);

export type IconButtonProps = Omit<ButtonProps, 'children' | 'size'> & {
  icon: LucideIcon;
  /** What it does and to what: "Delete Starter". */
  label: string;
};

export function IconButton({ icon: Icon, label, ...rest }: IconButtonProps) {
  return (
    <Button size="icon" variant="quiet" aria-label={label} {...rest}>
      <Icon aria-hidden="true" />
    </Button>
  );
}
