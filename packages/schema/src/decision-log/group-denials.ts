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

/**
 * Groups are counted over this many of the newest denials. Each path is searched for ids, which takes
 * most of the time: five times as many took longer than the console waits on a busy server.
 */
export const GROUPED_DENIALS_MAX = 10_000;

/** A segment that is a number, a UUID, or at least 16 characters with a digit among them. */
const ID_SEGMENT =
  '/(?:\\d+|[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}|(?=[^/]*\\d)[0-9A-Za-z_-]{16,})(?=/|$)';

type Row = Omit<DenialGroup, 'firstAt' | 'lastAt'> & { firstAtMs: number; lastAtMs: number };

/** The newest `GROUPED_DENIALS_MAX` denials of a time by reason, method and path; most frequent first. */
export async function groupDenials(
  db: { orm: Executor },
  { projectId, from, to, apiKeyId, customerId, limit = 50 }: DenialGroupRequest,
): Promise<DenialGroup[]> {
  const rows = await db.orm.execute<Row & Record<string, unknown>>(sql`
    with denial as (
      select at, decision_id, outcome, denial_detail, method, path,
        regexp_replace(path, ${ID_SEGMENT}, '/{id}', 'g') as shape
      from decisions
      where project_id = ${projectId} and outcome <> 'allowed'
        and at >= ${instant(from)} and at < ${instant(to)}
        and ${apiKeyId === undefined ? sql`true` : sql`api_key_id = ${apiKeyId}`}
        and ${customerId === undefined ? sql`true` : sql`customer_id = ${customerId}`}
      order by at desc, decision_id desc limit ${GROUPED_DENIALS_MAX}
    ), ranked as (
      select outcome, method, shape, count(*)::int as count,
        min(at) as first_at, max(at) as last_at, bool_or(denial_detail is null) as has_plain,
        (array_agg(decision_id order by at desc, decision_id desc))[1] as last_id,
        (array_agg(path order by at desc, decision_id desc))[1] as last_path
      from denial group by outcome, method, shape
    )
    select outcome as "denialReason", method, shape as "pathShape", last_path as "samplePath", count,
      ${toMs(sql`first_at`)} as "firstAtMs", ${toMs(sql`last_at`)} as "lastAtMs",
      last_id as "lastDecisionId", has_plain as "hasPlain"
    from ranked order by count desc, last_at desc, last_id limit ${limit}`);
  return rows.map(({ firstAtMs, lastAtMs, ...group }) => ({
    ...group,
    firstAt: new Date(firstAtMs),
    lastAt: new Date(lastAtMs),
  }));
}
