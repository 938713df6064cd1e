import { PROJECT_SCOPE } from '@ceiba/domain';
import { sql } from 'drizzle-orm';
import { recordFirstUses } from './api-key/record-first-use.ts';
import type { Database } from './connection/database.ts';
import { postgresError } from './connection/errors.ts';
import { type LookupItem, lookupMany } from './decision/lookup.ts';
import { listPoliciesWithRevision } from './policy/list-with-revision.ts';
import { apiKeys, auditLog, projects, runtimeLeases } from './tables.ts';
import { readPeriodTotals } from './usage/period-totals.ts';

/** No project and no key have this id. */
const NO_ID = '00000000-0000-0000-0000-000000000000';

/** A question about a project that does not exist, for a rehearsal of the lookup. */
export const LOOKUP_OF_NO_PROJECT: LookupItem = {
  projectId: NO_ID,
  apiKeyDigest: Buffer.alloc(32),
};

/** The database answers, and cannot be used as it is set up. The message says what to change. */
export class UnsuitableDatabaseError extends Error {
  override readonly name = 'UnsuitableDatabaseError';
}

/**
 * Runs every statement of a decision, for a project that does not exist.
 *
 * @throws what a decision would fail with
 */
export async function rehearseDecision(db: Database): Promise<void> {
  await requireUtf8(db);
  await lookupMany(db, [LOOKUP_OF_NO_PROJECT]);
  await listPoliciesWithRevision(db, [NO_ID]);
  await readPeriodTotals(db, [{ projectId: NO_ID, number: 0, scope: PROJECT_SCOPE }]);
  await recordFirstUses(db, [NO_ID]);
}

/**
 * Runs what changes run, and commits one small row, because a full or read-only database accepts
 * statements that write nothing.
 *
 * @param id of the row in `runtime_leases`, which is removed after an hour
 * @throws what a change would fail with
 */
export async function rehearseChange(db: Database, id: string): Promise<void> {
  await db.orm.transaction(
    async (tx) => {
      await tx.update(projects).set({ name: sql`name` }).where(sql`id = ${NO_ID}`);
      await tx.update(apiKeys).set({ displayName: sql`display_name` }).where(sql`id = ${NO_ID}`);
      await tx.execute(sql`
      insert into ${auditLog} (actor_kind, actor_label, action, target_kind, target_id)
      select 'system', 'rehearsal', 'none', 'none', 'none' where false`);
      const renewedAt = sql`now()`;
      await tx
        .insert(runtimeLeases)
        .values({ id, renewedAt })
        .onConflictDoUpdate({ target: runtimeLeases.id, set: { renewedAt } });
    },
    { isolationLevel: 'read committed' },
  );
}

/**
 * @throws UnsuitableDatabaseError for another encoding than UTF8, into which names and paths of some
 *   callers could not be written
 */
export async function requireUtf8({ sql: run }: Pick<Database, 'sql'>): Promise<void> {
  const [row] = await run<{ encoding: string }[]>`
    select current_setting('server_encoding') as encoding`;
  if (row?.encoding === 'UTF8') return;
  throw new UnsuitableDatabaseError(
    `the database has the encoding ${row?.encoding}, and Ceiba needs UTF8: create another one with ` +
      "create database … encoding 'UTF8' template template0",
  );
}

/** @see https://www.postgresql.org/docs/current/errcodes-appendix.html */
const TO_CHANGE: Readonly<Record<string, string>> = {
  '25006':
    'the database is read-only: set default_transaction_read_only = off for the database and the ' +
    'role. Some providers set it while the disk is full',
  '42P01': `the tables are not on the search path: set search_path for the database or the role`,
  '42501': 'the role lacks a permission: let the role that owns the tables own all of them',
  '53100': 'the disk of the database is full',
};

/**
 * What to change, where a rehearsal failed because of how the database is set up; null for an outage,
 * such as a server that starts or a connection that was lost.
 */
export function whatToChange(error: unknown): string | null {
  if (error instanceof UnsuitableDatabaseError) return error.message;
  const answer = postgresError(error);
  if (answer === null || answer.code === TOO_MANY_CONNECTIONS) return null;
  if (OUTAGE.has(answer.code.slice(0, 2))) return null;
  const known = TO_CHANGE[answer.code];
  return known === undefined
    ? `Postgres refuses a statement: ${answer.message} (${answer.code})`
    : `${known} (${answer.message})`;
}

const TOO_MANY_CONNECTIONS = '53300';
/** Connection exceptions, refused logins, rollbacks, locks, operator intervention, system errors. */
const OUTAGE = new Set(['08', '28', '40', '55', '57', '58']);
