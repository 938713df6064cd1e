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
  writeDecisions,
} from '@ceiba/schema';
import { idAt } from './seed-decisions.ts';

const POLICIES = 12;
/** Rows per hour of a busy project, one per key, policy and outcome; in the last days one of so many keys. */
const ROWS_PER_HOUR = 40;
const KEYS_PER_ROW = 200;
const BUSY_DAYS = 30;
/** Days with recorded requests, and how many a day. */
const LOGGED_DAYS = 7;
const LOGGED_PER_DAY = 20_000;
const AUDIT_ROWS = 5_000;
const SAMPLES = 100;
const DAY_MS = 86_400_000;
/** In place of the key or the policy, for a decision that found none. */
const NO_ID = '00000000-0000-0000-0000-000000000000';
/** Hours with usage of each small project. */
const SMALL_HOURS = 7 * 24;
/** As in the Runtime's upkeep. */
const DAYS_PER_STEP = 4;

export interface SeededConsole {
  projectId: string;
  projectSecret: string;
  /** Some of each, from all over the lists. */
  apiKeys: { id: string; prefix: string; name: string }[];
  customers: { id: string; externalId: string }[];
  policyId: string;
  /** Of the owner. */
  email: string;
  password: string;
  /** The first and last day with usage, `YYYY-MM-DD` in UTC. */
  firstDay: string;
  lastDay: string;
}

export interface Size {
  keyCount: number;
  customerCount: number;
  /** Of the owner: the large one, and small ones beside it. */
  projectCount: number;
  /** Of usage, at least a month. */
  dayCount: number;
}

/**
 * Creates a project with a long history: customers with their keys, policies, an audit log, requests, and
 * usage as the Runtime stores it, with past days rolled up.
 */
export async function seedConsole(
  databaseUrl: string,
  { keyCount, customerCount, projectCount, dayCount }: Size,
): Promise<SeededConsole> {
  const db = createDatabase(databaseUrl, { statementTimeoutMs: 300_000 });
  try {
    const owner = { email: 'bench@example.com', password: randomUUID() };
    const { projectId, projectSecret, ownerId } = await createSubscribedProject(
      db,
      owner,
      keyCount,
    );
    await insertCustomers(db, projectId, customerCount);
    await insertKeysAndPolicies(db, projectId, { keyCount, customerCount });
    await insertUsage(db, projectId, { keyCount, dayCount });
    await insertRequests(db, projectId);
    await insertAudit(db, projectId, ownerId);
    await insertSmallProjects(db, projectId, projectCount - 1);
    await rollUpDays(db);
    await db.sql`vacuum analyze`;
    const now = Date.now();
    return {
      ...owner,
      projectId,
      projectSecret,
      ...(await readSamples(db, projectId)),
      firstDay: dayOf(now - (dayCount - 1) * DAY_MS),
      lastDay: dayOf(now),
    };
  } finally {
    await db.close();
  }
}

const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);

async function readSamples(db: Database, projectId: string) {
  const apiKeys = await db.sql<SeededConsole['apiKeys']>`
    select id, key_prefix as prefix, display_name as name from api_keys
    where project_id = ${projectId} order by md5(id::text) limit ${SAMPLES}`;
  const customers = await db.sql<SeededConsole['customers']>`
    select id, external_id as "externalId" from customers order by md5(id::text) limit ${SAMPLES}`;
  const [policy] = await db.sql<{ id: string }[]>`
    select id from policies where project_id = ${projectId} limit 1`;
  if (policy === undefined) throw new Error('there is no policy');
  return { apiKeys: [...apiKeys], customers: [...customers], policyId: policy.id };
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
  return { projectId: project.projectId, projectSecret: secret.plaintext, ownerId };
}

/** On a plan, each with the month of its billing day; one of a hundred is suspended. */
async function insertCustomers(db: Database, projectId: string, count: number) {
  await db.sql`insert into customer_plans (project_id, name, monthly_quota)
    values (${projectId}, 'Bench', 100000)`;
  await db.sql`
    insert into customers (project_id, external_id, name, plan_id, subscription_status, billing_day,
      created_at, suspended_at)
    select ${projectId}, 'customer-' || n, 'Customer ' || n, plan.id, 'active', 1 + n % 28,
      now() - n * interval '1 minute', case when n % 100 = 0 then now() end
    from generate_series(1, ${count}::int) as n, customer_plans plan
    where plan.project_id = ${projectId}`;
}

/** Some keys have expired, some expire soon and some are idle, so that every hint has keys. */
async function insertKeysAndPolicies(
  db: Database,
  projectId: string,
  { keyCount, customerCount }: Pick<Size, 'keyCount' | 'customerCount'>,
) {
  await db.sql`
    insert into api_keys (project_id, display_name, key_prefix, key_digest, status, created_at,
      expires_at, last_used_at, monthly_quota, metadata, customer_id)
    select ${projectId}, 'Key ' || n, 'ceiba_' || lpad(to_hex(n), 8, '0'),
      sha256(n::text::bytea),
      case when n % 10 = 0 then 'revoked' when n % 25 = 1 then 'archived' else 'active' end,
      now() - n * interval '1 hour',
      case when n % 4 = 0 then now() + (n % 500 - 20) * interval '1 day' end,
      case when n % 7 > 0 then now() - n % 200 * interval '1 day' end,
      case when n % 9 = 0 then 1000 end,
      jsonb_build_object('tier', case when n % 50 = 0 then 'gold' else 'free' end), owner.id
    from generate_series(1, ${keyCount}::int) as n
    join customers owner on owner.project_id = ${projectId}
      and owner.external_id = 'customer-' || (1 + n % ${customerCount}::int)`;
  await db.sql`
    insert into policies (project_id, method, path_pattern)
    select ${projectId}, case n % 3 when 0 then '*' when 1 then 'GET' else 'POST' end,
      '/v1/reports/' || n || case n % 2 when 0 then '*' else '' end
    from generate_series(1, ${POLICIES}::int) as n`;
}

/** The hours, the busiest last, and the months that result from them. */
async function insertUsage(
  db: Database,
  projectId: string,
  { keyCount, dayCount }: Pick<Size, 'keyCount' | 'dayCount'>,
) {
  const [busy, all] = [BUSY_DAYS * 24, dayCount * 24];
  const busyRows = Math.max(ROWS_PER_HOUR, Math.round(keyCount / KEYS_PER_ROW));
  await insertHours(db, projectId, { from: 0, to: busy, rows: busyRows });
  await insertHours(db, projectId, { from: busy, to: all, rows: ROWS_PER_HOUR });
  await db.sql`
    insert into usage_months (project_id, month, scope, incarnation, count)
    select ${projectId}, extract(year from hour) * 12 + extract(month from hour) - 1, scope,
      'bench', sum(count)
    from usage_hours, unnest(array['project', api_key_id::text]) as scope
    where outcome = 'allowed' group by 2, 3`;
  await db.sql`
    insert into usage_months (project_id, month, scope, incarnation, count)
    select ${projectId}, extract(year from day) * 12 + extract(month from day) - 1,
      id || case billing_day when 1 then '' else '@' || billing_day end, 'bench', 1 + billing_day
    from customers, lateral (
      select (now() at time zone 'UTC')::date - billing_day + 1 as day) as began
    where project_id = ${projectId}`;
}

/** Every outcome in each hour, allowed ones with their policy. */
async function insertHours(
  db: Database,
  projectId: string,
  { from, to, rows }: { from: number; to: number; rows: number },
) {
  await db.sql`
    with key as materialized (select id, row_number() over () - 1 as place from api_keys
        where project_id = ${projectId}),
      keys as (select count(*) as count from key),
      policy as (select array_agg(id) as ids from policies where project_id = ${projectId}),
      outcome as (select array['missing_api_key', 'invalid_api_key', 'revoked_api_key',
        'archived_api_key', 'expired_api_key', 'policy_no_match', 'inactive_subscription',
        'quota_exceeded', 'rate_limited'] as names)
    insert into usage_hours (project_id, hour, api_key_id, policy_id, outcome, incarnation, count)
    select ${projectId}, date_trunc('hour', now()) - h * interval '1 hour',
      case when r <= 2 then ${NO_ID} else key.id end,
      case when r <= 6 then ${NO_ID} else policy.ids[1 + r % cardinality(policy.ids)] end,
      case when r <= 9 then outcome.names[r] else 'allowed' end, 'bench', 1 + (h + r) % 50
    from policy, outcome, keys, generate_series(${from}::int, ${to - 1}::int) as h,
      generate_series(1, ${rows}::int) as r,
      key where key.place = (h * 7919 + r * 131) % keys.count
    order by h desc`;
}

/** Most are denied: the log keeps a sample of the allows. */
async function insertRequests(db: Database, projectId: string) {
  for (let day = 0; day < LOGGED_DAYS; day += 1) {
    const until = Date.now() - day * DAY_MS;
    const first = { projectId, decisionId: idAt(until), method: 'GET', path: '/', latencyMs: 1 };
    // Also creates the partitions.
    for (const at of [until, until - DAY_MS]) {
      const decision = { ...first, decisionId: idAt(at), outcome: 'allowed' } as const;
      await writeDecisions(db, { decisions: [decision], gaps: [] });
    }
    await db.sql`
      with key as materialized (select *, row_number() over () - 1 as place from api_keys
          where project_id = ${projectId}),
        keys as (select count(*) as count from key)
      insert into decisions (project_id, at, decision_id, request_id, method, path, outcome,
        api_key_id, customer_id, key_prefix, latency_ms)
      select ${projectId}, at,
        (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '70008000'
          || lpad(to_hex(n), 12, '0'))::uuid,
        'request-' || n, case n % 5 when 0 then 'POST' else 'GET' end,
        '/v1/reports/' || n % 300,
        (array['policy_no_match', 'rate_limited', 'quota_exceeded', 'allowed'])[1 + n % 4],
        key.id, key.customer_id, key.key_prefix, 1
      from (
        select n, date_trunc('milliseconds', to_timestamp(${until / 1_000}::float8)
          - n * (interval '1 day' / ${LOGGED_PER_DAY + 1}::int)) as at
        from generate_series(1, ${LOGGED_PER_DAY}::int) as n) as request
      cross join keys join key on key.place = (n * 7919 + ${day}::int) % keys.count`;
  }
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

/** Each with a key, a policy and a week of usage; one of a hundred calls is denied. */
async function insertSmallProjects(db: Database, projectId: string, count: number) {
  await db.sql`
    insert into projects (owner_id, name, secret_digest, first_allowed_at, created_at)
    select owner_id, 'Small ' || n, secret_digest, now() - interval '30 days',
      created_at - n * interval '1 hour'
    from projects, generate_series(1, ${count}::int) as n where id = ${projectId}`;
  await db.sql`
    insert into subscriptions (project_id, plan_id)
    select id, (select plan_id from subscriptions where project_id = ${projectId})
    from projects where id <> ${projectId}`;
  await db.sql`
    insert into policies (project_id, method, path_pattern)
    select id, 'GET', '/v1/reports*' from projects where id <> ${projectId}`;
  await db.sql`
    insert into api_keys (project_id, display_name, key_prefix, key_digest)
    select id, 'Key', 'ceiba_' || left(md5(id::text), 8), sha256(id::text::bytea)
    from projects where id <> ${projectId}`;
  await db.sql`
    insert into usage_hours (project_id, hour, api_key_id, policy_id, outcome, incarnation, count)
    select project_id, date_trunc('hour', now()) - h * interval '1 hour', id, ${NO_ID}, outcome,
      'bench', count
    from api_keys, generate_series(0, ${SMALL_HOURS - 1}::int) as h,
      (values ('allowed', 99), ('rate_limited', 1)) as calls (outcome, count)
    where project_id <> ${projectId}`;
}

/** As the Runtime's upkeep does, until all days are rolled up. */
async function rollUpDays(db: Database) {
  let isComplete = false;
  while (!isComplete) ({ isComplete } = await rollUpUsage(db, { maxDays: DAYS_PER_STEP }));
}
