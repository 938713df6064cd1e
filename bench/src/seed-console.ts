import { randomBytes, randomUUID } from 'node:crypto';
import { mintProjectSecret } from '@ceiba/domain';
import { hashPassword } from '@ceiba/domain/password';
import {
  createDatabase,
  createProject,
  createUser,
  type Database,
  putPlan,
  rollUpUsage,
  setSubscription,
  type VerbContext,
} from '@ceiba/schema';

const POLICIES = 12;
const KEYS_PER_CUSTOMER = 4;
/** Rows per hour of a busy project, one per key, policy and outcome. */
const ROWS_PER_HOUR = 40;
const AUDIT_ROWS = 5_000;
const DAY_MS = 86_400_000;
/** In place of the key or the policy, for a decision that found none. */
const NO_ID = '00000000-0000-0000-0000-000000000000';
/** As in the Runtime's upkeep. */
const DAYS_PER_STEP = 4;

export interface SeededConsole {
  projectId: string;
  apiKeyId: string;
  customerId: string;
  policyId: string;
  /** Of the owner. */
  email: string;
  password: string;
  /** The first and last day with usage, `YYYY-MM-DD` in UTC. */
  firstDay: string;
  lastDay: string;
}

/**
 * Creates a project with a long history: keys, policies, an audit log, and usage as the Runtime
 * stores it, with past days rolled up.
 */
export async function seedConsole(
  databaseUrl: string,
  { keyCount, dayCount }: { keyCount: number; dayCount: number },
): Promise<SeededConsole> {
  const db = createDatabase(databaseUrl, { statementTimeoutMs: 300_000 });
  try {
    const owner = { email: 'bench@example.com', password: randomUUID() };
    const { projectId, ownerId } = await createSubscribedProject(db, owner, keyCount);
    await insertCustomers(db, projectId, Math.ceil(keyCount / KEYS_PER_CUSTOMER));
    await insertKeysAndPolicies(db, projectId, keyCount);
    await insertUsage(db, projectId, dayCount);
    await insertAudit(db, projectId, ownerId);
    await rollUpDays(db);
    await db.sql`vacuum analyze`;
    const now = Date.now();
    return {
      ...owner,
      projectId,
      apiKeyId: await anyIdOf(db, 'api_keys'),
      customerId: await anyIdOf(db, 'customers'),
      policyId: await anyIdOf(db, 'policies'),
      firstDay: dayOf(now - (dayCount - 1) * DAY_MS),
      lastDay: dayOf(now),
    };
  } finally {
    await db.close();
  }
}

const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);

async function anyIdOf(
  db: Database,
  table: 'api_keys' | 'customers' | 'policies',
): Promise<string> {
  const [row] = await db.sql<{ id: string }[]>`select id from ${db.sql(table)} limit 1`;
  if (row === undefined) throw new Error(`there is nothing in ${table}`);
  return row.id;
}

async function createSubscribedProject(
  db: Database,
  { email, password }: { email: string; password: string },
  keyCount: number,
) {
  const ctx: VerbContext = { db, actor: { kind: 'system' }, clientAddress: null, requestId: null };
  const passwordHash = await hashPassword(password);
  const owner = await createUser(ctx, { email, passwordHash });
  if (owner.kind !== 'created') throw new Error('the database is not empty');
  const ownerId = owner.userId;
  const secret = mintProjectSecret(randomBytes);
  const project = await createProject(ctx, { ownerId, name: 'Bench', secret });
  if (project.kind !== 'created') throw new Error('the database is not empty');
  const { planId } = await putPlan(ctx, {
    name: 'Bench',
    activeKeyCap: keyCount,
    rateLimitPerMinute: 10_000,
    monthlyQuota: 2_000_000,
  });
  await setSubscription(ctx, { projectId: project.projectId, planId });
  return { projectId: project.projectId, ownerId };
}

/** On a plan, each with the month of its billing day. */
async function insertCustomers(db: Database, projectId: string, count: number) {
  await db.sql`insert into customer_plans (project_id, name, monthly_quota)
    values (${projectId}, 'Bench', 100000)`;
  await db.sql`
    insert into customers (project_id, external_id, name, plan_id, subscription_status, billing_day,
      created_at)
    select ${projectId}, 'customer-' || n, 'Customer ' || n, plan.id, 'active', 1 + n % 28,
      now() - n * interval '1 minute'
    from generate_series(1, ${count}::int) as n, customer_plans plan
    where plan.project_id = ${projectId}`;
}

/** Some keys have expired, some expire soon and some are idle, so that every hint has keys. */
async function insertKeysAndPolicies(db: Database, projectId: string, keyCount: number) {
  await db.sql`
    insert into api_keys (project_id, display_name, key_prefix, key_digest, status, created_at,
      expires_at, last_used_at, monthly_quota, customer_id)
    select ${projectId}, 'Key ' || n, 'ceiba_' || lpad(to_hex(n), 8, '0'),
      sha256(n::text::bytea),
      case when n % 10 = 0 then 'revoked' when n % 25 = 1 then 'archived' else 'active' end,
      now() - n * interval '1 hour',
      case when n % 4 = 0 then now() + (n % 500 - 20) * interval '1 day' end,
      case when n % 7 > 0 then now() - n % 200 * interval '1 day' end,
      case when n % 9 = 0 then 1000 end, owner.id
    from generate_series(1, ${keyCount}::int) as n
    join customers owner on owner.project_id = ${projectId}
      and owner.external_id = 'customer-' || (1 + (n - 1) / ${KEYS_PER_CUSTOMER}::int)`;
  await db.sql`
    insert into policies (project_id, method, path_pattern)
    select ${projectId}, case n % 3 when 0 then '*' when 1 then 'GET' else 'POST' end,
      '/v1/reports/' || n || case n % 2 when 0 then '*' else '' end
    from generate_series(1, ${POLICIES}::int) as n`;
}

/** Every outcome in each hour, allowed ones with their policy; and the resulting months. */
async function insertUsage(db: Database, projectId: string, dayCount: number) {
  await db.sql`
    with key as (select array_agg(id) as ids from api_keys where project_id = ${projectId}),
      policy as (select array_agg(id) as ids from policies where project_id = ${projectId}),
      outcome as (select array['missing_api_key', 'invalid_api_key', 'revoked_api_key',
        'archived_api_key', 'expired_api_key', 'policy_no_match', 'inactive_subscription',
        'quota_exceeded', 'rate_limited'] as names)
    insert into usage_hours (project_id, hour, api_key_id, policy_id, outcome, incarnation, count)
    select ${projectId}, date_trunc('hour', now()) - h * interval '1 hour',
      case when r <= 2 then ${NO_ID} else key.ids[1 + (h * 7 + r * 131) % cardinality(key.ids)] end,
      case when r <= 6 then ${NO_ID} else policy.ids[1 + r % cardinality(policy.ids)] end,
      case when r <= 9 then outcome.names[r] else 'allowed' end, 'bench', 1 + (h + r) % 50
    from key, policy, outcome, generate_series(0, ${dayCount * 24 - 1}::int) as h,
      generate_series(1, ${ROWS_PER_HOUR}::int) as r`;
  await db.sql`
    insert into usage_months (project_id, month, scope, incarnation, count)
    select ${projectId}, extract(year from hour) * 12 + extract(month from hour) - 1, scope,
      'bench', sum(count)
    from usage_hours, unnest(array['project', api_key_id::text]) as scope
    where outcome = 'allowed' group by 2, 3`;
}

async function insertAudit(db: Database, projectId: string, ownerId: string) {
  await db.sql`
    insert into audit_log (at, owner_id, project_id, actor_kind, actor_label, action, target_kind,
      target_id, target_label, client_address, after)
    select now() - n * interval '1 hour', ${ownerId}, ${projectId}, 'project_secret',
      'project secret', 'api_key.create', 'api_key', n::text, 'Key ' || n, '192.0.2.1',
      jsonb_build_object('displayName', 'Key ' || n)
    from generate_series(1, ${AUDIT_ROWS}::int) as n`;
}

/** As the Runtime's upkeep does, until all days are rolled up. */
async function rollUpDays(db: Database) {
  let isComplete = false;
  while (!isComplete) ({ isComplete } = await rollUpUsage(db, { maxDays: DAYS_PER_STEP }));
}
