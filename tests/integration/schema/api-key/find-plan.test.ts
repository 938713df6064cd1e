import {
  COUNTED_MAX,
  type FindApiKeysInput,
  findApiKeys,
  type SearchApiKeysInput,
  searchApiKeys,
  surveyApiKeys,
} from '@ceiba/schema';
import { beforeAll, describe, expect, test } from 'vitest';
import { type PlanNode, readsOf, rowsRead } from '../plans.ts';
import { makeProject, useBench } from '../support.ts';

/** Enough keys that a scan of a project's keys takes longer than all else of a page. */
const KEYS = 100_000;
const PAGE = 50;

const bench = useBench({ maxConnections: 1 });
let projectId: string;
let customerId: string;
let apiKeyId: string;
let after: string;

beforeAll(async () => {
  const { sql } = bench.db;
  ({ projectId } = await makeProject(bench.ctx));
  const [customer] = await sql<{ id: string }[]>`
    insert into customers (project_id, external_id) values (${projectId}, 'acme') returning id`;
  customerId = customer!.id;
  // Every thousandth key has what is looked for.
  await sql`
    insert into api_keys (project_id, display_name, key_prefix, key_digest, created_at, customer_id,
      metadata, status, expires_at)
    select ${projectId}, case when n % 1000 = 0 then 'Needle ' else 'Key ' end || n,
      'ceiba_' || lpad(n::text, 8, '0'), sha256(('key ' || n)::bytea), now() - make_interval(secs => n),
      case when n % 1000 = 0 then ${customerId}::uuid end,
      case when n % 1000 = 0 then '{"tier": "gold"}' when n % 2 = 0 then '{"tier": "free"}' else '{}' end::jsonb,
      case when n % 1000 = 1 then 'archived' else 'active' end,
      case when n % 10 = 0 then now() + make_interval(mins => n) end
    from generate_series(1, ${KEYS}::int) as n`;
  // Also marks the pages whose rows an index alone can count.
  await sql`vacuum analyze`;
  const [row] = await sql<{ id: string }[]>`
    select id from api_keys where project_id = ${projectId} and display_name = 'Needle 50000'`;
  apiKeyId = row!.id;
  after = `after.${apiKeyId}`;
}, 240_000);

const CASES: [string, () => Partial<FindApiKeysInput>, found: number][] = [
  ['nothing', () => ({}), PAGE],
  ['a status of few keys', () => ({ status: 'archived' }), PAGE],
  ['a cursor in the middle', () => ({ cursor: after }), PAGE],
  ['a customer', () => ({ customerId }), PAGE],
  ['metadata of few keys', () => ({ metadata: { tier: 'gold' } }), PAGE],
  ['metadata of half of the keys', () => ({ metadata: { tier: 'free' } }), PAGE],
  ['metadata of no key', () => ({ metadata: { tier: 'none' } }), 0],
  ['a part of the name of few keys', () => ({ search: 'needle' }), PAGE],
  ['a letter of every name', () => ({ search: 'E' }), PAGE],
  ['the whole prefix', () => ({ search: 'ceiba_00050000' }), 1],
  ['the id', () => ({ search: apiKeyId }), 1],
  ['a text that no key has', () => ({ search: 'nowhere at all' }), 0],
];

describe('a page of 100,000 keys, selected by', () => {
  test.each(CASES)('%s, reads few of them', async (_what, input, found) => {
    let count = -1;
    const nodes = await readsOf(bench.db, async (db) => {
      const page = await findApiKeys(db, { projectId, limit: PAGE, ...input() });
      count = page.items.length;
    });
    expect(count).toBe(found);
    const scans = nodes.filter((node) => node['Node Type'] === 'Seq Scan');
    expect(scans.map((node) => node['Relation Name'])).not.toContain('api_keys');
    expect(rowsRead(nodes, 'api_keys')).toBeLessThan(KEYS / 100);
  });
});

/** Rows that a statement read from the table itself, not only from an index. */
const rowsOfTable = (nodes: readonly PlanNode[]) =>
  rowsRead(
    nodes.filter((node) => node['Node Type'] !== 'Index Only Scan'),
    'api_keys',
  );

const LISTS: [string, () => Partial<SearchApiKeysInput>, found: number, total: number | null][] = [
  ['active ones', () => ({ status: 'active' }), PAGE, null],
  ['a page from the middle', () => ({ cursor: after }), PAGE, null],
  ['archived ones', () => ({ status: 'archived' }), PAGE, 100],
  ['those archived last', () => ({ status: 'archived', sort: 'ended' }), PAGE, 100],
  ['by name', () => ({ sort: 'name' }), PAGE, null],
  ['by expiry', () => ({ sort: 'expires' }), PAGE, null],
  ['with a part of the name', () => ({ text: 'eedle 50000' }), 1, 1],
  ['with a name of few keys', () => ({ text: 'needle' }), PAGE, 100],
  ['with the first characters of a key', () => ({ text: 'ceiba_0005000' }), 10, 10],
];

describe('the list of 100,000 keys in the console', () => {
  test.each(LISTS)('shows %s, and counts no further than it says', async (...row) => {
    const [, input, found, total] = row;
    const nodes = await readsOf(bench.db, async (db) => {
      const page = await searchApiKeys(db, { projectId, limit: PAGE, ...input() });
      expect(page.items).toHaveLength(found);
      expect(page.total).toBe(total);
    });
    expect(rowsRead(nodes, 'api_keys')).toBeLessThan(COUNTED_MAX + KEYS / 100);
  });

  test('is sorted by use from one reading of the months', async () => {
    await bench.db.sql`
      insert into usage_months (project_id, month, scope, incarnation, count)
      select project_id, extract(year from now() at time zone 'UTC') * 12
        + extract(month from now() at time zone 'UTC') - 1, id, 'i', row_number() over ()
      from api_keys`;
    await bench.db.sql`vacuum analyze usage_months`;
    const nodes = await readsOf(bench.db, async (db) => {
      const page = await searchApiKeys(db, { projectId, limit: PAGE, sort: 'used' });
      const most = Array.from({ length: PAGE }, (_, place) => KEYS - place);
      expect(page.items.map((key) => key.usedThisMonth)).toEqual(most);
    });
    expect(rowsRead(nodes, 'usage_months')).toBeLessThan(KEYS + KEYS / 100);
  });

  test('counts keys by status and hint through indexes, and idle ones up to ten thousand', async () => {
    const idle = COUNTED_MAX + 5_000;
    await bench.db.sql`
      update api_keys set created_at = now() - interval '1 year' where project_id = ${projectId}
        and id in (select id from api_keys order by created_at limit ${idle})`;
    await bench.db.sql`vacuum analyze api_keys`;
    const nodes = await readsOf(bench.db, async (db) => {
      const { byStatus, byHint } = await surveyApiKeys(db, projectId);
      expect(byStatus).toEqual({ active: KEYS - 100, revoked: 0, archived: 100 });
      expect(byHint).toMatchObject({ never_expires: (KEYS * 9) / 10 - 100, idle: COUNTED_MAX + 1 });
    });
    expect(rowsOfTable(nodes)).toBeLessThan(idle + KEYS / 100);
  });
});
