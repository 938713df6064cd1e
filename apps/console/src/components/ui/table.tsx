import { clsx } from 'clsx';
import type { ComponentProps, ReactNode } from 'react';
import { ScrollRegion } from './scroll-region.tsx';
import { SortLink, type SortLinkProps } from './sort-link.tsx';
import { TableRows } from './table-rows.tsx';
import { RelativeTime } from './time.tsx';

export interface Column<Item> {
  /** The heading, unless it has a `heading` of its own. */
  name: string;
  heading?: ReactNode;
  /** Only screen readers read the heading. */
  hidesHeading?: boolean;
  /** The heading sorts the list by the column. */
  sort?: Pick<SortLinkProps, 'href' | 'direction'> | undefined;
  /** Aligns the digits. */
  numeric?: boolean;
  /** Of the heading and the cells, such as the width from which on they are shown. */
  className?: string;
  cellClassName?: string;
  cell: (item: Item) => ReactNode;
}

export interface TableProps<Item> {
  /** Read by screen readers. */
  label: string;
  columns: readonly (Column<Item> | false)[];
  items: readonly Item[];
  keyOf: (item: Item) => string | number;
  rowProps?: (item: Item) => ComponentProps<'tr'> & { 'data-standing'?: string };
  /** On a phone only one column is left, which needs no heading. */
  isListOnPhone?: boolean;
  /** Shown instead of a table without rows. */
  empty?: ReactNode;
}

/** A dense table: a row per item. */
export function Table<Item>(props: TableProps<Item>) {
  const { label, items, keyOf, rowProps, isListOnPhone = false } = props;
  const columns = props.columns.filter((column) => column !== false);
  if (items.length === 0 && props.empty) return props.empty;
  return (
    <ScrollRegion label={label} className="panel">
      <table className="w-full border-collapse text-left text-body">
        <thead
          className={clsx('border-b text-small text-muted', isListOnPhone && 'max-sm:sr-only')}
        >
          <tr>
            {columns.map(({ name, sort, numeric, className, ...column }) => (
              <th
                key={name}
                scope="col"
                aria-sort={sort?.direction}
                className={clsx(
                  'relative h-8 px-3 font-medium whitespace-nowrap first:pl-(--inset) last:pr-(--inset)',
                  numeric && 'text-right',
                  className,
                )}
              >
                <Heading name={name} sort={sort} {...column} />
              </th>
            ))}
          </tr>
        </thead>
        <TableRows className="divide-y">
          {items.map((item) => {
            const { className: rowClassName, ...row } = rowProps?.(item) ?? {};
            return (
              <tr
                key={keyOf(item)}
                className={clsx('transition-colors has-focus-visible:bg-hover', rowClassName)}
                {...row}
              >
                {columns.map(({ name, numeric, className, cellClassName, cell }) => (
                  <td
                    key={name}
                    className={clsx(
                      'h-10 px-3 py-1.5 first:pl-(--inset) last:pr-(--inset)',
                      numeric && 'figures text-right whitespace-nowrap',
                      className,
                      cellClassName,
                    )}
                  >
                    {cell(item)}
                  </td>
                ))}
              </tr>
            );
          })}
        </TableRows>
      </table>
    </ScrollRegion>
  );
}

type HeadingProps = Pick<Column<never>, 'name' | 'heading' | 'hidesHeading' | 'sort'>;

function Heading({ name, heading = name, hidesHeading, sort }: HeadingProps) {
  if (hidesHeading) return <span className="sr-only">{heading}</span>;
  return sort ? <SortLink {...sort}>{heading}</SortLink> : heading;
}

/** When something happened to each item; not on a narrow screen. */
export const timeColumn = <Item,>(
  name: string,
  timeOf: (item: Item) => string | Date,
  className = 'max-md:hidden',
): Column<Item> => ({
  name,
  className: clsx('whitespace-nowrap text-muted', className),
  cell: (item) => <RelativeTime at={timeOf(item)} inRow />,
});

/** The buttons of each item. */
export const actionsColumn = <Item,>(
  cell: Column<Item>['cell'],
  className = 'w-px text-right whitespace-nowrap',
): Column<Item> => ({
  name: 'Actions',
  hidesHeading: true,
  className,
  cell,
});
