import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The migrations lie beside the bundle; the source reads those of the repository. */
export const MIGRATIONS_FOLDER = existsSync(at('./drizzle'))
  ? at('./drizzle')
  : at('../../../drizzle');

const journalSchema = z.object({
  entries: z.array(z.object({ tag: z.string(), when: z.number() })).min(1),
});

export interface Migration {
  tag: string;
  /** Milliseconds since 1970, as in the journal and in the database. */
  when: number;
}

/** The migrations that this build knows, oldest first. */
export function knownMigrations(): Migration[] {
  const journal = readFileSync(join(MIGRATIONS_FOLDER, 'meta', '_journal.json'), 'utf8');
  return journalSchema.parse(JSON.parse(journal)).entries.sort((a, b) => a.when - b.when);
}

export function newestMigration(): Migration {
  const newest = knownMigrations().at(-1);
  if (newest === undefined) throw new Error('the migration journal is empty');
  return newest;
}

/** The migrations of this build that the database lacks, oldest first. */
export function missingMigrations(appliedTimes: readonly number[]): Migration[] {
  const applied = new Set(appliedTimes);
  return knownMigrations().filter(({ when }) => !applied.has(when));
}
