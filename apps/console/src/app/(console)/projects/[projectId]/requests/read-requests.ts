import 'server-only';
import { HTTP_STATUS_FOR_DENIAL, type Outcome, UUID } from '@ceiba/contract/sets';
import { timeOfDecision, type UsageRange } from '@ceiba/domain';
import {
  type ApiKeyName,
  type CustomerName,
  type Database,
  type DecisionFilter,
  type DecisionGapSum,
  type DecisionRecord,
  findKeysByPrefix,
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

/** The most keys of which a part of a prefix may be. */
const KEYS_OF_PREFIX_MAX = 20;

/** One page of the log, and what belongs to it. */
export interface RequestPage extends Page<DecisionRecord> {
  /** What was asked, also with what is wrong about its key. */
  asked: RequestQuery;
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
  /** Several keys begin so. */
  | { keyPrefix: string; keys: readonly ({ apiKeyId: string } & ApiKeyName)[] }
  /** No key of the project begins so; the log may have calls that were denied for it. */
  | { unknownKeyPrefix: string };

/** Reads the page that a URL asks for; nothing is listed if a field of the filter is wrong. */
export async function readRequests(
  db: Database,
  projectId: string,
  query: RequestQuery,
): Promise<RequestPage> {
  const { asked, key, filter } = await readFilter(db, projectId, query);
  const { cursor, errors } = asked;
  const isListed = Object.keys(errors).length === 0;
  const { decisionDays } = await readRetention(db);
  const now = new Date();
  const kept = keptRequests(decisionDays, now);
  const page = isListed
    ? await listDecisions(db, {
        projectId,
        filter,
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
    isNarrower(asked) ? [] : readDecisionGaps(db, { projectId, ...timeOf(page, query, kept) }),
  ]);
  const leftOut = gaps.filter(({ outcome }) => mayBe(outcome, asked.filter));
  const isNewest = filter.to === undefined || filter.to > now;
  const canGrow = isListed && isNewest && page.previous === null;
  return { ...page, asked, isListed, canGrow, names, customers, leftOut, kept, key };
}

/** Whether the filter is about more than outcomes and time: of what is missing, no more is known. */
const isNarrower = ({ key, filter }: RequestQuery) => {
  const { customerId, method, pathPrefix, decisionId, requestId, anyOf } = filter;
  return [key?.text, customerId, method, pathPrefix, decisionId, requestId, anyOf].some(Boolean);
};

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

export interface ReadFilter {
  /** What was asked; nothing may be read while it has errors. */
  asked: RequestQuery;
  key: FilteredKey | undefined;
  /** With the key that is meant. */
  filter: DecisionFilter;
}

/** The filter of a URL with the key, or the few keys, that it means. */
export async function readFilter(
  db: Database,
  projectId: string,
  asked: RequestQuery,
): Promise<ReadFilter> {
  const { key: meant, filter, errors } = asked;
  if (meant === null || Object.hasOwn(errors, meant.field)) {
    return { asked, key: undefined, filter };
  }
  const { text } = meant;
  if (UUID.test(text)) {
    const names = await readKeyNames(db, { projectId, apiKeyIds: [text] });
    const key = { apiKeyId: text, name: names.get(text) ?? null };
    return { asked, key, filter: { ...filter, apiKeyId: text } };
  }
  const keys = await findKeysByPrefix(db, {
    projectId,
    part: text,
    limit: KEYS_OF_PREFIX_MAX + 1,
  });
  if (keys.length > KEYS_OF_PREFIX_MAX) {
    const error = `More than ${KEYS_OF_PREFIX_MAX} keys begin with ${text}. Type more of it.`;
    const withError = { ...asked, errors: { ...errors, [meant.field]: error } };
    return { asked: withError, key: undefined, filter };
  }
  const [first, second] = keys;
  if (first === undefined) {
    const unknown = { unknownKeyPrefix: text };
    return { asked, key: unknown, filter: { ...filter, ...unknown } };
  }
  if (second === undefined) {
    const { apiKeyId } = first;
    return { asked, key: { apiKeyId, name: first }, filter: { ...filter, apiKeyId } };
  }
  const apiKeyIds = keys.map(({ apiKeyId }) => apiKeyId);
  return { asked, key: { keyPrefix: text, keys }, filter: { ...filter, apiKeyIds } };
}

const mayBe = (outcome: Outcome, { reason, status, ...filter }: RequestQuery['filter']) => {
  if (reason !== undefined) return outcome === reason;
  if (status !== undefined) {
    return outcome !== 'allowed' && HTTP_STATUS_FOR_DENIAL[outcome] === status;
  }
  return filter.outcome === undefined || (outcome === 'allowed') === (filter.outcome === 'allowed');
};
