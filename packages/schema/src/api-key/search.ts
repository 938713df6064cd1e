import type { ApiKeyStatus, ApiKeySummary } from '@ceiba/contract';
import { digestOf } from '@ceiba/domain';
import { and, eq, inArray, type SQL, sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import {
  hasIndexedText,
  keyset,
  type Order,
  type Page,
  type PageRequest,
  readPage,
  searchText,
  startsWith,
  UUID_ID,
} from '../page.ts';
import { apiKeys, projects } from '../tables.ts';
import { monthNumber } from '../time.ts';
import { getApiKey } from './get.ts';
import { type ApiKeyHint, HINT_CONDITIONS } from './hints.ts';
import { type ApiKeyRow, rowColumns, toRow, usedThisMonth } from './row.ts';
import { summaryColumns, toSummary } from './summary.ts';
import { beginningsOf, brandOf, NAMES } from './words.ts';

export const API_KEY_SORTS = ['created', 'name', 'expires', 'ended', 'last_used', 'used'] as const;
export type ApiKeySort = (typeof API_KEY_SORTS)[number];

/** Which keys a list has; each condition narrows it. */
export interface ApiKeyFilter {
  status?: ApiKeyStatus | undefined;
  /** Only keys of this customer. */
  customerId?: string | undefined;
  /** Only keys with this hint. */
  hint?: ApiKeyHint | undefined;
  /** Part of the name or note, the first characters of the key, or its id. */
  text?: string | undefined;
}

export interface SearchApiKeysInput extends PageRequest, ApiKeyFilter {
  projectId: string;
  /** Default: `created`. */
  sort?: ApiKeySort;
  /** Default: newest, last revoked or archived, most used and last used first; names and expiries ascending. */
  descending?: boolean;
}

export interface ApiKeyPage extends Page<ApiKeyRow> {
  /** On all pages; null where that is more than {@link COUNTED_MAX}, or than {@link FOUND_MAX} with a text. */
  total: number | null;
  /** On the pages before this one; 0 where the total is null. */
  before: number;
}

/** As many keys as a list counts: counting hundreds of thousands takes longer than the page. */
export const COUNTED_MAX = 10_000;
/** As many as it counts of those that a text finds, which Postgres compares one by one. */
export const FOUND_MAX = 1_000;
/**
 * Up to so many, a list by use looks up the month of each key, in some 6 µs; of more it adds up those of all
 * keys and customers of the project, in half of that.
 */
const FEW_MAX = 5_000;

/** One page of a project's keys, and its place in the whole list. */
export async function searchApiKeys(
  db: { orm: Executor },
  input: SearchApiKeysInput,
): Promise<ApiKeyPage> {
  const { order, ...keys } = await selectionOf(db, input);
  const page = await readRows(db, input, { order, ...keys });
  const first = page.previous === null ? undefined : page.items[0];
  const isBefore = first && keyset({ side: 'before', id: first.apiKeyId }, order).beyond;
  return { ...page, ...(await countOf(db, { page, ...keys, isBefore, text: input.text })) };
}

/** One page of a project's keys alone: nothing counts the others. */
export const listApiKeyRows = async (
  db: { orm: Executor },
  input: SearchApiKeysInput,
): Promise<Page<ApiKeyRow>> => readRows(db, input, await selectionOf(db, input));

/** The columns are read for the rows of the page alone, whatever the order. */
const readRows = (
  db: { orm: Executor },
  { projectId, ...input }: SearchApiKeysInput,
  { from, matches, order }: Selection,
) =>
  readPage(input, idsOf<ApiKeyRow>(db, projectId), async (place, count) => {
    const { orderBy, beyond = sql`true` } = keyset(place, order);
    const found = await db.orm.execute<{ id: string }>(sql`
      select api_keys.id from ${from} where ${matches} and ${beyond}
      order by ${sql.join(orderBy, sql`, `)} limit ${count}`);
    if (found.length === 0) return [];
    const ids = found.map(({ id }) => id);
    const rows = await db.orm.select(rowColumns).from(apiKeys).where(inArray(apiKeys.id, ids));
    const byId = new Map(rows.map((row) => [row.apiKeyId, row]));
    return ids.flatMap((id) => byId.get(id) ?? []).map(toRow);
  });

interface Selection {
  from: SQL;
  matches: SQL | undefined;
  order: Order;
}

async function selectionOf(db: { orm: Executor }, input: SearchApiKeysInput): Promise<Selection> {
  const { value, valueOfOne = value, descending, join } = SORTS[input.sort ?? 'created'];
  const matches = matching({ ...input, brand: await readBrand(db, input) });
  return {
    from: join
      ? sql`api_keys ${(await hasMany(db, matches)) ? join.many(input.projectId) : join.few}`
      : sql`api_keys`,
    matches,
    order: {
      value,
      id: sql`api_keys.id`,
      descending: input.descending ?? descending,
      rowAt: (id: string) => sql`(select ${valueOfOne}, api_keys.id from api_keys
        where api_keys.id = ${id} and api_keys.project_id = ${input.projectId})`,
    },
  };
}

async function hasMany(db: { orm: Executor }, matches: SQL | undefined): Promise<boolean> {
  const [row] = await db.orm.execute<{ many: boolean }>(sql`
    select count(*) > ${FEW_MAX} as many
    from (select from api_keys where ${matches} limit ${FEW_MAX + 1}) found`);
  return row?.many ?? false;
}

/**
 * Read before the search, because Postgres cannot estimate how many prefixes begin with what a subquery
 * returns, and would rather read all keys. Undefined without a text.
 */
async function readBrand(
  db: { orm: Executor },
  { projectId, text }: Pick<SearchApiKeysInput, 'projectId' | 'text'>,
): Promise<string | undefined> {
  if (searchText(text) === null) return undefined;
  const [project] = await db.orm
    .select({ brand: projects.keyPrefix })
    .from(projects)
    .where(eq(projects.id, projectId));
  return project?.brand;
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
  const most = searchText(text) === null ? COUNTED_MAX : FOUND_MAX;
  const [counted] = await db.orm.execute<{ total: number; before: number }>(sql`
    select count(*)::int as total, (count(*) filter (where is_before))::int as before
    from (select ${isBefore ?? sql`false`} as is_before
      from ${isBefore ? from : sql`api_keys`} where ${matches} limit ${most + 1}) found`);
  const { total, before } = counted ?? { total: 0, before: 0 };
  return total > most ? { total: null, before: 0 } : { total, before };
}

const idsOf = <Item extends { apiKeyId: string }>(db: { orm: Executor }, projectId: string) => ({
  idOf: ({ apiKeyId }: Item) => apiKeyId,
  idFormat: UUID_ID,
  find: (apiKeyId: string) => getApiKey(db, { projectId, apiKeyId }),
});

export interface FindApiKeysInput extends PageRequest {
  projectId: string;
  status?: ApiKeyStatus | undefined;
  /** Only keys of this customer. */
  customerId?: string | undefined;
  /**
   * Part of the name in either case, the first characters of the prefix, or the id.
   */
  search?: string | undefined;
  /** Top-level fields of the metadata, each with the text that it is. */
  metadata?: Readonly<Record<string, string>>;
}

/**
 * One page of a project's keys in read shape, newest first. Each condition narrows the list. It is empty
 * where nothing that is wanted is beyond the cursor.
 *
 * @throws InvalidInputError where the cursor names no key of the project
 */
export function findApiKeys(
  db: { orm: Executor },
  { projectId, status, customerId, search, metadata = {}, ...page }: FindApiKeysInput,
): Promise<Page<ApiKeySummary>> {
  const wanted = searchText(search);
  const matches = and(
    matching({ projectId, status, customerId }),
    wanted === null ? undefined : sql`(${sql.join(foundBy(wanted), sql` or `)})`,
    Object.keys(metadata).length === 0 ? undefined : hasMetadata(metadata),
  );
  return readPage(page, idsOf<ApiKeySummary>(db, projectId), async (place, count) => {
    const { orderBy, beyond } = keyset(place, {
      ...SORTS.created,
      id: sql`api_keys.id`,
      rowAt: (id) => sql`(select k.created_at, k.id from api_keys k
        where k.id = ${id} and k.project_id = ${projectId})`,
    });
    const rows = await db.orm
      .select(summaryColumns)
      .from(apiKeys)
      .where(and(matches, beyond))
      .orderBy(...orderBy)
      .limit(count);
    return rows.map(toSummary);
  });
}

/** The second condition is that of the index `api_keys_metadata_idx`. */
const hasMetadata = (fields: Readonly<Record<string, string>>) =>
  sql`(${apiKeys.metadata} @> ${JSON.stringify(fields)}::jsonb and ${apiKeys.metadata} <> '{}')`;

function foundBy(text: string): SQL[] {
  const id = text.toLowerCase();
  return [
    hasIndexedText(NAMES, text, [apiKeys.displayName]),
    startsWith(apiKeys.keyPrefix, text),
    ...(UUID_ID.test(id) ? [sql`${apiKeys.id} = ${id}`] : []),
  ];
}

interface Sort {
  /** The sort key; never null. */
  value: SQL;
  /** The sort key of a single row, if that is a different expression. */
  valueOfOne?: SQL;
  descending: boolean;
  /** Where the sort key is, for at most {@link FEW_MAX} keys and for more. */
  join?: { few: SQL; many: (projectId: string) => SQL };
}

/**
 * A key without an expiry sorts as the last to expire, an unused one as the first used, and an active one as
 * the first that was revoked or archived.
 */
const SORTS: Record<ApiKeySort, Sort> = {
  created: { value: sql`api_keys.created_at`, descending: true },
  name: { value: sql`lower(api_keys.display_name)`, descending: false },
  expires: { value: sql`coalesce(api_keys.expires_at, 'infinity')`, descending: false },
  ended: {
    value: sql`coalesce(api_keys.revoked_at, api_keys.archived_at, '-infinity')`,
    descending: true,
  },
  last_used: { value: sql`coalesce(api_keys.last_used_at, '-infinity')`, descending: true },
  used: {
    value: sql`coalesce(month_use.used, 0)`,
    valueOfOne: usedThisMonth,
    descending: true,
    join: {
      // The offset keeps it one lookup per key: it would be repeated where the value is used again.
      few: sql`cross join lateral (select ${usedThisMonth} as used offset 0) month_use`,
      // The months are materialized, because each parallel worker would add up all of them otherwise.
      many: (projectId) => sql`left join (
        with months as materialized (
          select m.scope, sum(m.count)::float8 as used from usage_months m
          where m.project_id = ${projectId} and m.month = ${monthNumber()}
          group by m.scope
        ) select * from months
      ) month_use on month_use.scope = api_keys.id::text`,
    },
  },
};

/** The condition on a row of `api_keys` that it is in the list. */
export function matching({
  projectId,
  status,
  customerId,
  hint,
  text,
  brand = brandOf(projectId),
}: ApiKeyFilter & { projectId: string; brand?: string | SQL | undefined }): SQL | undefined {
  const wanted = searchText(text);
  return and(
    eq(apiKeys.projectId, projectId),
    status === undefined ? undefined : eq(apiKeys.status, status),
    customerId === undefined ? undefined : eq(apiKeys.customerId, customerId),
    hint === undefined ? undefined : HINT_CONDITIONS[hint],
    wanted === null ? undefined : matchesText(wanted, brand),
  );
}

/** A whole key finds its row by its digest, and a part of one by the characters that a row keeps. */
function matchesText(text: string, brand: string | SQL): SQL {
  const id = text.toLowerCase();
  return sql`(${sql.join(
    [
      hasIndexedText(NAMES, text),
      ...beginningsOf(text, brand).flatMap((prefix) => [
        startsWith(apiKeys.keyPrefix, prefix),
        startsWith(apiKeys.previousPrefix, prefix),
      ]),
      sql`${apiKeys.keyDigest} = ${digestOf(text)}`,
      ...(UUID_ID.test(id) ? [sql`${apiKeys.id} = ${id}`] : []),
    ],
    sql` or `,
  )})`;
}
