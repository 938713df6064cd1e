import { type SQL, sql } from 'drizzle-orm';

/** One page of a list, and where the pages beside it begin; null where there is none. */
export interface Page<Item> {
  items: Item[];
  /** Goes into `cursor` for the page after this one. */
  next: string | null;
  /** Goes into `cursor` for the page before this one. */
  previous: string | null;
}

export interface PageRequest {
  /** From a page's `next` or `previous`; anything else means the first page. */
  cursor?: string | null;
  /** From 1 to 1,000. */
  limit: number;
}

/** A row, by its id, and the side of it that is asked for. */
export interface Place {
  side: 'after' | 'before';
  id: string;
}

const LIMIT_MAX = 1_000;
const CURSOR = /^(after|before)\.([0-9a-f-]{1,36})$/;

/** What a cursor may name, so that no cast of it can fail in SQL. */
export const UUID_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
export const NUMBER_ID = /^\d{1,18}$/;

/**
 * Reads a page by the key of a row beside it, so that a late page costs what the first does and
 * nothing is shown twice when rows are added. A cursor that names a row which is gone begins anew.
 *
 * @param read returns up to `count` rows in order, going away from the place
 */
export async function readPage<Item>(
  { cursor, limit }: PageRequest,
  { idOf, idFormat }: { idOf: (item: Item) => string | number; idFormat: RegExp },
  read: (place: Place | null, count: number) => Promise<Item[]>,
): Promise<Page<Item>> {
  const count = Math.min(Math.max(Math.trunc(limit), 1), LIMIT_MAX);
  const place = placeOf(cursor, idFormat);
  const found = await read(place, count + 1);
  if (found.length === 0 && place !== null) {
    return readPage({ limit: count }, { idOf, idFormat }, read);
  }
  const hasMore = found.length > count;
  const items = found.slice(0, count);
  const isBackward = place?.side === 'before';
  if (isBackward) items.reverse();
  const [first, last] = [items[0], items.at(-1)];
  const hasPrevious = isBackward ? hasMore : place !== null;
  const hasNext = isBackward || hasMore;
  return {
    items,
    previous: hasPrevious && first !== undefined ? `before.${idOf(first)}` : null,
    next: hasNext && last !== undefined ? `after.${idOf(last)}` : null,
  };
}

function placeOf(cursor: string | null | undefined, idFormat: RegExp): Place | null {
  const [, side, id] = CURSOR.exec(cursor ?? '') ?? [];
  if (id === undefined || !idFormat.test(id)) return null;
  return { side: side === 'before' ? 'before' : 'after', id };
}

export interface Order {
  /** What is sorted by; never null. Ties are broken by the id, in the same direction. */
  value: SQL;
  id: SQL;
  descending: boolean;
  /** A subquery in brackets that selects value and id of the row that a place names. */
  rowAt: (id: string) => SQL;
}

/** The order of a page and the condition that it lies beyond the place. */
export function keyset(place: Place | null, { value, id, descending, rowAt }: Order) {
  const isDown = descending === (place?.side !== 'before');
  const direction = sql.raw(isDown ? 'desc' : 'asc');
  return {
    orderBy: [sql`${value} ${direction}`, sql`${id} ${direction}`],
    beyond:
      place === null
        ? undefined
        : sql`(${value}, ${id}) ${sql.raw(isDown ? '<' : '>')} ${rowAt(place.id)}`,
  };
}

/** Runs verbs against a database; so a long export holds no connection between two pages. */
export type Run<Db> = <T>(work: (db: Db) => Promise<T>) => Promise<T>;

/** Every page of a list, one after the other. */
export async function* everyPage<Item>(
  read: (cursor: string | null) => Promise<Page<Item>>,
): AsyncGenerator<Item[]> {
  let cursor: string | null = null;
  do {
    const page: Page<Item> = await read(cursor);
    yield page.items;
    cursor = page.next;
  } while (cursor !== null);
}

/** A search term, trimmed and without NUL, which no text in Postgres can hold; null when empty. */
export const searchText = (text: string | undefined): string | null =>
  text?.replaceAll('\0', '').trim() || null;
