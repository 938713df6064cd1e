import type { ApiKeyStatus } from '@ceiba/contract';
import { API_KEY_BRAND, digestOf, publicPartOf } from '@ceiba/domain';
import { and, eq, inArray, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Executor } from '../connection/database.ts';
import {
  keyset,
  matchesWords,
  type Page,
  type PageRequest,
  readPage,
  searchText,
  UUID_ID,
} from '../page.ts';
import { apiKeys } from '../tables.ts';
import { monthNumber } from '../time.ts';
import { type ApiKeyHint, HINT_CONDITIONS } from './hints.ts';
import { type ApiKeyRow, rowColumns, toRow, usedThisMonth } from './row.ts';

export const API_KEY_SORTS = ['created', 'name', 'expires', 'last_used', 'used'] as const;
export type ApiKeySort = (typeof API_KEY_SORTS)[number];

export interface SearchApiKeysInput extends PageRequest {
  projectId: string;
  status?: ApiKeyStatus;
  /** Only keys of this customer. */
  customerId?: string;
  /** Only keys with this hint. */
  hint?: ApiKeyHint;
  /** Part of the name or note, the first characters of the key, or its id. */
  text?: string;
  /** Default: `created`. */
  sort?: ApiKeySort;
  /** Default: newest, most used and last used first; names and expiries ascending. */
  descending?: boolean;
}

export interface ApiKeyPage extends Page<ApiKeyRow> {
  /** On all pages; null where a text finds more than {@link COUNTED_MAX}. */
  total: number | null;
  /** On the pages before this one; 0 where the total is null. */
  before: number;
}

/** As many as a search counts: counting all that a frequent word finds takes longer than the page. */
export const COUNTED_MAX = 1_000;

/** One page of a project's keys, and its place in the whole list. */
export async function searchApiKeys(
  db: { orm: Executor },
  input: SearchApiKeysInput,
): Promise<ApiKeyPage> {
  const {
    value,
    valueOfOne = value,
    descending,
    join = () => sql``,
  } = SORTS[input.sort ?? 'created'];
  const from = sql`api_keys ${join(input.projectId)}`;
  const matches = matching(input);
  const order = {
    value,
    id: sql`api_keys.id`,
    descending: input.descending ?? descending,
    rowAt: (id: string) => sql`(select ${valueOfOne}, api_keys.id from api_keys
      where api_keys.id = ${id} and api_keys.project_id = ${input.projectId})`,
  };
  const page = await readPage(
    input,
    { idOf: (key: ApiKeyRow) => key.apiKeyId, idFormat: UUID_ID },
    async (place, count) => {
      const { orderBy, beyond = sql`true` } = keyset(place, order);
      const ids = await db.orm.execute<{ id: string }>(sql`
        select api_keys.id from ${from} where ${matches} and ${beyond}
        order by ${sql.join(orderBy, sql`, `)} limit ${count}`);
      return readInOrder(
        db,
        ids.map(({ id }) => id),
      );
    },
  );
  const first = page.previous === null ? undefined : page.items[0];
  const isBefore = first && keyset({ side: 'before', id: first.apiKeyId }, order).beyond;
  return { ...page, ...(await countOf(db, { page, from, matches, isBefore, text: input.text })) };
}

interface Counted {
  page: Page<ApiKeyRow>;
  from: SQL;
  matches: SQL | undefined;
  isBefore: SQL | undefined;
  text: string | undefined;
}

async function countOf(
  db: { orm: Executor },
  { page, from, matches, isBefore, text }: Counted,
): Promise<Pick<ApiKeyPage, 'total' | 'before'>> {
  if (page.previous === null && page.next === null) return { total: page.items.length, before: 0 };
  const most = searchText(text) === null ? sql`` : sql`limit ${COUNTED_MAX + 1}`;
  const [counted] = await db.orm.execute<{ total: number; before: number }>(sql`
    select count(*)::int as total, (count(*) filter (where is_before))::int as before
    from (select ${isBefore ?? sql`false`} as is_before
      from ${isBefore ? from : sql`api_keys`} where ${matches} ${most}) found`);
  const { total, before } = counted ?? { total: 0, before: 0 };
  return total > COUNTED_MAX && searchText(text) !== null
    ? { total: null, before: 0 }
    : { total, before };
}

/** Reads the remaining columns for the rows of the page only. */
async function readInOrder(db: { orm: Executor }, ids: readonly string[]): Promise<ApiKeyRow[]> {
  if (ids.length === 0) return [];
  const rows = await db.orm
    .select(rowColumns)
    .from(apiKeys)
    .where(inArray(apiKeys.id, [...ids]));
  const byId = new Map(rows.map((row) => [row.apiKeyId, toRow(row)]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** Joins the months of all keys, to sort by use. */
const joinUse = (projectId: string) => sql`
  left join (
    select m.scope, sum(m.count)::float8 as used from usage_months m
    where m.project_id = ${projectId} and m.month = ${monthNumber()}
    group by m.scope
  ) month_use on month_use.scope = api_keys.id::text`;

interface Sort {
  /** The sort key; never null. */
  value: SQL;
  /** The sort key of a single row, if that is a different expression. */
  valueOfOne?: SQL;
  descending: boolean;
  join?: (projectId: string) => SQL;
}

/** A key without an expiry sorts as the last to expire, an unused key as the first used. */
const SORTS: Record<ApiKeySort, Sort> = {
  created: { value: sql`api_keys.created_at`, descending: true },
  name: { value: sql`lower(api_keys.display_name)`, descending: false },
  expires: { value: sql`coalesce(api_keys.expires_at, 'infinity')`, descending: false },
  last_used: { value: sql`coalesce(api_keys.last_used_at, '-infinity')`, descending: true },
  used: {
    value: sql`coalesce(month_use.used, 0)`,
    valueOfOne: usedThisMonth,
    descending: true,
    join: joinUse,
  },
};

function matching({
  projectId,
  status,
  customerId,
  hint,
  text,
}: SearchApiKeysInput): SQL | undefined {
  const wanted = searchText(text);
  return and(
    eq(apiKeys.projectId, projectId),
    status === undefined ? undefined : eq(apiKeys.status, status),
    customerId === undefined ? undefined : eq(apiKeys.customerId, customerId),
    hint === undefined ? undefined : HINT_CONDITIONS[hint],
    wanted === null ? undefined : matchesText(wanted),
  );
}

/** A whole key finds its row by its digest, and a part of one by the characters that a row keeps. */
function matchesText(text: string): SQL {
  const id = text.toLowerCase();
  const prefixes = [text, publicPartOf(text), publicPartOf(API_KEY_BRAND + text)];
  return sql`(${sql.join(
    [
      matchesWords(WORDS, text),
      ...[...new Set(prefixes)].map((prefix) => startsWith(apiKeys.keyPrefix, prefix)),
      startsWith(apiKeys.previousPrefix, publicPartOf(text)),
      sql`${apiKeys.keyDigest} = ${digestOf(text)}`,
      ...(UUID_ID.test(id) ? [sql`${apiKeys.id} = ${id}`] : []),
    ],
    sql` or `,
  )})`;
}

/** The expression of the index `api_keys_words_idx`. */
const WORDS = sql`lower(${apiKeys.displayName} || ' ' || ${apiKeys.note})`;

/** A range rather than `like`, which Postgres cannot combine with another index under `or`. */
const startsWith = (column: PgColumn, prefix: string) => sql`(${column} collate "C" >= ${prefix}
  and ${column} collate "C" < ${prefix} || chr(1114111))`;
