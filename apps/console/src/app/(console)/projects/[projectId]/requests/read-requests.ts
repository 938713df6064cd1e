import 'server-only';
import { type Outcome, UUID } from '@ceiba/contract/sets';
import { timeOfDecision, type UsageRange } from '@ceiba/domain';
import {
  type ApiKeyName,
  type CustomerName,
  type Database,
  type DecisionFilter,
  type DecisionGapSum,
  type DecisionRecord,
  findKeyByPrefix,
  listDecisions,
  type Page,
  readCustomerNames,
  readDecisionGaps,
  readKeyNames,
  readRetention,
} from '@ceiba/schema';
import { type KeptRequests, keptRequests } from '#components/usage/range-links.ts';
import type { RequestQuery } from './_components/request-query.ts';

const DAY_MS = 86_400_000;
const PAGE_SIZE = 50;
const NOTHING: Page<DecisionRecord> = { items: [], next: null, previous: null };

/** One page of the log, and what belongs to it. */
export interface RequestPage extends Page<DecisionRecord> {
  /** False if a field of the filter is wrong; then the page is empty. */
  isListed: boolean;
  names: Map<string, ApiKeyName>;
  /** The names of customers, by id; also that of the filter. */
  customers: Map<string, CustomerName>;
  /** Whether new requests appear on this page. */
  canGrow: boolean;
  /** How many requests of each outcome the log left out in the time of this page. */
  leftOut: DecisionGapSum[];
  kept: KeptRequests;
  /** The key of the filter; undefined without one. */
  key: FilteredKey | undefined;
}

export type FilteredKey =
  | {
      apiKeyId: string;
      /** Null if the project has no such key now; the log may still have its requests. */
      name: ApiKeyName | null;
    }
  /** No key of the project has this prefix; the log may have calls that were denied for it. */
  | { unknownKeyPrefix: string };

/** Reads the page that a URL asks for; nothing is listed if a field of the filter is wrong. */
export async function readRequests(
  db: Database,
  projectId: string,
  query: RequestQuery,
): Promise<RequestPage> {
  const { fields, filter, cursor, errors } = query;
  const key = Object.hasOwn(errors, 'key') ? undefined : await readKey(db, projectId, fields.key);
  const isListed = Object.keys(errors).length === 0;
  const { decisionDays } = await readRetention(db);
  const now = new Date();
  const kept = keptRequests(decisionDays, now);
  const page = isListed
    ? await listDecisions(db, {
        projectId,
        filter: filterWith(filter, key),
        cursor,
        limit: PAGE_SIZE,
      })
    : NOTHING;
  const apiKeyIds = page.items.flatMap(({ apiKeyId }) => apiKeyId ?? []);
  const customerIds = page.items.flatMap(({ customerId }) => customerId ?? []);
  const [names, customers, gaps] = await Promise.all([
    readKeyNames(db, { projectId, apiKeyIds: [...new Set(apiKeyIds)] }),
    readCustomerNames(db, {
      projectId,
      customerIds: [
        ...new Set([...customerIds, ...(filter.customerId ? [filter.customerId] : [])]),
      ],
    }),
    isNarrower(fields) ? [] : readDecisionGaps(db, { projectId, ...timeOf(page, query, kept) }),
  ]);
  const leftOut = gaps.filter(({ outcome }) => mayBe(outcome, filter));
  const isNewest = filter.to === undefined || filter.to > now;
  const canGrow = isListed && isNewest && page.previous === null;
  return { ...page, isListed, canGrow, names, customers, leftOut, kept, key };
}

/** Whether the filter is about more than outcomes and time: of what is missing, no more is known. */
const isNarrower = ({
  key,
  customer,
  method,
  pathPrefix,
  decisionId,
  requestId,
}: RequestQuery['fields']) =>
  [key, customer, method, pathPrefix, decisionId, requestId].some((text) => text !== '');

/**
 * The time of a page, up to its neighbours if it has any. On the side that it was reached from, it
 * begins at the request of the cursor, so that no time is between two pages.
 */
function timeOf(
  { items, previous, next }: Page<DecisionRecord>,
  { filter, cursor }: RequestQuery,
  kept: KeptRequests,
): UsageRange {
  const [side, id = ''] = cursor.split('.');
  const beside = timeOfDecision(id);
  const older = side === 'before' ? beside : items.at(-1)?.at;
  const newer = side === 'after' ? beside : items[0]?.at;
  return {
    from: (next === null ? null : older) ?? filter.from ?? kept.since,
    to: (previous === null ? null : newer) ?? filter.to ?? new Date(Date.now() + DAY_MS),
  };
}

/** The filter of the URL with the key that it names. */
export const filterWith = (
  filter: RequestQuery['filter'],
  key: FilteredKey | undefined,
): DecisionFilter => {
  if (key === undefined) return filter;
  return 'apiKeyId' in key ? { ...filter, apiKeyId: key.apiKeyId } : { ...filter, ...key };
};

/**
 * The key of a filter, by its ID or its prefix.
 *
 * @returns undefined for an empty text
 */
export async function readKey(
  db: Database,
  projectId: string,
  text: string,
): Promise<FilteredKey | undefined> {
  if (text === '') return undefined;
  if (UUID.test(text)) {
    const names = await readKeyNames(db, { projectId, apiKeyIds: [text] });
    return { apiKeyId: text, name: names.get(text) ?? null };
  }
  const key = await findKeyByPrefix(db, { projectId, prefix: text });
  return key === null ? { unknownKeyPrefix: text } : { apiKeyId: key.apiKeyId, name: key };
}

const mayBe = (outcome: Outcome, filter: RequestQuery['filter']) =>
  filter.reason === undefined
    ? filter.outcome === undefined || (outcome === 'allowed') === (filter.outcome === 'allowed')
    : outcome === filter.reason;
