import type { Database } from '@ceiba/schema';
import { drizzle } from 'drizzle-orm/postgres-js';

/** A step of a plan that was run. */
export interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}

const flat = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(flat)];

/** How the statements of a verb read the tables. */
export async function readsOf(
  db: Database,
  run: (db: Database) => Promise<unknown>,
): Promise<PlanNode[]> {
  const nodes: PlanNode[] = [];
  const sql = new Proxy(db.sql, {
    get: (target, name) =>
      name === 'unsafe'
        ? (text: string, parameters: never[], options: object) => {
            const explained = target
              .unsafe<{ 'QUERY PLAN': { Plan: PlanNode }[] }[]>(
                `explain (analyze, format json) ${text}`,
                parameters,
              )
              .then(([row]) => void nodes.push(...flat(row!['QUERY PLAN'][0]!.Plan)));
            const answer = target.unsafe(text, parameters, options);
            // Both the plain and the `values()` form of the driver's query are awaited by callers.
            return Object.assign(
              explained.then(() => answer),
              {
                values: () => explained.then(() => answer.values()),
              },
            );
          }
        : Reflect.get(target, name),
  });
  await run({ ...db, sql, orm: drizzle(sql) });
  return nodes.filter((node) => node['Relation Name'] !== undefined);
}

/** How many rows were read of the tables whose names match, also those that a filter removed. */
export const rowsRead = (nodes: readonly PlanNode[], table: string | RegExp) =>
  nodes
    .filter(({ 'Relation Name': name = '' }) =>
      typeof table === 'string' ? name === table : table.test(name),
    )
    .reduce(
      (sum, node) =>
        sum + (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
      0,
    );

/** How often a table was read: once for each project, for example. */
export const timesRead = (nodes: readonly PlanNode[], table: string) =>
  nodes
    .filter((node) => node['Relation Name'] === table)
    .reduce((sum, node) => sum + node['Actual Loops'], 0);
