import {
  type Database,
  getCustomer,
  listAudit,
  listCustomers,
  listPoliciesWithHits,
  listProjectsAtAGlance,
  readCustomerUse,
  readFirstUse,
  readProblems,
  readQuotaUse,
  readRecentUse,
  readSimulation,
  readTopDenials,
  readUsageByCustomer,
  readUsageOf,
  readUsageSeries,
  searchApiKeys,
  surveyApiKeys,
} from '@ceiba/schema';
import { beforeAll, describe, expect, test } from 'vitest';
import { readsOf, rowsRead, timesRead } from './plans.ts';
import { type MadeProject, makeOwner, makeProject, rollUpAll, useBench } from './support.ts';

/** Enough rows that reading a whole table, or a month of hours, slows a page down. */
const KEYS = 10_000;
/** Each has two keys. */
const CUSTOMERS = 5_000;
const DAYS = 60;
const ROWS_AN_HOUR = 20;
const DAY_MS = 86_400_000;

const bench = useBench({ maxConnections: 1 });
let project: MadeProject;
let apiKeyId: string;
let customerId: string;
let policyId: string;

/** Two projects of the same shape: a page of one must not read rows of the other. */
async function fill({ projectId, ownerId }: MadeProject): Promise<void> {
  const { sql } = bench.db;
  await sql`
    insert into customers (project_id, external_id, name, created_at, suspended_at)
    select ${projectId}, 'customer-' || n, 'Company ' || md5(n::text), now() - n * interval '1 minute',
      case when n % 100 = 0 then now() end
    from generate_series(1, ${CUSTOMERS}::int) as n`;
  await sql`
    insert into api_keys (project_id, display_name, key_prefix, key_digest, customer_id)
    select ${projectId}, 'Key ' || n, 'ceiba_x', sha256((${projectId} || n)::bytea), c.id
    from generate_series(1, ${KEYS}::int) as n
    join customers c on c.project_id = ${projectId} and c.external_id = 'customer-' || (1 + n % ${CUSTOMERS}::int)`;
  await sql`
    insert into policies (project_id, method, path_pattern)
    select ${projectId}, 'GET', '/v1/' || n from generate_series(1, 20) as n`;
  await sql`
    with key as (select array_agg(id) as ids from api_keys where project_id = ${projectId}),
      policy as (select array_agg(id) as ids from policies where project_id = ${projectId})
    insert into usage_hours (project_id, hour, api_key_id, policy_id, outcome, incarnation, count)
    select ${projectId}, date_trunc('hour', now()) - h * interval '1 hour',
      key.ids[1 + (h * 7 + r * 131) % ${KEYS}::int], policy.ids[1 + r % 20],
      case r % 5 when 0 then 'rate_limited' else 'allowed' end, 'i', 1 + r
    from key, policy, generate_series(0, ${DAYS * 24 - 1}::int) as h,
      generate_series(1, ${ROWS_AN_HOUR}::int) as r`;
  await sql`
    insert into usage_months (project_id, month, scope, incarnation, count)
    select ${projectId}, extract(year from hour) * 12 + extract(month from hour) - 1, scope, 'i',
      sum(count)
    from usage_hours, unnest(array['project', api_key_id::text]) as scope
    where project_id = ${projectId} and outcome = 'allowed' group by 2, 3`;
  await sql`
    insert into audit_log (at, owner_id, project_id, actor_kind, actor_label, action, target_kind,
      target_id)
    select now() - n * interval '1 minute', ${ownerId}, ${projectId}, 'cli', 'ceiba CLI',
      'project.update', 'project', n::text from generate_series(1, 20000) as n`;
}

beforeAll(async () => {
  project = await makeProject(bench.ctx);
  for (const made of [project, await makeProject(bench.ctx)]) await fill(made);
  await rollUpAll(bench.db);
  // If a table is mostly this project's, a full scan of it is no mistake.
  await bench.db.sql`
    insert into usage_months (project_id, month, scope, incarnation, count)
    select md5('project' || n % 20)::uuid, 24000 + n % 12, md5('key' || n)::uuid::text, 'i', 1
    from generate_series(1, 100000) as n`;
  await bench.db.sql`analyze`;
  const [key] = await bench.db.sql<{ id: string }[]>`
    select id from api_keys where project_id = ${project.projectId} limit 1`;
  apiKeyId = key!.id;
  const [customer] = await bench.db.sql<{ id: string }[]>`
    select id from customers where project_id = ${project.projectId} and external_id = 'customer-9'`;
  customerId = customer!.id;
  const [policy] = await bench.db.sql<{ id: string }[]>`
    select id from policies where project_id = ${project.projectId} limit 1`;
  policyId = policy!.id;
}, 240_000);

const ago = (days: number) => ({ from: new Date(Date.now() - days * DAY_MS), to: new Date() });
/** The rows of one day, once for each statement of a verb. */
const HOURS_OF_A_DAY = 24 * ROWS_AN_HOUR;

/** The reads of the pages, and the most rows of hours that each may read. */
const READS: [string, (db: Database, projectId: string) => Promise<unknown>, number][] = [
  [
    'the list of projects',
    (db) => listProjectsAtAGlance(db, { userId: project.ownerId, limit: 20, offset: 0 }),
    HOURS_OF_A_DAY + 2 * ROWS_AN_HOUR,
  ],
  [
    'what is wrong in a project',
    (db, projectId) => readProblems(db, [projectId]),
    2 * ROWS_AN_HOUR,
  ],
  ['keys, newest first', (db, projectId) => searchApiKeys(db, { projectId, limit: 50 }), 0],
  ['keys by use', (db, projectId) => searchApiKeys(db, { projectId, limit: 50, sort: 'used' }), 0],
  [
    'the keys of a customer',
    (db, projectId) => searchApiKeys(db, { projectId, customerId, limit: 50 }),
    0,
  ],
  ['a customer', (db, projectId) => getCustomer(db, { projectId, customerId }), 0],
  [
    'the usage of a customer',
    (db, projectId) => readUsageOf(db, { projectId, customerId, step: 'day' }),
    HOURS_OF_A_DAY,
  ],
  [
    'the usage of a project by month',
    (db, projectId) => readUsageOf(db, { projectId, step: 'month', ...ago(59) }),
    HOURS_OF_A_DAY,
  ],
  ['keys counted', (db, projectId) => surveyApiKeys(db, projectId), 0],
  [
    'policies with hits',
    (db, projectId) => listPoliciesWithHits(db, { projectId, now: new Date() }),
    HOURS_OF_A_DAY,
  ],
  ['the use of the quota', (db, projectId) => readQuotaUse(db, projectId), HOURS_OF_A_DAY],
  [
    'outcomes of 30 days by hour',
    (db, projectId) => readUsageSeries(db, { projectId, by: 'outcome', step: 'hour', ...ago(30) }),
    HOURS_OF_A_DAY,
  ],
  [
    'outcomes of 59 days',
    (db, projectId) => readUsageSeries(db, { projectId, by: 'outcome', step: 'day', ...ago(59) }),
    HOURS_OF_A_DAY,
  ],
  [
    'keys over 30 days',
    (db, projectId) => readUsageSeries(db, { projectId, by: 'api_key', step: 'day', ...ago(30) }),
    3 * HOURS_OF_A_DAY,
  ],
  [
    'keys over months',
    (db, projectId) => readUsageSeries(db, { projectId, by: 'api_key', step: 'month', ...ago(59) }),
    HOURS_OF_A_DAY,
  ],
  [
    'policies over 59 days',
    (db, projectId) => readUsageSeries(db, { projectId, by: 'policy', step: 'day', ...ago(59) }),
    3 * HOURS_OF_A_DAY,
  ],
  [
    'denials of a week',
    (db, projectId) => readTopDenials(db, { projectId, ...ago(7) }),
    (7 * HOURS_OF_A_DAY) / 4,
  ],
  [
    'a simulation',
    (db, projectId) =>
      readSimulation(db, { projectId, credential: { apiKeyId }, method: 'GET', path: '/v1/1' }),
    0,
  ],
  [
    'who uses a hundred keys',
    async (db, projectId) => {
      const { items } = await searchApiKeys(db, { projectId, limit: 100 });
      const ids = items.map((key) => key.apiKeyId);
      return readRecentUse(db, { projectId, of: { kind: 'api_keys', ids } });
    },
    HOURS_OF_A_DAY,
  ],
  [
    'who uses a customer',
    (db, projectId) => readRecentUse(db, { projectId, of: { kind: 'customer', id: customerId } }),
    HOURS_OF_A_DAY,
  ],
  [
    'who uses a policy',
    (db, projectId) => readRecentUse(db, { projectId, of: { kind: 'policy', id: policyId } }),
    HOURS_OF_A_DAY,
  ],
  [
    'who uses a project',
    (db, projectId) => readRecentUse(db, { projectId, of: { kind: 'project' } }),
    HOURS_OF_A_DAY,
  ],
  ['the audit log', (db) => listAudit(db, { ownerId: project.ownerId, limit: 50 }), 0],
  [
    'the audit log of a project',
    (db, projectId) => listAudit(db, { ownerId: null, projectId, limit: 50 }),
    0,
  ],
];

/** Tables that grow with use. */
const LARGE = ['usage_hours', 'usage_key_days', 'usage_months', 'audit_log'];

describe('a page of a project with 10,000 keys and two months of usage', () => {
  test.each(READS)('reads %s without a scan, from at most a day of hours', async (...row) => {
    const [, read, mostHours] = row;
    const nodes = await readsOf(bench.db, (db) => read(db, project.projectId));
    expect(nodes).not.toEqual([]);
    const scans = nodes.filter((node) => node['Node Type'].includes('Seq Scan'));
    expect(
      scans.map((node) => node['Relation Name']).filter((name) => LARGE.includes(name!)),
    ).toEqual([]);
    expect(rowsRead(nodes, 'usage_hours')).toBeLessThanOrEqual(mostHours);
  });

  test('finds the keys that expire without reading the others', async () => {
    const nodes = await readsOf(bench.db, (db) => readProblems(db, [project.projectId]));
    expect(rowsRead(nodes, 'api_keys')).toBeLessThan(100);
  });

  test('sorts few keys by use without adding up what others used', async () => {
    const { projectId } = project;
    const nodes = await readsOf(bench.db, async (db) => {
      const page = await searchApiKeys(db, { projectId, customerId, limit: 50, sort: 'used' });
      expect(page.items).toHaveLength(KEYS / CUSTOMERS);
    });
    expect(rowsRead(nodes, 'usage_months')).toBeLessThanOrEqual(2 * (KEYS / CUSTOMERS));
  });

  test('looks up each day on which a key may have been used first', async () => {
    const { from, to } = ago(59);
    const key = { projectId: project.projectId, apiKeyId, createdAt: from, lastUsedAt: to };
    const nodes = await readsOf(bench.db, (db) => readFirstUse(db, key));
    // Read once, they would be those of all keys. Today has no totals.
    expect(timesRead(nodes, 'usage_key_days')).toBe(59);
  });

  test('reads the hours of a customer’s keys of today alone', async () => {
    const { projectId } = project;
    const nodes = await readsOf(bench.db, (db) =>
      readUsageOf(db, { projectId, customerId, step: 'day', ...ago(59) }),
    );
    // Once to see whether the day has any, and once for each hour, of all keys together.
    expect(timesRead(nodes, 'usage_hours')).toBeLessThanOrEqual(1 + 24);
    expect(timesRead(nodes, 'usage_key_days')).toBeLessThanOrEqual(60);
  });

  test('finds the customers that call most without reading keys that were not used', async () => {
    const month = { projectId: project.projectId, step: 'day' as const, top: 8, ...ago(30) };
    const nodes = await readsOf(bench.db, async (db) => {
      expect(await readUsageByCustomer(db, month)).toHaveLength(8);
    });
    expect(rowsRead(nodes, 'api_keys')).toBeLessThan(KEYS / 2);
  });

  test.each([
    ['part of the name', 'ey 9998'],
    ['what no key has', 'zzzzz'],
    ['the first characters of a key', 'ceiba_abc'],
  ])('finds keys by %s without reading the others', async (_, text) => {
    const nodes = await readsOf(bench.db, (db) =>
      searchApiKeys(db, { projectId: project.projectId, text, limit: 50 }),
    );
    expect(rowsRead(nodes, 'api_keys')).toBeLessThan(100);
  });

  test.each([
    ['part of the external id', { search: 'omer-4998' }],
    ['part of the name', { search: 'c4ca4238a0b9' }],
    ['part of every name', { search: 'company' }],
    ['two letters of every external id', { search: 'us' }],
    ['what no customer has', { search: 'zzzzz' }],
    ['the external id', { externalId: 'customer-77' }],
    ['the date of their creation', {}],
    ['their suspension', { status: 'suspended' as const }],
  ])('finds customers by %s without reading the others', async (_, filter) => {
    const nodes = await readsOf(bench.db, (db) =>
      listCustomers(db, {
        projectId: project.projectId,
        filter,
        limit: 50,
        cursor: `after.${customerId}`,
      }),
    );
    expect(rowsRead(nodes, 'customers')).toBeLessThan(150);
  });

  test('finds when the customers of a page last used a key without reading the keys of others', async () => {
    const { projectId } = project;
    const { items } = await listCustomers(bench.db, { projectId, limit: 25 });
    const customerIds = items.map((customer) => customer.customerId);
    const nodes = await readsOf(bench.db, (db) => readCustomerUse(db, { projectId, customerIds }));
    const keysOfEach = KEYS / CUSTOMERS;
    expect(rowsRead(nodes, 'api_keys')).toBe(customerIds.length * keysOfEach);
  });

  test('counts what a frequent word finds only as far as a thousand', async () => {
    const search = { projectId: project.projectId, text: 'key', limit: 50 };
    const nodes = await readsOf(bench.db, async (db) => {
      expect(await searchApiKeys(db, search)).toMatchObject({ total: null, before: 0 });
    });
    expect(rowsRead(nodes, 'api_keys')).toBeLessThan(KEYS / 4);
  });

  test('is detected if it reads a month of hours', async () => {
    await bench.db.sql`
      update usage_rolled_days set rolled_at = null where project_id = ${project.projectId}`;
    const month = { projectId: project.projectId, ...ago(30) };
    const nodes = await readsOf(bench.db, (db) =>
      readUsageSeries(db, { by: 'outcome', step: 'day', ...month }),
    );
    expect(rowsRead(nodes, 'usage_hours')).toBeGreaterThan(20 * HOURS_OF_A_DAY);
  });
});

describe('the list of 500 projects', () => {
  const PROJECTS = 500;
  const PAGE = 20;

  test('reads the denials of each once, and more only where a problem could be', async () => {
    const { sql } = bench.db;
    const ownerId = await makeOwner(bench.ctx);
    await sql`
      insert into projects (owner_id, name, secret_digest)
      select ${ownerId}, 'Project ' || n, sha256(n::text::bytea)
      from generate_series(1, ${PROJECTS}::int) as n`;
    await sql`
      insert into usage_hours (project_id, hour, api_key_id, policy_id, outcome, incarnation, count)
      select id, date_trunc('hour', now()), gen_random_uuid(), gen_random_uuid(), outcome, 'i', 9
      from projects, unnest(array['allowed', 'rate_limited', 'policy_no_match']) as outcome
      where owner_id = ${ownerId}`;
    await sql`analyze`;
    const list = { userId: ownerId, limit: PAGE, offset: 0 };
    const nodes = await readsOf(bench.db, async (db) => {
      expect(await listProjectsAtAGlance(db, list)).toMatchObject({ total: PROJECTS });
    });
    expect(timesRead(nodes, 'usage_hours')).toBeLessThanOrEqual(PROJECTS + PAGE);
    expect(rowsRead(nodes, 'usage_hours')).toBeLessThanOrEqual(2 * PROJECTS + 3 * PAGE);
    // Once for the keys that expire, once for those of the page.
    expect(timesRead(nodes, 'api_keys')).toBeLessThanOrEqual(PROJECTS + PAGE);
  });
});
