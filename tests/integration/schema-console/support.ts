import { setTimeout as delay } from 'node:timers/promises';
import {
  createDatabase,
  type Database,
  recordUsage,
  rollUpUsage,
  type UsageHourCount,
  type UsageMonthCount,
} from '@ceiba/schema';

export * from '../schema/support.ts';

/** Decisions of one hour, by what they are told apart by. */
export interface Counted {
  at: string;
  count: number;
  apiKeyId?: string | null;
  policyId?: string | null;
  outcome?: UsageHourCount['outcome'];
  incarnation?: string;
}

/** Writes decisions as a Runtime's flush does, the months of admissions with them. */
export async function flush(
  db: Database,
  projectId: string,
  counted: readonly Counted[],
): Promise<void> {
  const hours = counted.map(
    ({ at, count, apiKeyId = null, policyId = null, outcome = 'allowed', incarnation = 'i' }) => ({
      projectId,
      hour: Math.floor(Date.parse(at) / 3_600_000),
      apiKeyId,
      policyId,
      outcome,
      incarnation,
      count,
    }),
  );
  await recordUsage(db, { hours, months: monthsOf(hours), lastUsed: [] });
}

/** One incarnation an hour, so that several flushes of a month add up as a Runtime's would. */
function monthsOf(hours: readonly UsageHourCount[]): UsageMonthCount[] {
  return hours
    .filter(({ outcome }) => outcome === 'allowed')
    .flatMap(({ projectId, hour, apiKeyId, policyId, incarnation, count }) => {
      const at = new Date(hour * 3_600_000);
      const month = at.getUTCFullYear() * 12 + at.getUTCMonth();
      const run = `${incarnation}-${hour}-${apiKeyId}-${policyId}`;
      const scopes = apiKeyId === null ? ['project'] : ['project', apiKeyId];
      return scopes.map((scope) => ({ projectId, month, scope, incarnation: run, count }));
    });
}

/** Adds up whatever is over, and says how many days that were. */
export async function rollUpAll(db: Database): Promise<number> {
  let days = 0;
  for (;;) {
    const { rolledDays, isComplete } = await rollUpUsage(db, { mostDays: 50 });
    days += rolledDays;
    if (isComplete) return days;
  }
}

/** Holds what a statement locks until it is let go. */
export async function holding(url: string, statement: string): Promise<() => Promise<void>> {
  const db = createDatabase(url, { maxConnections: 1 });
  await db.sql.unsafe('begin');
  await db.sql.unsafe(statement);
  return async () => {
    await db.sql.unsafe('commit');
    await db.close();
  };
}

/** Waits until so many sessions of the database wait for a lock. */
export async function untilWaiting(db: Database, sessions = 1): Promise<void> {
  const deadline = performance.now() + 20_000;
  for (;;) {
    const [row] = await db.sql<{ count: number }[]>`
      select count(*)::int as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    if (row!.count >= sessions) return;
    if (performance.now() > deadline) throw new Error('nobody waits for a lock');
    await delay(20);
  }
}

/** Every item of pages that are followed by their `next`. */
export async function follow<Item>(
  read: (cursor: string | null) => Promise<{ items: Item[]; next: string | null }>,
): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | null = null;
  do {
    const page: { items: Item[]; next: string | null } = await read(cursor);
    items.push(...page.items);
    cursor = page.next;
  } while (cursor !== null);
  return items;
}
