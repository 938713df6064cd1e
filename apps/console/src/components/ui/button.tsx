import { clsx } from 'clsx';
import { LoaderCircle, type LucideIcon } from 'lucide-react';
import { Slot } from 'radix-ui';
import type { ComponentProps } from 'react';

const BASE =
  'inline-flex shrink-0 items-center justify-center gap-2 rounded border font-medium whitespace-nowrap transition-colors select-none disabled:pointer-events-none disabled:opacity-50 aria-disabled:pointer-events-none aria-disabled:opacity-60 [&_svg]:size-4 [&_svg]:shrink-0';

const VARIANTS = {
  primary: 'border-transparent bg-accent text-accent-ink hover:bg-accent-hover',
  secondary: 'border-line bg-surface text-ink hover:bg-hover',
  quiet: 'border-transparent text-muted hover:bg-hover hover:text-ink',
  danger: 'border-transparent bg-danger text-accent-ink hover:bg-danger-hover',
} as const;

const SIZES = {
  md: 'h-10 px-4 text-body',
  sm: 'h-8 px-3 text-small',
  icon: 'size-8',
} as const;

export type ButtonProps = ComponentProps<'button'> & {
  variant?: keyof typeof VARIANTS;
  size?: keyof typeof SIZES;
  /** Renders its only child, such as a link, with the looks of a button. */
  asChild?: boolean;
  /** Shows and announces that the action is running; a second press does nothing. */
  pending?: boolean;
};

/** Its label says what it does: "Revoke key", never "OK". */
export function Button({
  variant = 'secondary',
  size = 'md',
  asChild = false,
  pending = false,
  className,
  children,
  type = 'button',
  ...rest
}: ButtonProps) {
  const classes = clsx(BASE, VARIANTS[variant], SIZES[size], className);
  if (asChild) {
    return (
      <Slot.Root className={classes} {...rest}>
        {children}
      </Slot.Root>
    );
  }
  return (
    <button type={type} className={classes} aria-disabled={pending || undefined} {...rest}>
      {pending && <LoaderCircle className="animate-spin" aria-hidden="true" />}
      {children}
      {pending && <span className="sr-only">, working</span>}
    </button>
  );
}

export type IconButtonProps = Omit<ButtonProps, 'children' | 'asChild' | 'size'> & {
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
