import { type DenialReason, type DenialStatus, denialReasonsOf } from '@ceiba/contract/sets';
import { timeOfDecision } from '@ceiba/domain';
import { and, eq, getTableColumns, gte, inArray, lt, or, type SQL, sql } from 'drizzle-orm';
import { unionAll } from 'drizzle-orm/pg-core';
import { beginningsOf, brandOf } from '../api-key/words.ts';
import type { Executor } from '../connection/database.ts';
import {
  keyset,
  type Page,
  type PageRequest,
  type Place,
  readPage,
  startsWith,
  storable,
  UUID_ID,
} from '../page.ts';
import { decisions } from '../tables.ts';
import { instant } from '../time.ts';

/** A decision of the log. */
export type DecisionRecord = Omit<typeof decisions.$inferSelect, 'projectId'>;

/** Each condition narrows the list. */
export interface DecisionFilter {
  /** Inclusive. */
  from?: Date | undefined;
  /** Exclusive. */
  to?: Date | undefined;
  outcome?: 'allowed' | 'denied' | undefined;
  reason?: DenialReason | undefined;
  /** Denied for a reason that a host answers with this status. */
  status?: DenialStatus | undefined;
  /** A UUID. */
  apiKeyId?: string | undefined;
  /** Any of a few keys, by their UUIDs. */
  apiKeyIds?: readonly string[] | undefined;
  /** A UUID, of the customer that the key had then. */
  customerId?: string | undefined;
  /** The beginning of a key that the project does not have, with or without its brand, among the newest {@link UNKNOWN_KEYS_SEARCHED_MAX}. */
  unknownKeyPrefix?: string | undefined;
  method?: string | undefined;
  pathPrefix?: string | undefined;
  requestId?: string | undefined;
  /** A UUID. */
  decisionId?: string | undefined;
  /** What one text may be: a request that any of these names is found. */
  anyOf?: Pick<DecisionFilter, 'pathPrefix' | 'requestId' | 'decisionId'> | undefined;
}

/**
 * Calls with an unknown key are searched for a prefix in this many of the newest such calls of the
 * filter's time: no index has prefixes, and a flood of guessed keys has millions of rows.
 */
export const UNKNOWN_KEYS_SEARCHED_MAX = 20_000;

export interface DecisionListRequest extends PageRequest {
  projectId: string;
  filter?: DecisionFilter;
}

const { projectId: _, ...columns } = getTableColumns(decisions);

/** One page of a project's decisions, newest first. The ids of its cursors are those of decisions. */
export function listDecisions(
  db: { orm: Executor },
  { projectId, filter = {}, ...page }: DecisionListRequest,
): Promise<Page<DecisionRecord>> {
  const ids = { idOf: idOfDecision, idFormat: UUID_ID };
  return readPage<DecisionRecord>(page, ids, (place, count) => {
    const { orderBy, beyond } = keyset(place, {
      value: sql`${decisions.at}`,
      id: sql`${decisions.decisionId}`,
      descending: true,
      rowAt: (id) => sql`(${instant(timeOrEpoch(id))}, ${id}::uuid)`,
    });
    const read = (one: DecisionFilter) =>
      db.orm
        .select(columns)
        .from(decisions)
        .where(and(...conditionsOf(projectId, one), withinDays(place), beyond))
        .orderBy(...orderBy)
        .limit(count);
    const [first, second, ...more] = alternativesOf(filter).map(read);
    if (first === undefined) return Promise.resolve([]);
    if (second === undefined) return first;
    return db.orm
      .select(columns)
      .from(unionAll(first, second, ...more).as('decisions'))
      .orderBy(...orderBy)
      .limit(count);
  });
}

/**
 * Filters that together find what one does. Several keys, and the reasons of a status, are each read from
 * the newest on by an index: of all that have any of them, no index has the order.
 */
function alternativesOf({ apiKeyIds, status, ...filter }: DecisionFilter): DecisionFilter[] {
  if (apiKeyIds !== undefined) {
    return apiKeyIds.map((apiKeyId) => ({ ...filter, status, apiKeyId }));
  }
  if (status === undefined || filter.reason !== undefined) return [{ ...filter, status }];
  return denialReasonsOf(status).map((reason) => ({ ...filter, reason }));
}

const idOfDecision = ({ decisionId }: DecisionRecord) => decisionId;

/** A decision of the project; null also for another project's. */
export async function findDecision(
  db: { orm: Executor },
  { projectId, decisionId }: { projectId: string; decisionId: string },
): Promise<DecisionRecord | null> {
  const [row] = await db.orm
    .select(columns)
    .from(decisions)
    .where(and(...conditionsOf(projectId, { decisionId })));
  return row ?? null;
}

function conditionsOf(projectId: string, filter: DecisionFilter): (SQL | undefined)[] {
  const { from, to, outcome, reason, apiKeyId, method } = filter;
  const { customerId, unknownKeyPrefix, status, anyOf } = filter;
  return [
    eq(decisions.projectId, projectId),
    from && gte(decisions.at, from),
    to && lt(decisions.at, to),
    unknownKeyPrefix === undefined ? undefined : ofUnknownKey(projectId, unknownKeyPrefix, to),
    outcome === 'allowed' ? eq(decisions.outcome, 'allowed') : undefined,
    outcome === 'denied' ? IS_DENIED : undefined,
    reason && eq(decisions.outcome, reason),
    status && inArray(decisions.outcome, denialReasonsOf(status)),
    apiKeyId === undefined ? undefined : eq(decisions.apiKeyId, apiKeyId),
    customerId === undefined ? undefined : eq(decisions.customerId, customerId),
    method === undefined ? undefined : eq(decisions.method, storable(method)),
    ...namedBy(filter),
    anyOf && or(...namedBy(anyOf)),
  ];
}

const namedBy = ({ pathPrefix, requestId, decisionId }: NonNullable<DecisionFilter['anyOf']>) => [
  pathPrefix ? startsWith(decisions.path, storable(pathPrefix)) : undefined,
  requestId === undefined ? undefined : eq(decisions.requestId, storable(requestId)),
  decisionId === undefined ? undefined : isDecision(decisionId),
];

/** Selects a decision by its ID, a UUID; its time leaves all days but one out. */
export const isDecision = (decisionId: string): SQL =>
  sql`(${decisions.at}, ${decisions.decisionId}) =
    (${instant(timeOrEpoch(decisionId))}, ${decisionId}::uuid)`;

/** The conditions that find a prefix among the newest calls with an unknown key, by the index of outcomes. */
function ofUnknownKey(projectId: string, prefix: string, to: Date | undefined): SQL {
  const begins = beginningsOf(prefix, brandOf(projectId)).map((beginning) =>
    startsWith(decisions.keyPrefix, beginning),
  );
  return sql`${decisions.outcome} = 'invalid_api_key' and ${or(...begins)}
    and ${decisions.at} >= coalesce((
      select searched.at from decisions searched
      where searched.project_id = ${projectId} and searched.outcome = 'invalid_api_key'
        and ${to === undefined ? sql`true` : sql`searched.at < ${instant(to)}`}
      order by searched.at desc offset ${UNKNOWN_KEYS_SEARCHED_MAX - 1} limit 1
    ), '-infinity')`;
}

/** The condition of the index of denials. */
export const IS_DENIED = sql`${decisions.outcome} <> 'allowed'`;

/** No decision is from 1970, so an id without a time finds none. */
const timeOrEpoch = (decisionId: string) => timeOfDecision(decisionId) ?? new Date(0);

/** Comparing a time alone leaves partitions out; comparing it together with an id does not. */
function withinDays(place: Place | null): SQL | undefined {
  if (place === null) return undefined;
  const at = instant(timeOrEpoch(place.id));
  return place.side === 'after' ? sql`${decisions.at} <= ${at}` : sql`${decisions.at} >= ${at}`;
}
