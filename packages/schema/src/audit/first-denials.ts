import type { DenialReason } from '@ceiba/contract/sets';
import { sql } from 'drizzle-orm';
import { bulk } from '../bulk.ts';
import type { Executor } from '../connection/database.ts';
import { toMs } from '../time.ts';
import { type Effect, effectOf, isExplainedBy } from './effects.ts';
import type { AuditRow } from './list.ts';

/** What denials can follow. */
export interface Cause {
  /** Of the audit row, or any other number. */
  id: number;
  effect: Effect;
  /** A key or a customer. */
  target: { kind: string; id: string };
  at: Date;
  /** When another change replaced it; null if none did. */
  until: Date | null;
}

/** The denial that followed a cause first, of those that the decision log has. */
export interface FirstDenial {
  decisionId: string;
  at: Date;
  denialReason: DenialReason;
  method: string;
  /** Null where no path was kept. */
  path: string | null;
}

/** The causes among changes, which are the newest of their targets, newest first. */
export function causesOf(
  changes: readonly Pick<AuditRow, 'auditId' | 'at' | 'action' | 'target'>[],
): Cause[] {
  return changes.flatMap(({ auditId, at, action, target }, index) => {
    const found = effectOf(action);
    if (found === undefined) return [];
    const next = changes
      .slice(0, index)
      .findLast((later) => found.until.includes(later.action) && later.target.id === target.id);
    return [{ id: auditId, effect: found.effect, target, at, until: next?.at ?? null }];
  });
}

/** How many recorded requests after a cause are searched: a busy key has millions. */
const SEARCHED_MAX = 2_000;

const CAUSES = bulk<Cause>({
  id: ['bigint', (cause) => cause.id],
  effect: ['text', (cause) => cause.effect],
  kind: ['text', (cause) => cause.target.kind],
  target: ['uuid', (cause) => cause.target.id],
  since: ['timestamptz', (cause) => cause.at],
  until: ['timestamptz', (cause) => cause.until],
});

/** Indexed columns of the log by the kind of the target. */
const COLUMNS = { api_key: sql`d.api_key_id`, customer: sql`d.customer_id` } as const;

type Row = Omit<FirstDenial, 'at'> & { id: number; atMs: number | null };

/**
 * Reads the first denial after each cause.
 *
 * @param since from when the log is complete; causes before it are left out, as their first denial may be gone
 * @returns by the id of the cause; null where the log has no denial, and left none out that it can have had
 */
export async function readFirstDenials(
  db: { orm: Executor },
  { projectId, causes, since }: { projectId: string; causes: readonly Cause[]; since: Date },
): Promise<Map<number, FirstDenial | null>> {
  const kept = causes.filter(({ at }) => at >= since);
  if (kept.length === 0) return new Map();
  const ofKind = Object.entries(COLUMNS).map(
    ([kind, column]) => sql`(
      select * from (
        select * from decisions d
        where row.kind = ${kind} and d.project_id = ${projectId} and ${column} = row.target
          and d.at >= row.since and d.at < coalesce(row.until, 'infinity')
        order by d.at, d.decision_id limit ${SEARCHED_MAX}
      ) d where ${isExplainedBy(sql`row.effect`)}
      order by d.at, d.decision_id limit 1)`,
  );
  const rows = await db.orm.execute<Row & Record<string, unknown>>(sql`
    select row.id::float8 as id, first.decision_id as "decisionId", ${toMs(sql`first.at`)} as "atMs",
      first.outcome as "denialReason", first.method, first.path
    from ${CAUSES.of(kept)}
    left join lateral (${sql.join(ofKind, sql` union all `)}) first on true
    where first.decision_id is not null or not exists (
      select from decision_gaps gap where gap.project_id = ${projectId}
        and gap.outcome not in ('allowed', 'missing_api_key', 'invalid_api_key')
        and gap.minute >= date_trunc('minute', row.since, 'UTC')
        and gap.minute < coalesce(row.until, 'infinity'))`);
  return new Map(
    rows.map(({ id, atMs, ...denial }) => [
      id,
      atMs === null ? null : { ...denial, at: new Date(atMs) },
    ]),
  );
}
