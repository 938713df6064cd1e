import { randomBytes, randomUUID } from 'node:crypto';
import { type MintedCredential, mintApiKey, mintProjectSecret } from '@ceiba/domain';
import {
  createApiKey,
  createDatabase,
  createProject,
  createUser,
  type Database,
  type DatabaseOptions,
  putPlan,
  setSubscription,
  type VerbContext,
} from '@ceiba/schema';
import { afterAll, beforeAll } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

/** A database of the test file's own, and the context in which verbs run against it. */
export interface Bench {
  readonly url: string;
  readonly db: Database;
  readonly ctx: VerbContext;
}

/** Makes a database before the file's tests and drops it after them. */
export function useBench(options: DatabaseOptions = {}): Bench {
  let made: { database: TestDatabase; db: Database } | undefined;
  const current = () => {
    if (made === undefined) throw new Error('the database is made before the first test');
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

/** The members of a union of results that can be of a kind. */
type OfKind<R, K> = R extends { kind: infer Kinds } ? (K extends Kinds ? R : never) : never;

/** The value of a result that has to be of one kind, whatever else the verb could have answered. */
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

export async function makeProject(ctx: VerbContext): Promise<MadeProject> {
  const ownerId = await makeOwner(ctx);
  const name = `project-${randomUUID()}`;
  const secret = mintProjectSecret(randomBytes);
  const created = await createProject(ctx, { ownerId, name, secret });
  return { ownerId, projectId: expectKind(created, 'created').projectId, name, secret };
}

/** Puts a project on a plan of its own with these limits. */
export async function givePlan(
  ctx: VerbContext,
  projectId: string,
  limits: { activeKeyCap?: number; rateLimitPerMinute?: number; monthlyQuota?: number },
): Promise<{ planId: string; name: string }> {
  const name = `plan-${randomUUID()}`;
  const { planId } = await putPlan(ctx, {
    name,
    activeKeyCap: 1_000,
    rateLimitPerMinute: 1_000,
    monthlyQuota: 1_000,
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
  input: { displayName?: string; expiresAt?: Date } = {},
): Promise<MadeKey> {
  const minted = mintApiKey(randomBytes);
  const created = await createApiKey(ctx, {
    projectId,
    displayName: 'Batch job',
    minted,
    ...input,
  });
  return { projectId, apiKeyId: expectKind(created, 'created').apiKeyId, minted };
}

/** How many audit rows there are: a verb that changes nothing must not add one. */
export async function countAuditRows(db: Database): Promise<number> {
  const [row] = await db.sql<{ count: number }[]>`select count(*)::int as count from audit_log`;
  return row!.count;
}

/** Items in an order that differs from run to run. */
export function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
