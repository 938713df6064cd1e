import type { ReactNode } from 'react';
import { formatCount } from '../../lib/format.ts';
import { type Query, withQuery } from '../../lib/list-query.ts';
import { Link } from './link.tsx';

export interface LinkTabsProps {
  label: string;
  tabs: readonly { href: string; name: string; current: boolean }[];
}

/** Tabs that are links, so that the URL holds the current one. */
export function LinkTabs({ label, tabs }: LinkTabsProps) {
  return (
    <nav aria-label={label} className="mb-3 flex gap-1 overflow-x-auto border-b">
      {tabs.map(({ href, name, current }) => (
        <Link
          key={href}
          href={href}
          scroll={false}
          aria-current={current ? 'page' : undefined}
          className="flex h-9 items-center border-b-2 border-transparent px-2 sm:px-3 font-medium whitespace-nowrap text-muted transition-colors hover:text-ink focus-visible:-outline-offset-2 aria-[current=page]:border-accent-text aria-[current=page]:text-ink"
        >
          {name}
        </Link>
      ))}
    </nav>
  );
}

export interface StatusTabsProps<Status extends string> {
  here: string;
  query: Query;
  tabs: readonly { status: Status; name: string }[];
  counts: Record<Status, number>;
  current: Status | undefined;
  /** Of the address without a status. */
  usual: Status;
}

/** The states of a list with how many rows each has. A choice starts at the first page, without a hint. */
export const StatusTabs = <Status extends string>(props: StatusTabsProps<Status>) => (
  <LinkTabs
    label="Status"
    tabs={props.tabs.map(({ status, name }) => ({
      name: `${name} ${formatCount(props.counts[status])}`,
      current: status === props.current,
      href: withQuery(props.here, props.query, {
        status: status === props.usual ? undefined : status,
        hint: undefined,
        cursor: undefined,
      }),
    }))}
  />
);

export interface ListBarProps {
  tabs: ReactNode;
  /** The search of the list and how it is shown. */
  children: ReactNode;
}

/** Above a list: its tabs and, where there is room on the same line, its search. */
export const ListBar = ({ tabs, children }: ListBarProps) => (
  <div className="mb-2 flex flex-wrap items-end justify-between gap-x-6 gap-y-2 sm:mb-3 sm:gap-y-3 xl:border-b [&>nav]:mb-0 max-xl:[&>nav]:w-full xl:[&>nav]:border-b-0">
    {tabs}
    <div className="flex min-w-0 items-center gap-2 max-sm:w-full sm:gap-3 xl:mb-1 xl:grow xl:justify-end">
      {children}
    </div>
  </div>
);
