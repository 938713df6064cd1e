import { randomBytes, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type MintedCredential, mintApiKey, mintProjectSecret } from '@ceiba/domain';
import {
  createDatabase,
  createPolicy,
  createProject,
  createUser,
  type Database,
  putPlan,
  setSubscription,
  type VerbContext,
} from '@ceiba/schema';

const NO_LIMIT = 2_147_483_647;
const ROWS_PER_CHUNK = 1_000;

export interface SeededProject {
  projectId: string;
  projectSecret: string;
  /** The plaintext of every key. */
  keys: string[];
}

/**
 * Creates a project with many keys, and limits that no run reaches. The keys are copied instead of
 * created by the verb, to save time, and count as used before.
 *
 * @param policyCount of which one allows `GET /v1/reports*`
 */
export async function seedProject(
  databaseUrl: string,
  keyCount: number,
  policyCount = 1,
): Promise<SeededProject> {
  return withDatabase(databaseUrl, async (db) => {
    const { projectId, secret } = await createOpenProject(db);
    await db.sql`
      insert into policies (project_id, method, path_pattern)
      select ${projectId}::uuid, 'GET', '/v1/area-' || n || '/items*'
      from generate_series(2, ${policyCount}::int) as n`;
    const keys: string[] = [];
    await copyKeys(db, mintedKeys(keyCount, keys), () => projectId);
    await db.sql`vacuum analyze`;
    return { projectId, projectSecret: secret.plaintext, keys };
  });
}

/**
 * Creates projects with one key and one policy each; all have the same secret.
 *
 * @returns the secret, and the id and the key of each project
 */
export async function seedProjects(databaseUrl: string, projectCount: number) {
  return withDatabase(databaseUrl, async (db) => {
    const { projectId, secret } = await createOpenProject(db);
    const rows = await db.sql<{ id: string }[]>`
      insert into projects (owner_id, name, secret_digest, first_allowed_at)
      select owner_id, 'one of many ' || n, secret_digest, first_allowed_at
      from projects, generate_series(1, ${projectCount}::int) as n where id = ${projectId}
      returning id`;
    const ids = rows.map(({ id }) => id);
    await db.sql`
      insert into subscriptions (project_id, plan_id)
      select id, (select plan_id from subscriptions where project_id = ${projectId})
      from projects where name like 'one of many %'`;
    await db.sql`
      insert into policies (project_id, method, path_pattern)
      select id, 'GET', '/v1/reports*' from projects where name like 'one of many %'`;
    const keys: string[] = [];
    await copyKeys(db, mintedKeys(projectCount, keys), (index) => ids[index] ?? '');
    await db.sql`vacuum analyze`;
    return { projectSecret: secret.plaintext, ids, keys };
  });
}

/**
 * Gives every key of a project a customer, which is limited and on a plan.
 *
 * @param keysPerCustomer how many keys share one; those of a customer were created one after the other
 */
export async function seedCustomers(
  databaseUrl: string,
  projectId: string,
  keysPerCustomer: number,
): Promise<void> {
  await withDatabase(databaseUrl, async (db) => {
    await db.sql`update api_keys set customer_id = null where project_id = ${projectId}`;
    await db.sql`delete from customers where project_id = ${projectId}`;
    await db.sql`
      insert into customer_plans (project_id, name, rate_limit_per_minute, monthly_quota)
      values (${projectId}, 'bench', ${NO_LIMIT}, ${NO_LIMIT}) on conflict do nothing`;
    await db.sql`
      with key as (
        select id, split_part(display_name, ' ', 2)::int / ${keysPerCustomer}::int as n
        from api_keys where project_id = ${projectId}
      ), customer as (
        insert into customers (project_id, external_id, plan_id, subscription_status)
        select ${projectId}::uuid, 'customer-' || n, plan.id, 'active'
        from (select distinct n from key) as numbers
        join customer_plans plan on plan.project_id = ${projectId}
        returning id, external_id
      )
      update api_keys set customer_id = customer.id
      from key join customer on customer.external_id = 'customer-' || key.n
      where api_keys.id = key.id`;
    await db.sql`vacuum analyze`;
  });
}

async function withDatabase<T>(databaseUrl: string, work: (db: Database) => Promise<T>) {
  const db = createDatabase(databaseUrl);
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}

async function createOpenProject(db: Database) {
  const ctx: VerbContext = { db, actor: { kind: 'system' }, clientAddress: null, requestId: null };
  const name = randomUUID();
  const owner = await createUser(ctx, { email: `${name}@example.com`, passwordHash: null });
  if (owner.kind !== 'created') throw new Error(`the owner was not created: ${owner.kind}`);
  const secret = mintProjectSecret(randomBytes);
  const project = await createProject(ctx, { ownerId: owner.userId, name: 'bench', secret });
  if (project.kind !== 'created') throw new Error(`the project was not created: ${project.kind}`);
  const { projectId } = project;
  // Of a new project every allow is logged (ADR 0067).
  await db.sql`
    update projects set first_allowed_at = now() - interval '2 days' where id = ${projectId}`;
  const limits = {
    activeKeyCap: NO_LIMIT,
    rateLimitPerMinute: NO_LIMIT,
    monthlyQuota: NO_LIMIT,
  };
  const { planId } = await putPlan(ctx, { name, ...limits });
  await setSubscription(ctx, { projectId, planId });
  await createPolicy(ctx, { projectId, method: 'GET', pathPattern: '/v1/reports*' });
  return { projectId, secret };
}

/** Keys one at a time: a million at once would need a gigabyte. Adds their plaintexts to a list. */
function* mintedKeys(count: number, plaintexts: string[]): Generator<MintedCredential> {
  for (let n = 0; n < count; n += 1) {
    const key = mintApiKey(randomBytes);
    plaintexts.push(key.plaintext);
    yield key;
  }
}

async function copyKeys(
  db: Database,
  keys: Iterable<MintedCredential>,
  projectIdOf: (index: number) => string,
) {
  const copy = await db.sql`
    copy api_keys (project_id, display_name, key_prefix, key_digest, last_used_at) from stdin
  `.writable();
  const usedAt = new Date().toISOString();
  function* rows() {
    let chunk: string[] = [];
    let index = 0;
    for (const { prefix, digest } of keys) {
      const hex = digest.toString('hex');
      chunk.push(`${projectIdOf(index)}\tbench ${index}\t${prefix}\t\\\\x${hex}\t${usedAt}\n`);
      index += 1;
      if (chunk.length < ROWS_PER_CHUNK) continue;
      yield chunk.join('');
      chunk = [];
    }
    yield chunk.join('');
  }
  await pipeline(Readable.from(rows()), copy);
}
