import type { Page } from '@ceiba/schema';
import { clsx } from 'clsx';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { formatCount } from '../../lib/format.ts';
import { PAGE_SIZES, pageSizeOf, type Query, withQuery } from '../../lib/list-query.ts';
import { Button, ButtonLink } from './button.tsx';
import { TextLink } from './text-link.tsx';

interface NeighbourLinksProps {
  /** Addresses of the neighbouring pages; null where there is none. */
  previous: string | null;
  next: string | null;
  names?: readonly [previous: string, next: string];
  /** Which part of the list is shown. */
  summary?: string;
  /** Addresses of the same list with other numbers of rows, and which of them is shown. */
  sizes?: readonly { size: number; href: string; isCurrent: boolean }[];
}

/** Links to the neighbouring pages of a list; nothing if it has only one page. */
function NeighbourLinks({
  previous,
  next,
  names = ['Previous', 'Next'],
  summary,
  sizes = [],
}: NeighbourLinksProps) {
  // From the largest size, the way back to a smaller one stays.
  const isWhole = previous === null && next === null;
  if (isWhole && (sizes[0]?.isCurrent ?? true)) return null;
  return (
    <nav aria-label="Pages" className="mt-4 flex flex-wrap items-center gap-x-4 gap-y-2">
      <p className="numbers text-small text-muted">{summary}</p>
      {sizes.length > 0 && (
        <p className="numbers flex items-center gap-1 text-small text-muted sm:ml-auto">
          Rows
          {sizes.map(({ size, href, isCurrent }) => (
            <TextLink
              key={size}
              href={href}
              look="quiet"
              aria-label={`${size} rows on a page`}
              aria-current={isCurrent ? 'true' : undefined}
              className={clsx(
                'flex size-6 items-center justify-center',
                isCurrent && 'font-medium text-ink',
              )}
            >
              {size}
            </TextLink>
          ))}
        </p>
      )}
      <div className={clsx('ml-auto flex gap-2', sizes.length > 0 && 'sm:ml-0')}>
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
  /** The numbers of rows to choose from, of which {@link pageSizeOf} reads one. */
  hasSizes?: boolean;
}

/** Page links of a list that is read by a cursor. */
export function PageLinks({ here, query, page, hasSizes = false, ...rest }: PageLinksProps) {
  const at = (cursor: string | null) => cursor && withQuery(here, query, { cursor });
  const sizes = hasSizes
    ? PAGE_SIZES.map((size) => ({
        size,
        isCurrent: size === pageSizeOf(query),
        // Its page begins with the same row, if it is read forward.
        href: withQuery(here, query, { size: size === PAGE_SIZES[0] ? undefined : String(size) }),
      }))
    : [];
  return (
    <NeighbourLinks {...rest} sizes={sizes} previous={at(page.previous)} next={at(page.next)} />
  );
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
