import type { Database } from '../connection/database.ts';
import { requirePrimary, SERVER_EVIDENCE, type ServerEvidence } from '../connection/server.ts';

export interface MonthTotalItem {
  projectId: string;
  /** Year × 12 + month, January being 0, in UTC. */
  month: number;
  /** `project` or a key's id. */
  scope: string;
}

const STATEMENT = `
  select ${SERVER_EVIDENCE}, item.position::int as "position",
    coalesce(sum(u.count), 0)::float8 as "total"
  from unnest(($1::text)::uuid[], ($2::text)::int[], ($3::text)::text[]) with ordinality
    as item(project_id, month, scope, position)
  left join usage_months u on u.project_id = item.project_id and u.month = item.month
    and u.scope = item.scope
  group by item.position`;

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
    [
      `{${items.map((item) => item.projectId).join(',')}}`,
      `{${items.map((item) => item.month).join(',')}}`,
      `{${items.map((item) => `"${item.scope}"`).join(',')}}`,
    ],
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
