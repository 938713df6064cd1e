import { randomUUID } from 'node:crypto';
import {
  type Database,
  findApiKeysInProjects,
  findCustomersInProjects,
  findDecisionsInProjects,
  findProjectsWithRequests,
  writeDecisions,
} from '@ceiba/schema';
import { beforeAll, describe, expect, test } from 'vitest';
import { decisionAt } from '../decision-log/support.ts';
import { readsOf, rowsRead } from '../plans.ts';
import { makeProject, useBench } from '../support.ts';

/** In all; a quarter of each is that of a project. */
const KEYS = 20_000;
const CUSTOMERS = 10_000;
const DECISIONS = 40_000;
const PROJECTS = 4;
const LIMIT = 20;
const HOUR_MS = 3_600_000;

const bench = useBench({ maxConnections: 1 });
/** Of the user: the first is the one that is shown. */
let own: string[];
/** Of another owner, with rows like those of the others. */
let foreign: string;

async function fill(projectId: string, number: number): Promise<void> {
  const { sql } = bench.db;
  // A project has every fourth number, so that no two have the same row.
  const numbers = (rows: number) => sql`generate_series(${number}::int, ${rows}::int, ${PROJECTS})`;
  await sql`
    insert into customers (project_id, external_id, name, created_at)
    select ${projectId}, 'customer-' || n, 'Company ' || md5(n::text), now() - n * interval '1 second'
    from ${numbers(CUSTOMERS)} as n`;
  await sql`
    insert into api_keys (project_id, display_name, note, key_prefix, key_digest, created_at)
    select ${projectId}, 'Key ' || md5(n::text), 'common', 'ceiba_' || lpad(n::text, 8, '0'),
      sha256(('key ' || n)::bytea), now() - n * interval '1 second'
    from ${numbers(KEYS)} as n`;
  // All of yesterday: a partition of a few hundred rows is read whole.
  await sql`
    insert into decisions (project_id, at, decision_id, request_id, method, path, outcome, latency_ms)
    select ${projectId}, at,
      (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '70008000'
        || lpad(to_hex(n), 12, '0'))::uuid,
      'request-' || n, 'GET', '/v1/reports/' || n,
      case when n % 5 = 0 then 'policy_no_match' else 'allowed' end, 1
    from (select n, date_trunc('day', now(), 'UTC') - (n + 1) * interval '2 seconds' as at
      from ${numbers(DECISIONS)} as n) as row`;
}

beforeAll(async () => {
  const made = [];
  for (let number = 0; number < PROJECTS; number += 1) {
    made.push((await makeProject(bench.ctx)).projectId);
  }
  foreign = made.pop() ?? '';
  own = made;
  // Creates the partitions.
  const days = Array.from({ length: 5 }, (_, day) => new Date(Date.now() - day * 24 * HOUR_MS));
  await writeDecisions(bench.db, {
    decisions: days.map((day) => decisionAt(foreign, day)),
    gaps: [],
  });
  for (const [number, projectId] of [...own, foreign].entries()) await fill(projectId, number);
  await bench.db
    .sql`update api_keys set previous_prefix = 'ceiba_replaced', previous_digest = sha256('previous'),
    previous_expires_at = now() + interval '1 hour' where key_prefix = 'ceiba_00000401'`;
  await bench.db
    .sql`update api_keys set display_name = 'Old one', previous_prefix = 'ceiba_replacea',
    previous_digest = sha256('ended'), previous_expires_at = now() where key_prefix = 'ceiba_00000402'`;
  await bench.db.sql`update projects set key_prefix = 'acme_' where id = ${own[1] ?? ''}`;
  await bench.db
    .sql`update api_keys set key_prefix = 'acme_Chosen01' where key_prefix = 'ceiba_00000501'`;
  await bench.db
    .sql`update customers set external_id = 'org_foreign' where external_id = 'customer-103'`;
  const rare = decisionAt(own[2] ?? '', new Date(), { outcome: 'rate_limited', path: '/v2/rare' });
  const strange = {
    ...decisionAt(foreign, new Date(), { outcome: 'quota_exceeded' }),
    path: '/v3/foreign',
  };
  await writeDecisions(bench.db, { decisions: [rare, strange], gaps: [] });
  await bench.db.sql`analyze`;
}, 240_000);

const partition = /^decisions_\d/;

/** Everything that is found, as the place of its project and what it is. */
type Find = (db: Database, text: string) => Promise<string[]>;
const placed = (projectId: string, what: string) => `${own.indexOf(projectId)} ${what}`;
const keys: Find = async (db, text) => {
  const found = await findApiKeysInProjects(db, { projectIds: own, text, limit: LIMIT });
  return found.map(({ projectId, keyPrefix }) => placed(projectId, keyPrefix));
};
const customers: Find = async (db, text) => {
  const found = await findCustomersInProjects(db, { projectIds: own, text, limit: LIMIT });
  return found.map(({ projectId, externalId }) => placed(projectId, externalId));
};
const decisions: Find = async (db, text) => {
  const found = await findDecisionsInProjects(db, { projectIds: own, text, limit: LIMIT });
  return found.map(({ projectId, path }) => placed(projectId, path ?? ''));
};
const paths: Find = async (db, pathPrefix) => {
  const of = { pathPrefix };
  const found = await findProjectsWithRequests(db, { projectIds: own, of, limit: LIMIT });
  return found.map((projectId) => placed(projectId, 'requests'));
};
const statuses: Find = async (db, text) => {
  const of = { status: text === '429' ? 429 : text === '403' ? 403 : 401 } as const;
  const found = await findProjectsWithRequests(db, { projectIds: own, of, limit: LIMIT });
  return found.map((projectId) => placed(projectId, 'requests'));
};

const IN_ALL = ['0 requests', '1 requests', '2 requests'];
const FOUND: [string, string, Find, string[]][] = [
  ['a whole prefix', 'ceiba_00000101', keys, ['1 ceiba_00000101']],
  [
    'a part of a prefix, without the key of another owner',
    'ceiba_0000010',
    keys,
    ['100', '104', '108', '101', '105', '109', '102', '106'].map(
      (number, index) => `${index < 3 ? 0 : index < 6 ? 1 : 2} ceiba_00000${number}`,
    ),
  ],
  ['a whole key, by its prefix', `ceiba_00000102${'A'.repeat(41)}`, keys, ['2 ceiba_00000102']],
  ['a part of a prefix without its beginning', '00000101', keys, ['1 ceiba_00000101']],
  ['a prefix that the project chose, without its beginning', 'Chosen0', keys, ['1 acme_Chosen01']],
  ['a part of a secret that was replaced and is valid', 'ceiba_repl', keys, ['1 ceiba_00000401']],
  ['a part of a secret that has ended', 'ceiba_replacea', keys, []],
  ['a name', 'old one', keys, ['2 ceiba_00000402']],
  ['a key of another owner', 'ceiba_00000103', keys, []],
  ['a wildcard of LIKE', 'ceiba%', keys, []],
  [
    'an external ID, before those that only begin so',
    'customer-101',
    customers,
    ['1 customer-101'],
  ],
  ['an external ID of another owner', 'org_foreign', customers, []],
  ['a request ID', 'request-402', decisions, ['2 /v1/reports/402']],
  ['a request ID of another owner', 'request-403', decisions, []],
  ['a path', '/v1/reports', paths, IN_ALL],
  ['a rare path', '/v2/rare', paths, ['2 requests']],
  ['a path of another owner', '/v3', paths, []],
  ['a frequent status', '403', statuses, IN_ALL],
  ['a rare status, and not that of another owner', '429', statuses, ['2 requests']],
  ['a status that never occurred', '401', statuses, []],
];

describe('in 20,000 keys, 10,000 customers and 40,000 requests of four projects', () => {
  test.each(FOUND)('%s is found, from few rows of an index', async (_, text, find, expected) => {
    let found: string[] = [];
    const nodes = await readsOf(bench.db, async (db) => {
      found = await find(db, text);
    });
    expect(found.filter((one) => !one.includes('customer-101') || one.endsWith('-101'))).toEqual(
      expected,
    );
    expectFewReads(nodes);
  });

  test.each<[string, string, Find]>([
    ['the beginning of every key', 'ceiba_', keys],
    ['a word of every key', 'common', keys],
    ['what no key has', 'nowhere at all', keys],
    ['the beginning of every customer', 'customer-', customers],
    ['what no customer has', 'nowhere at all', customers],
    ['an ID of nothing', randomUUID(), keys],
    ['an ID of nothing', randomUUID(), customers],
    ['an ID of nothing', randomUUID(), decisions],
  ])('%s reads few rows of an index', async (_, text, find) => {
    expectFewReads(await readsOf(bench.db, (db) => find(db, text)));
  });

  test('each is found by its ID in the project that has it', async () => {
    const { sql } = bench.db;
    const idOf = async (table: string, column: string, projectId: string) => {
      const [row] = await sql<{ id: string }[]>`
        select ${sql(column)} as id from ${sql(table)} where project_id = ${projectId} limit 1`;
      return row?.id ?? '';
    };
    for (const [table, column, find] of [
      ['api_keys', 'id', keys],
      ['customers', 'id', customers],
      ['decisions', 'decision_id', decisions],
    ] as const) {
      const id = await idOf(table, column, own[2] ?? '');
      const found = await find(bench.db, id.toUpperCase());
      expect(found).toEqual([expect.stringMatching(/^2 /)]);
      expect(await find(bench.db, await idOf(table, column, foreign))).toEqual([]);
      expectFewReads(await readsOf(bench.db, (db) => find(db, id)));
    }
  });

  test('a user without a project finds nothing', async () => {
    const nothing = { projectIds: [], text: 'ceiba_', limit: LIMIT };
    expect(await findApiKeysInProjects(bench.db, nothing)).toEqual([]);
    expect(await findCustomersInProjects(bench.db, nothing)).toEqual([]);
    expect(await findDecisionsInProjects(bench.db, nothing)).toEqual([]);
    const of = { status: 403 } as const;
    expect(await findProjectsWithRequests(bench.db, { ...nothing, of })).toEqual([]);
  });
});

function expectFewReads(nodes: Awaited<ReturnType<typeof readsOf>>): void {
  const scanned = nodes
    .filter((node) => node['Node Type'].includes('Seq Scan'))
    .map((node) => node['Relation Name'] ?? '');
  expect(scanned.filter((name) => LARGE.includes(name))).toEqual([]);
  for (const table of ['api_keys', 'customers', partition]) {
    expect(rowsRead(nodes, table)).toBeLessThan(500);
  }
}

/** Of the log, a day with a few rows may be read as a whole. */
const LARGE = ['api_keys', 'customers'];
