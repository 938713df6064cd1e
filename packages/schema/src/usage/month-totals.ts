import { bulk } from '../bulk.ts';
import type { Database } from '../connection/database.ts';
import { requirePrimary, SERVER_EVIDENCE, type ServerEvidence } from '../connection/server.ts';

export interface MonthTotalItem {
  projectId: string;
  /** Year × 12 + month, January being 0, in UTC. */
  month: number;
  /** `project` or a key's id. */
  scope: string;
}

const ITEMS = bulk<MonthTotalItem>({
  project_id: ['uuid', (item) => item.projectId],
  month: ['int', (item) => item.month],
  scope: ['text', (item) => item.scope],
});

const STATEMENT = `
  select ${SERVER_EVIDENCE}, row.position::int as "position",
    coalesce(sum(u.count), 0)::float8 as "total"
  from ${ITEMS.rows()} left join usage_months u using (project_id, month, scope)
  group by row.position`;

/**
 * Reads how many requests were allowed in a month, over all incarnations: the value to restore a
 * counter with that Redis lost (rule counter-epoch).
 *
 * @returns one total per item, in order
 * @throws NotPrimaryError when the server is in recovery: a standby may lack flushed counts
 */
export async function readMonthTotals(
  db: Database,
  items: readonly MonthTotalItem[],
): Promise<number[]> {
  if (items.length === 0) return [];
  const rows = await db.sql.unsafe<(ServerEvidence & { position: number; total: number })[]>(
    STATEMENT,
    ITEMS.parameters(items),
    { prepare: true },
  );
  requirePrimary(db, rows[0]);
  const totals = new Map(rows.map((row) => [row.position, row.total]));
  return items.map((_, index) => {
    const total = totals.get(index + 1);
    if (total === undefined) throw new Error('a month total is missing from the answer');
    return total;
  });
}
