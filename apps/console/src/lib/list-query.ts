/** The query parameters of a page in Next.js. */
export type SearchParams = Promise<Query>;
/** The properties of a page, with the names in its address. */
export interface PageProps<Name extends string = never> {
  params: Promise<Record<Name, string>>;
  searchParams: SearchParams;
}

export type Query = Record<string, string | string[] | undefined>;

const SEARCH_LENGTH_MAX = 100;
const LAST_PAGE = 100_000;

/** The first value of a query parameter, or `absent`. */
export function textOf(query: Query, name: string, absent = ''): string {
  const value = query[name];
  return (Array.isArray(value) ? value[0] : value) ?? absent;
}

/** The search text and the page of a list; invalid values count as absent. */
export function parseListQuery(query: Query): { q: string; page: number } {
  const page = Number(textOf(query, 'page'));
  return {
    q: textOf(query, 'q').trim().slice(0, SEARCH_LENGTH_MAX),
    page: Number.isInteger(page) && page >= 1 && page <= LAST_PAGE ? page : 1,
  };
}

/** The page, or the last one of a list that has fewer. */
export const pageWithin = (page: number, list: { total: number; pageSize: number }): number =>
  Math.min(page, Math.max(1, Math.ceil(list.total / list.pageSize)));

/** How many rows a page of a list may have; the first, unless the address has another. */
export const PAGE_SIZES = [25, 50, 100] as const;

export const pageSizeOf = (query: Query): number =>
  PAGE_SIZES.find((size) => String(size) === textOf(query, 'size')) ?? PAGE_SIZES[0];

/** The path with the query, with some parameters changed; undefined removes one. */
export function withQuery(
  pathname: string,
  query: Query,
  changes: Record<string, string | undefined>,
): string {
  const next = new URLSearchParams();
  for (const name of new Set([...Object.keys(query), ...Object.keys(changes)])) {
    const value = name in changes ? changes[name] : textOf(query, name);
    if (value) next.set(name, value);
  }
  return next.size === 0 ? pathname : `${pathname}?${next}`;
}
