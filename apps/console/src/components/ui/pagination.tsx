import { ChevronLeft, ChevronRight } from 'lucide-react';
import Link from 'next/link';
import { formatCount } from '../../lib/format.ts';
import { Button } from './button.tsx';

export interface PaginationProps {
  /** From 1. */
  page: number;
  pageSize: number;
  total: number;
  /** The address of another page, with every filter kept. */
  hrefOf: (page: number) => string;
  /** What is counted: "keys". */
  of: string;
}

/** Which part of a list is shown, and the way to the parts beside it. */
export function Pagination({ page, pageSize, total, hrefOf, of }: PaginationProps) {
  if (total <= pageSize && page === 1) return null;
  const first = Math.min(total, (page - 1) * pageSize + 1);
  const last = Math.min(total, page * pageSize);
  return (
    <nav aria-label="Pages" className="mt-4 flex flex-wrap items-center justify-between gap-2">
      <p className="numbers text-small text-muted">
        {formatCount(first)}–{formatCount(last)} of {formatCount(total)} {of}
      </p>
      <div className="flex gap-2">
        <Step href={page > 1 ? hrefOf(page - 1) : undefined} rel="prev">
          <ChevronLeft aria-hidden="true" />
          Previous
        </Step>
        <Step href={last < total ? hrefOf(page + 1) : undefined} rel="next">
          Next
          <ChevronRight aria-hidden="true" />
        </Step>
      </div>
    </nav>
  );
}

function Step({
  href,
  rel,
  children,
}: {
  href: string | undefined;
  rel: string;
  children: React.ReactNode;
}) {
  if (href === undefined) {
    return (
      <Button size="sm" disabled>
        {children}
      </Button>
    );
  }
  return (
    <Button asChild size="sm">
      <Link href={href} rel={rel}>
        {children}
      </Link>
    </Button>
  );
}
