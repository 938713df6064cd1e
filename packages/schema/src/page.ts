import { UUID } from '@ceiba/contract/sets';
import { type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { InvalidInputError } from './input.ts';

/** One page of a list, and the cursors of its neighbours; null when there is none. */
export interface Page<Item> {
  items: Item[];
  /** The `cursor` of the next page. */
  next: string | null;
  /** The `cursor` of the previous page. */
  previous: string | null;
}

export interface PageRequest {
  /** A page's `next` or `previous`; anything else reads the first page. */
  cursor?: string | null;
  /** From 1 to 1,000. */
  limit: number;
  /** For a page that a person sees: where no row is beyond the cursor, the first page instead of none. */
  orFirst?: boolean;
}

/** The rows after or before a row. */
export interface Place {
  side: 'after' | 'before';
  id: string;
}

const LIMIT_MAX = 1_000;
const CURSOR = /^(after|before)\.([0-9a-f-]{1,36})$/;

/** The ids that a cursor may hold, so that no cast of them can fail in SQL. */
export const UUID_ID = UUID;
export const NUMBER_ID = /^\d{1,18}$/;

interface PageIds<Item> {
  idOf: (item: Item) => string | number;
  idFormat: RegExp;
  /** The row of an id, where a cursor of no row is refused. */
  find?: (id: string) => Promise<object | null>;
}

/**
 * Reads a page by the key of the row next to it (keyset pagination): every page costs the same, and
 * no row appears twice when rows are added. A page is empty where no row is beyond its cursor.
 *
 * @param read returns up to `count` rows in order, starting next to the place
 * @throws InvalidInputError where the page is empty and `find` finds no row of the cursor
 */
export async function readPage<Item>(
  { cursor, limit, orFirst = false }: PageRequest,
  { idOf, idFormat, find }: PageIds<Item>,
  read: (place: Place | null, count: number) => Promise<Item[]>,
): Promise<Page<Item>> {
  const count = Math.min(Math.max(Math.trunc(limit), 1), LIMIT_MAX);
  const place = placeOf(cursor, idFormat);
  const found = await read(place, count + 1);
  if (found.length === 0 && place !== null) {
    if (orFirst) return readPage({ limit: count }, { idOf, idFormat }, read);
    if (find !== undefined && (await find(place.id)) === null) {
      throw new InvalidInputError([
        { field: 'cursor', rule: 'must be a "nextCursor" of this list' },
      ]);
    }
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
  /** The sort key; never null. Ties are broken by the id, in the same direction. */
  value: SQL;
  id: SQL;
  descending: boolean;
  /** A subquery in brackets that selects the value and id of a place's row. */
  rowAt: (id: string) => SQL;
}

/** The order of a page, and the condition that its rows are beyond the place. */
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

/** Runs a verb, so that a long export holds no connection between pages. */
export type Run<Db> = <T>(work: (db: Db) => Promise<T>) => Promise<T>;

/** Reads every page of a list. */
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

/**
 * Reads all of a list, a thousand at a time, for a streamed CSV file. No connection is held between
 * pages.
 *
 * @param run runs a verb, such as the console's `withDatabase`
 */
export const exportPages = <Db, Input extends object, Item>(
  run: Run<Db>,
  list: (db: Db, input: Input & PageRequest) => Promise<Page<Item>>,
  input: Input,
): AsyncGenerator<Item[]> =>
  everyPage((cursor) => run((db) => list(db, { ...input, cursor, limit: LIMIT_MAX })));

/** A search term, trimmed and without NUL, which no text in Postgres can hold; null when empty. */
export const searchText = (text: string | undefined): string | null =>
  text?.replaceAll('\0', '').trim() || null;

/** For a comparison: no text in Postgres can hold NUL, and no row is found by the text that replaces it. */
export const storable = (text: string): string => text.replaceAll('\0', '\ufffd');

/**
 * A text has another as a part, in either case; every text without one. Postgres lowers both, because
 * JavaScript lowers some letters in another way, such as İ.
 */
export const hasText = (column: PgColumn | SQL, text: string | undefined): SQL =>
  sql`position(lower(${searchText(text) ?? ''}) in lower(${column} collate "default")) > 0`;

/**
 * The texts that begin so, byte by byte. A range rather than `like`, which Postgres cannot combine with
 * another index under `or`.
 */
export const startsWith = (column: PgColumn, prefix: string | SQL): SQL =>
  sql`(${column} collate "C" >= ${prefix}
  and ${column} collate "C" < ${prefix} || chr(1114111))`;

/**
 * One of the columns has the text as a part, in either case.
 *
 * @param indexed the columns of an index of trigrams, in its order. A text of one or two letters has no
 *   trigram: it is compared with every row of the project.
 */
export function hasIndexedText(
  indexed: readonly PgColumn[],
  text: string,
  columns: readonly PgColumn[] = indexed,
): SQL {
  const words = sql`lower((${sql.join([...indexed], sql` || ' ' || `)}) collate "default")`;
  const part = sql`'%' || lower(${text.replaceAll(/[\\%_]/g, '\\$&')}) || '%'`;
  const inOne = columns.map((column) => hasText(column, text));
  return sql`(${words} like ${part} and (${sql.join(inOne, sql` or `)}))`;
}
