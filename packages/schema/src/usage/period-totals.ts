import { bulk } from '../bulk.ts';
import type { Database } from '../connection/database.ts';
import { requirePrimary, SERVER_EVIDENCE, type ServerEvidence } from '../connection/server.ts';

/** One period of a scope. */
export interface PeriodTotalItem {
  projectId: string;
  /** The number of the month (year × 12 + month, January being 0) or of the day since 1970, in UTC. */
  number: number;
  /** As `scopeName` of domain names it: that of a day ends in `@0`. */
  scope: string;
}

/** What was used of a period, as of the last flush. */
export interface PeriodUse {
  total: number;
  /** When the count last grew; null before the period's first allowed request. */
  countedAt: Date | null;
}

const ITEMS = bulk<PeriodTotalItem>({
  project_id: ['uuid', (item) => item.projectId],
  number: ['int', (item) => item.number],
  scope: ['text', (item) => item.scope],
});

/** A scope names its period, so that at most one of the two tables has it. */
const STATEMENT = `
  select ${SERVER_EVIDENCE}, row.position::int as "position",
    coalesce(sum(u.count), 0)::float8 as "total",
    (date_part('epoch', max(u.updated_at)) * 1000)::float8 as "countedAtMs"
  from ${ITEMS.rows()} left join lateral (
    select m.count, m.updated_at from usage_months m
    where m.project_id = row.project_id and m.month = row.number and m.scope = row.scope
    union all
    select d.count, d.updated_at from usage_quota_days d
    where d.project_id = row.project_id and d.day = date '1970-01-01' + row.number
      and d.scope = row.scope
  ) u on true
  group by row.position`;

interface StatementRow extends ServerEvidence {
  position: number;
  total: number;
  countedAtMs: number | null;
}

/**
 * Reads what was used in a period, over all incarnations.
 *
 * @returns one per item, in order
 * @throws NotPrimaryError when the server is in recovery: a standby may lack flushed counts
 */
export async function readPeriodUse(
  db: Database,
  items: readonly PeriodTotalItem[],
): Promise<PeriodUse[]> {
  if (items.length === 0) return [];
  const parameters = ITEMS.parameters(items);
  const rows = await db.sql.unsafe<StatementRow[]>(STATEMENT, parameters, { prepare: true });
  requirePrimary(db, rows[0]);
  const uses = new Map(rows.map((row) => [row.position, row]));
  return items.map((_, index) => {
    const use = uses.get(index + 1);
    if (use === undefined) throw new Error('the total of a period is missing from the answer');
    const { total, countedAtMs } = use;
    return { total, countedAt: countedAtMs === null ? null : new Date(countedAtMs) };
  });
}

/**
 * As {@link readPeriodUse}, the totals alone: the values to restore counters with that Redis lost (rule
 * counter-epoch).
 */
export const readPeriodTotals = async (db: Database, items: readonly PeriodTotalItem[]) =>
  (await readPeriodUse(db, items)).map(({ total }) => total);
