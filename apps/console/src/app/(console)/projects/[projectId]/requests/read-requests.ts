import 'server-only';
import { type Outcome, UUID } from '@ceiba/contract/sets';
import {
  type ApiKeyName,
  type Database,
  type DecisionFilter,
  type DecisionRecord,
  listDecisions,
  type Page,
  readDecisionGaps,
  readKeyNames,
  readRetention,
  searchApiKeys,
} from '@ceiba/schema';
import type { RequestQuery } from './_components/request-query.ts';

const DAY_MS = 86_400_000;
const PAGE_SIZE = 50;
const NOTHING: Page<DecisionRecord> = { items: [], next: null, previous: null };

/** One page of the log, and what belongs to it. */
export interface RequestPage extends Page<DecisionRecord> {
  /** False if a field of the filter is wrong; then the page is empty. */
  isListed: boolean;
  names: Map<string, ApiKeyName>;
  /** How many requests of each outcome the log left out in this range. */
  leftOut: { outcome: Outcome; leftOut: number }[];
  /** Days for which the log is kept. */
  days: number;
  /** The key of the filter; undefined without one, null if no key has this prefix. */
  key: FilteredKey | null | undefined;
}

export interface FilteredKey {
  apiKeyId: string;
  /** Null if the project has no such key now; the log may still have its requests. */
  name: ApiKeyName | null;
}

/** Reads the page that a URL asks for; nothing is listed if a field of the filter is wrong. */
export async function readRequests(
  db: Database,
  projectId: string,
  { fields, filter, cursor, errors }: RequestQuery,
): Promise<RequestPage> {
  const key = Object.hasOwn(errors, 'key') ? undefined : await readKey(db, projectId, fields.key);
  const isListed = Object.keys(errors).length === 0 && key !== null;
  const { decisionDays: days } = await readRetention(db);
  const now = Date.now();
  const range = {
    from: filter.from ?? new Date(now - days * DAY_MS),
    to: filter.to ?? new Date(now + DAY_MS),
  };
  const [page, gaps] = await Promise.all([
    isListed
      ? listDecisions(db, {
          projectId,
          filter: filterWith(filter, key),
          cursor,
          limit: PAGE_SIZE,
        })
      : NOTHING,
    range.from < range.to ? readDecisionGaps(db, { projectId, ...range }) : [],
  ]);
  const apiKeyIds = page.items.flatMap(({ apiKeyId }) => apiKeyId ?? []);
  const names = await readKeyNames(db, { projectId, apiKeyIds: [...new Set(apiKeyIds)] });
  const leftOut = gaps.filter(({ outcome }) => mayBe(outcome, filter));
  return { ...page, isListed, names, leftOut, days, key };
}

/** The filter of the URL with the key that it names. */
export const filterWith = (
  filter: RequestQuery['filter'],
  key: FilteredKey | null | undefined,
): DecisionFilter => ({ ...filter, ...(key && { apiKeyId: key.apiKeyId }) });

/**
 * The key of a filter, by its ID or its prefix.
 *
 * @returns undefined for an empty text, null if no key of the project has this prefix
 */
export async function readKey(
  db: Database,
  projectId: string,
  text: string,
): Promise<FilteredKey | null | undefined> {
  if (text === '') return undefined;
  if (UUID.test(text)) {
    const names = await readKeyNames(db, { projectId, apiKeyIds: [text] });
    return { apiKeyId: text, name: names.get(text) ?? null };
  }
  const { items } = await searchApiKeys(db, { projectId, text, limit: 10 });
  const key = items.find(({ keyPrefix }) => keyPrefix === text);
  return key === undefined ? null : { apiKeyId: key.apiKeyId, name: key };
}

const mayBe = (outcome: Outcome, filter: RequestQuery['filter']) =>
  filter.reason === undefined
    ? filter.outcome === undefined || (outcome === 'allowed') === (filter.outcome === 'allowed')
    : outcome === filter.reason;
