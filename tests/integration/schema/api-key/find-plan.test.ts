import { type FindApiKeysInput, findApiKeys } from '@ceiba/schema';
import { beforeAll, describe, expect, test } from 'vitest';
import { readsOf, rowsRead } from '../plans.ts';
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
      metadata)
    select ${projectId}, case when n % 1000 = 0 then 'Needle ' else 'Key ' end || n,
      'ceiba_' || lpad(n::text, 8, '0'), sha256(('key ' || n)::bytea), now() - make_interval(secs => n),
      case when n % 1000 = 0 then ${customerId}::uuid end,
      case when n % 1000 = 0 then '{"tier": "gold"}' when n % 2 = 0 then '{"tier": "free"}' else '{}' end::jsonb
    from generate_series(1, ${KEYS}::int) as n`;
  await sql`analyze`;
  const [row] = await sql<{ id: string }[]>`
    select id from api_keys where project_id = ${projectId} and display_name = 'Needle 50000'`;
  apiKeyId = row!.id;
  after = `after.${apiKeyId}`;
}, 240_000);

const CASES: [string, () => Partial<FindApiKeysInput>, found: number][] = [
  ['nothing', () => ({}), PAGE],
  ['a cursor in the middle', () => ({ cursor: after }), PAGE],
  ['a customer', () => ({ customerId }), PAGE],
  ['metadata of few keys', () => ({ metadata: { tier: 'gold' } }), PAGE],
  ['metadata of half of the keys', () => ({ metadata: { tier: 'free' } }), PAGE],
  ['metadata of no key', () => ({ metadata: { tier: 'none' } }), 0],
  ['a part of the name of few keys', () => ({ search: 'needle' }), PAGE],
  ['two letters that begin a word of few names', () => ({ search: 'ne' }), PAGE],
  ['a letter that begins a word of few names', () => ({ search: 'N' }), PAGE],
  ['a letter that is within every name', () => ({ search: 'e' }), 0],
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
