import type { DenialReason } from '@ceiba/contract/sets';
import { sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { instant, toMs } from '../time.ts';

/** Denials of one reason, method and shape of path. */
export interface DenialGroup {
  denialReason: DenialReason;
  method: string;
  /** The path with `{id}` in place of numbers and other ids; null where no path was kept. */
  pathShape: string | null;
  /** The path of the newest denial. */
  samplePath: string | null;
  count: number;
  firstAt: Date;
  lastAt: Date;
  lastDecisionId: string;
  /** Whether one of them has no detail: for `policy_no_match`, whether a call lacked a policy, not a label. */
  hasPlain: boolean;
}

export interface DenialGroupRequest {
  projectId: string;
  /** Inclusive. */
  from: Date;
  /** Exclusive. */
  to: Date;
  /** Only the denials of this key. */
  apiKeyId?: string;
  /** Only the denials of this customer's keys while they were its. */
  customerId?: string;
  /** The most groups. */
  limit?: number;
}

/** Groups are counted over this many of the newest denials. */
export const GROUPED_DENIALS_MAX = 10_000;

/** A segment that is a number, a UUID, or at least 16 characters with a digit among them. */
const ID_SEGMENT =
  /\/(?:\d+|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|(?=[^/]*\d)[\w-]{16,})(?=\/|$)/gi;

const shapeOf = (path: string | null) => path?.replace(ID_SEGMENT, '/{id}') ?? null;

type Row = Omit<DenialGroup, 'firstAt' | 'lastAt' | 'pathShape'> & {
  firstAtMs: number;
  lastAtMs: number;
};

/**
 * The newest `GROUPED_DENIALS_MAX` denials of a time by reason, method and path; most frequent first.
 * Postgres counts the denials of each path, and the ids are searched here: Postgres takes a hundred
 * times as long for that.
 */
export async function groupDenials(
  db: { orm: Executor },
  { projectId, from, to, apiKeyId, customerId, limit = 50 }: DenialGroupRequest,
): Promise<DenialGroup[]> {
  const rows = await db.orm.execute<Row & Record<string, unknown>>(sql`
    with denial as (
      select at, decision_id, outcome, denial_detail, method, path from decisions
      where project_id = ${projectId} and outcome <> 'allowed'
        and at >= ${instant(from)} and at < ${instant(to)}
        and ${apiKeyId === undefined ? sql`true` : sql`api_key_id = ${apiKeyId}`}
        and ${customerId === undefined ? sql`true` : sql`customer_id = ${customerId}`}
      order by at desc, decision_id desc limit ${GROUPED_DENIALS_MAX}
    )
    select outcome as "denialReason", method, path as "samplePath", count(*)::int as count,
      ${toMs(sql`min(at)`)} as "firstAtMs", ${toMs(sql`max(at)`)} as "lastAtMs",
      (array_agg(decision_id order by at desc, decision_id desc))[1] as "lastDecisionId",
      bool_or(denial_detail is null) as "hasPlain"
    from denial group by outcome, method, path`);
  const groups = new Map<string, DenialGroup>();
  for (const { firstAtMs, lastAtMs, ...row } of rows) {
    const pathShape = shapeOf(row.samplePath);
    const group = { ...row, pathShape, firstAt: new Date(firstAtMs), lastAt: new Date(lastAtMs) };
    const kind = JSON.stringify([row.denialReason, row.method, pathShape]);
    const other = groups.get(kind);
    groups.set(kind, other === undefined ? group : joined(group, other));
  }
  return [...groups.values()].sort(byFrequency).slice(0, limit);
}

/** What two groups count together, and the newest denial of both. */
function joined(one: DenialGroup, other: DenialGroup): DenialGroup {
  return {
    ...(newestFirst(one, other) < 0 ? one : other),
    count: one.count + other.count,
    firstAt: one.firstAt < other.firstAt ? one.firstAt : other.firstAt,
    hasPlain: one.hasPlain || other.hasPlain,
  };
}

const newestFirst = (a: DenialGroup, b: DenialGroup) =>
  b.lastAt.getTime() - a.lastAt.getTime() || (a.lastDecisionId > b.lastDecisionId ? -1 : 1);

const byFrequency = (a: DenialGroup, b: DenialGroup) => b.count - a.count || newestFirst(a, b);
