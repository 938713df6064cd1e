import { cva, type VariantProps } from 'class-variance-authority';
import { LoaderCircle, type LucideIcon } from 'lucide-react';
import { Slot } from 'radix-ui';
import type { ComponentProps } from 'react';
import { cn } from '../../lib/cn.ts';

const button = cva(
  'inline-flex shrink-0 items-center justify-center gap-2 rounded border font-medium whitespace-nowrap transition-colors select-none disabled:pointer-events-none disabled:opacity-50 aria-disabled:pointer-events-none aria-disabled:opacity-60 [&_svg]:size-4 [&_svg]:shrink-0',
  {
    variants: {
      variant: {
        primary: 'border-transparent bg-accent text-accent-ink hover:bg-accent-hover',
        secondary: 'border-line bg-surface text-ink hover:bg-hover',
        quiet: 'border-transparent text-muted hover:bg-hover hover:text-ink',
        danger: 'border-transparent bg-danger text-accent-ink hover:bg-danger-hover',
      },
      size: {
        md: 'h-10 px-4 text-body',
        sm: 'h-8 px-3 text-small',
        icon: 'size-8',
      },
    },
    defaultVariants: { variant: 'secondary', size: 'md' },
  },
);

export type ButtonProps = ComponentProps<'button'> &
  VariantProps<typeof button> & {
    /** Renders its only child, such as a link, with the looks of a button. */
    asChild?: boolean;
    /** Shows and announces that the action is running; a second press does nothing. */
    pending?: boolean;
  };

/** Its label says what it does: "Revoke key", never "OK". */
export function Button({
  variant,
  size,
  asChild = false,
  pending = false,
  className,
  children,
  type = 'button',
  ...rest
}: ButtonProps) {
  const classes = cn(button({ variant, size }), className);
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
