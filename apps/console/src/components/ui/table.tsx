import type { ComponentProps } from 'react';
import { cn } from '../../lib/cn.ts';
import { ScrollRegion } from './scroll-region.tsx';

/** A dense table; screen readers read the label. */
export function Table({ label, className, ...rest }: ComponentProps<'table'> & { label: string }) {
  return (
    <ScrollRegion label={label} className="rounded border bg-surface">
      <table className={cn('w-full border-collapse text-left text-body', className)} {...rest} />
    </ScrollRegion>
  );
}

export function TableHead({ className, ...rest }: ComponentProps<'thead'>) {
  return <thead className={cn('border-b bg-sunken text-small text-muted', className)} {...rest} />;
}

export function TableBody({ className, ...rest }: ComponentProps<'tbody'>) {
  return <tbody className={cn('divide-y', className)} {...rest} />;
}

export function Row({ className, ...rest }: ComponentProps<'tr'>) {
  return <tr className={cn('transition-colors', className)} {...rest} />;
}

type CellProps = { numeric?: boolean };

export function HeadCell({ numeric, className, ...rest }: ComponentProps<'th'> & CellProps) {
  return (
    <th
      scope="col"
      className={cn('h-10 px-4 font-medium whitespace-nowrap', numeric && 'text-right', className)}
      {...rest}
    />
  );
}

/** The heading of the column with buttons. */
export function ActionsHeadCell({ className }: { className?: string }) {
  return (
    <HeadCell className={cn('relative', className)}>
      <span className="sr-only">Actions</span>
    </HeadCell>
  );
}

/** `numeric` aligns the digits of a column. */
export function Cell({ numeric, className, ...rest }: ComponentProps<'td'> & CellProps) {
  return (
    <td
      className={cn('h-12 px-4 py-2', numeric && 'numbers text-right whitespace-nowrap', className)}
      {...rest}
    />
  );
}
