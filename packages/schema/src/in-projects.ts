import { type SQL, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import { arrayOf } from './bulk.ts';

/** What to look for in several projects, in each of which its user may see everything. */
export interface FindInProjects {
  /** What is found in the first ones comes first. */
  projectIds: readonly string[];
  text: string;
  /** From 1 to 100. */
  limit: number;
}

/**
 * Names and notes are looked for in this many of the projects: their indexes have the words of all
 * projects, and each project reads them again.
 */
export const NAMED_PROJECTS_MAX = 20;

/** The projects, as `place`, with their position from 1. */
export const placesOf = (projectIds: readonly string[]): SQL =>
  sql`unnest((${arrayOf(projectIds)}::text)::uuid[]) with ordinality as place(project_id, position)`;

/** For a condition that only the first projects are asked for. */
export const IS_NAMED_PROJECT = sql`place.position <= ${NAMED_PROJECTS_MAX}`;

interface Wanted {
  table: PgTable & { projectId: unknown };
  columns: Readonly<Record<string, unknown>>;
  id: unknown;
  /** The time by which the newest come first. */
  at: unknown;
  /** What meets an earlier one comes first. */
  conditions: readonly Condition[];
}

/** Rows that an index finds, in its order: a condition may be met by all, and then only the first are read. */
interface Condition {
  where: SQL;
  by?: SQL;
}

/** Selects the rows of each project that meet one of the conditions: the best, each of them once. */
export function selectInProjects(
  { projectIds, limit }: Pick<FindInProjects, 'projectIds' | 'limit'>,
  { table, columns, id, at, conditions }: Wanted,
): SQL {
  const selected = Object.entries({ ...columns, projectId: table.projectId }).map(
    ([name, column]) => sql`${column} as ${sql.identifier(name)}`,
  );
  const reads = conditions.map(
    ({ where, by }, rank) => sql`(
      select ${sql.raw(String(rank))} as rank, ${id} as found_id, ${at} as found_at,
        ${sql.join(selected, sql`, `)}
      from ${table} where ${table.projectId} = place.project_id and ${where}
      ${by === undefined ? sql`` : sql`order by ${by}`} limit ${limit})`,
  );
  const names = [...Object.keys(columns), 'projectId'].map((name) => sql.identifier(name));
  return sql`
    select ${sql.join(names, sql`, `)} from (
      select distinct on (found_id) found.*, place.position
      from ${placesOf(projectIds)} cross join lateral (${sql.join(reads, sql` union all `)}) found
      order by found_id, rank
    ) best
    order by rank, position, found_at desc, found_id limit ${limit}`;
}
