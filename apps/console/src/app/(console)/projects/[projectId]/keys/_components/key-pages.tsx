import { ChevronLeft, ChevronRight } from 'lucide-react';
import Link from 'next/link';
import type { ReactNode } from 'react';
import { Button } from '#components/ui/button.tsx';
import { formatCount, plural } from '#lib/format.ts';

export interface KeyPagesProps {
  shown: number;
  /** On all pages. */
  total: number;
  /** Addresses of the pages beside this one; null where there is none. */
  previousHref: string | null;
  nextHref: string | null;
}

/** The way to the keys beside those that are shown. */
export function KeyPages({ shown, total, previousHref, nextHref }: KeyPagesProps) {
  if (previousHref === null && nextHref === null) return null;
  return (
    <nav aria-label="Pages" className="mt-4 flex flex-wrap items-center justify-between gap-2">
      <p className="numbers text-small text-muted">
        {formatCount(shown)} of {plural(total, 'key')}
      </p>
      <div className="flex gap-2">
        <Step href={previousHref} rel="prev">
          <ChevronLeft aria-hidden="true" />
          Previous
        </Step>
        <Step href={nextHref} rel="next">
          Next
          <ChevronRight aria-hidden="true" />
        </Step>
      </div>
    </nav>
  );
}

function Step({ href, rel, children }: { href: string | null; rel: string; children: ReactNode }) {
  return href === null ? (
    <Button size="sm" disabled>
      {children}
    </Button>
  ) : (
    <Button asChild size="sm">
      <Link href={href} rel={rel}>
        {children}
      </Link>
    </Button>
  );
}
