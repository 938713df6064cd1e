import { clsx } from 'clsx';
import type { ComponentProps, ReactNode } from 'react';
import { ScrollRegion } from './scroll-region.tsx';

interface TableProps {
  /** Read by screen readers. */
  label: string;
  /** The cells of the row of headings. */
  head: ReactNode;
  /** On a phone only one column is left, which needs no heading. */
  isListOnPhone?: boolean;
  children: ReactNode;
}

/** A dense table. */
export function Table({ label, head, isListOnPhone = false, children }: TableProps) {
  return (
    <ScrollRegion label={label} className="panel">
      <table className="w-full border-collapse text-left text-body">
        <thead
          className={clsx(
            'border-b bg-sunken text-small text-muted',
            isListOnPhone && 'max-sm:sr-only',
          )}
        >
          <tr>{head}</tr>
        </thead>
        <tbody className="divide-y">{children}</tbody>
      </table>
    </ScrollRegion>
  );
}

export function Row({ className, ...rest }: ComponentProps<'tr'>) {
  return <tr className={clsx('transition-colors', className)} {...rest} />;
}

type CellProps = { numeric?: boolean };

export function HeadCell({ numeric, className, ...rest }: ComponentProps<'th'> & CellProps) {
  return (
    <th
      scope="col"
      className={clsx(
        'h-10 px-4 font-medium whitespace-nowrap first:pl-(--inset) last:pr-(--inset)',
        numeric && 'text-right',
        className,
      )}
      {...rest}
    />
  );
}

/** The heading of the column with buttons. */
export function ActionsHeadCell({ className }: { className?: string }) {
  return (
    <HeadCell className={clsx('relative', className)}>
      <span className="sr-only">Actions</span>
    </HeadCell>
  );
}

/** `numeric` aligns the digits of a column. */
export function Cell({ numeric, className, ...rest }: ComponentProps<'td'> & CellProps) {
  return (
    <td
      className={clsx(
        'h-12 px-4 py-2 first:pl-(--inset) last:pr-(--inset)',
        numeric && 'numbers text-right whitespace-nowrap',
        className,
      )}
      {...rest}
    />
  );
}
