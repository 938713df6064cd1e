import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  eachLimit,
  type MintedCredential,
  mintApiKey,
  mintProjectSecret,
  type PlanLimits,
  type RandomBytes,
} from '@ceiba/domain';
import {
  createApiKey,
  createDatabase,
  createProject,
  createUser,
  type Database,
  type DatabaseOptions,
  putPlan,
  recordUsage,
  rollUpUsage,
  setSubscription,
  type UsageHourCount,
  type UsageMonthCount,
  type VerbContext,
} from '@ceiba/schema';
import { afterAll, beforeAll } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

/** One database per test file, and the context in which verbs run against it. */
export interface Bench {
  readonly url: string;
  readonly db: Database;
  readonly ctx: VerbContext;
}

/** Creates a database before the file's tests and drops it after them. */
export function useBench(options: DatabaseOptions = {}): Bench {
  let made: { database: TestDatabase; db: Database } | undefined;
  const current = () => {
    if (made === undefined) throw new Error('the database is created before the first test');
    return made;
  };
  beforeAll(async () => {
    const database = await createTestDatabase();
    made = { database, db: createDatabase(database.url, options) };
  });
  afterAll(async () => {
    await made?.db.close();
    await made?.database.drop();
  });
  return {
    get url() {
      return current().database.url;
    },
    get db() {
      return current().db;
    },
    get ctx() {
      return contextOf(current().db);
    },
  };
}

export const contextOf = (db: VerbContext['db']): VerbContext => ({
  db,
  actor: { kind: 'cli' },
  clientAddress: '192.0.2.7',
  requestId: 'request-1',
});

/** The members of a union of results with a kind. */
type OfKind<R, K> = R extends { kind: infer Kinds } ? (K extends Kinds ? R : never) : never;

/** Narrows a result to one kind. @throws Error when it has another */
export function expectKind<R extends { kind: string }, K extends R['kind']>(
  result: R,
  kind: K,
): OfKind<R, K> {
  if (result.kind !== kind) throw new Error(`expected ${kind}, got ${JSON.stringify(result)}`);
  return result as unknown as OfKind<R, K>;
}

export async function makeOwner(ctx: VerbContext): Promise<string> {
  const email = `owner-${randomUUID()}@example.com`;
  return expectKind(await createUser(ctx, { email, passwordHash: null }), 'created').userId;
}

export interface MadeProject {
  ownerId: string;
  projectId: string;
  name: string;
  secret: MintedCredential;
}

/** A project, of a new owner unless another is given. */
export async function makeProject(ctx: VerbContext, owner?: string): Promise<MadeProject> {
  const ownerId = owner ?? (await makeOwner(ctx));
  const name = `project-${randomUUID()}`;
  const secret = mintProjectSecret(randomBytes);
  const created = await createProject(ctx, { ownerId, name, secret });
  return { ownerId, projectId: expectKind(created, 'created').projectId, name, secret };
}

/** Limits of a plan, each another number, so that none can stand for another. */
export const LIMITS: PlanLimits = { activeKeyCap: 1, ...eachLimit(({ length }) => length) };

/** Subscribes a project to a new plan with these limits. */
export async function givePlan(
  ctx: VerbContext,
  projectId: string,
  limits: Partial<PlanLimits>,
): Promise<{ planId: string; name: string }> {
  const name = `plan-${randomUUID()}`;
  const { planId } = await putPlan(ctx, {
    name,
    activeKeyCap: 1_000,
    ...eachLimit(() => 1_000),
    ...limits,
  });
  expectKind(await setSubscription(ctx, { projectId, planId }), 'updated');
  return { planId, name };
}

export interface MadeKey {
  projectId: string;
  apiKeyId: string;
  minted: MintedCredential;
}

export async function makeKey(
  ctx: VerbContext,
  projectId: string,
  {
    random = randomBytes,
    ...input
  }: { displayName?: string; expiresAt?: Date; random?: RandomBytes } = {},
): Promise<MadeKey> {
  const minted = mintApiKey(random);
  const created = await createApiKey(ctx, {
    projectId,
    displayName: 'Batch job',
    mint: () => minted,
    ...input,
  });
  return { projectId, apiKeyId: expectKind(created, 'created').apiKeyId, minted };
}

/** The number of audit rows: a verb that changes nothing must not add one. */
export async function countAuditRows(db: Database): Promise<number> {
  const [row] = await db.sql<{ count: number }[]>`select count(*)::int as count from audit_log`;
  return row!.count;
}

/** The items in random order. */
export function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

/** Decisions of one hour with the same outcome, key and policy. */
export interface Counted {
  at: string;
  count: number;
  apiKeyId?: string | null;
  policyId?: string | null;
  outcome?: UsageHourCount['outcome'];
  incarnation?: string;
}

/** Writes decisions and the months of allowed requests, as a Runtime's flush does. */
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

/** One incarnation per hour, so that several flushes of a month add up as a Runtime's do. */
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

/** Adds up all past days. @returns their number */
export async function rollUpAll(db: Database): Promise<number> {
  let days = 0;
  for (;;) {
    const { rolledDays, isComplete } = await rollUpUsage(db, { maxDays: 50 });
    days += rolledDays;
    if (isComplete) return days;
  }
}

/** Holds the locks of a statement until the returned function runs. */
export async function holding(url: string, statement: string): Promise<() => Promise<void>> {
  const db = createDatabase(url, { maxConnections: 1 });
  await db.sql.unsafe('begin');
  await db.sql.unsafe(statement);
  return async () => {
    await db.sql.unsafe('commit');
    await db.close();
  };
}

/** Waits until that many sessions of the database wait for a lock. */
export async function untilWaiting(db: Database, sessions = 1): Promise<void> {
  const deadline = performance.now() + 20_000;
  for (;;) {
    const [row] = await db.sql<{ count: number }[]>`
      select count(*)::int as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    if (row!.count >= sessions) return;
    if (performance.now() > deadline) throw new Error('no session waits for a lock');
    await delay(20);
  }
}

/** Every item of all pages. */
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
