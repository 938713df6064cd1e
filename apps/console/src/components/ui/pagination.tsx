import type { Page } from '@ceiba/schema';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { formatCount } from '../../lib/format.ts';
import { type Query, withQuery } from '../../lib/list-query.ts';
import { Button, ButtonLink } from './button.tsx';

interface NeighbourLinksProps {
  /** Addresses of the neighbouring pages; null where there is none. */
  previous: string | null;
  next: string | null;
  names?: readonly [previous: string, next: string];
  /** Which part of the list is shown. */
  summary?: string;
}

/** Links to the neighbouring pages of a list; nothing if it has only one page. */
function NeighbourLinks({
  previous,
  next,
  names = ['Previous', 'Next'],
  summary,
}: NeighbourLinksProps) {
  if (previous === null && next === null) return null;
  return (
    <nav aria-label="Pages" className="mt-4 flex flex-wrap items-center justify-between gap-2">
      <p className="numbers text-small text-muted">{summary}</p>
      <div className="flex gap-2">
        <PageLink href={previous} rel="prev">
          <ChevronLeft aria-hidden="true" />
          {names[0]}
        </PageLink>
        <PageLink href={next} rel="next">
          {names[1]}
          <ChevronRight aria-hidden="true" />
        </PageLink>
      </div>
    </nav>
  );
}

export interface PageLinksProps extends Pick<NeighbourLinksProps, 'names' | 'summary'> {
  /** The address of the list, and its query. */
  here: string;
  query: Query;
  /** The cursors of the neighbouring pages. */
  page: Pick<Page<unknown>, 'previous' | 'next'>;
}

/** Page links of a list that is read by a cursor. */
export function PageLinks({ here, query, page, ...rest }: PageLinksProps) {
  const at = (cursor: string | null) => cursor && withQuery(here, query, { cursor });
  return <NeighbourLinks {...rest} previous={at(page.previous)} next={at(page.next)} />;
}

function PageLink({
  href,
  rel,
  children,
}: {
  href: string | null;
  rel: string;
  children: ReactNode;
}) {
  return href === null ? (
    <Button size="sm" disabled>
      {children}
    </Button>
  ) : (
    <ButtonLink size="sm" href={href} rel={rel}>
      {children}
    </ButtonLink>
  );
}

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

/** Page links of a list with numbered pages. */
export function Pagination({ page, pageSize, total, hrefOf, of }: PaginationProps) {
  const first = Math.min(total, (page - 1) * pageSize + 1);
  const last = Math.min(total, page * pageSize);
  return (
    <NeighbourLinks
      previous={page > 1 ? hrefOf(page - 1) : null}
      next={last < total ? hrefOf(page + 1) : null}
      summary={`${formatCount(first)}–${formatCount(last)} of ${formatCount(total)} ${of}`}
    />
  );
}
