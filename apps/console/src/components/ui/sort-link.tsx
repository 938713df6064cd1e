import { ArrowDown, ArrowUp } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from './link.tsx';

export interface SortLinkProps {
  href: string;
  /** The direction of the list; undefined if another column sorts it. */
  direction: 'ascending' | 'descending' | undefined;
  children: ReactNode;
}

/** The heading of a column, which sorts the list by it. Its cell has `aria-sort`. */
export function SortLink({ href, direction, children }: SortLinkProps) {
  const Arrow = direction === 'ascending' ? ArrowUp : ArrowDown;
  return (
    <Link
      href={href}
      scroll={false}
      className="inline-flex items-center gap-1 rounded hover:text-ink"
    >
      {children}
      {direction && <Arrow aria-hidden="true" className="size-3.5 text-ink" />}
    </Link>
  );
}
