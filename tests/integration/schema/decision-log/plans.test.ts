import { randomUUID } from 'node:crypto';
import {
  type DecisionFilter,
  findDecision,
  GROUPED_DENIALS_MAX,
  groupDenials,
  listDecisions,
  readDecisionGaps,
  UNKNOWN_KEYS_SEARCHED_MAX,
  writeDecisions,
} from '@ceiba/schema';
import { beforeAll, describe, expect, test } from 'vitest';
import { readsOf, rowsRead } from '../plans.ts';
import { makeProject, useBench } from '../support.ts';
import { decisionAt, idAt } from './support.ts';

/** Of two projects alike: a page of one must not read rows of the other. */
const ROWS = 100_000;
const DAYS = 4;
const PAGE = 50;

const bench = useBench({ maxConnections: 1 });
const START = Date.parse('2026-10-01T00:00:00Z');
const DAY_MS = 86_400_000;
const KEY = randomUUID();
const CUSTOMER = randomUUID();
let projectId: string;

/**
 * Most are denials of two kinds, each below a path of its own, with few exceptions; of everything else
 * that is searched for, there are few.
 */
async function fill(id: string): Promise<void> {
  await bench.db.sql`
    insert into decisions (project_id, at, decision_id, request_id, method, path, outcome, api_key_id,
      customer_id, latency_ms)
    select ${id}, at,
      (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '70008000'
        || lpad(to_hex(n), 12, '0'))::uuid,
      'request-' || n, case n % 1000 when 7 then 'DELETE' else 'GET' end,
      case when n % 2000 = 3 then '/v2/rare/' when n % 2 = 0 or n % 5000 = 4999 then '/v1/orders/'
        else '/v1/reports/' end || n,
      case when n % 1000 = 1 then 'rate_limited' when n % 500 = 2 then 'allowed'
        when n % 2 = 0 then 'invalid_api_key' else 'policy_no_match' end,
      case when n % 2500 = 4 then ${KEY}::uuid when n % 2 = 0 then md5(n::text)::uuid end,
      case when n % 2500 = 8 then ${CUSTOMER}::uuid when n % 2 = 0 then md5(n::text)::uuid end, 1
    from (
      select n, to_timestamp(${START / 1_000}::float8) +
        n * (interval '1 day' * ${DAYS}::int / ${ROWS + 1}::int) as at
      from generate_series(1, ${ROWS}::int) as n
    ) as row`;
}

beforeAll(async () => {
  projectId = (await makeProject(bench.ctx)).projectId;
  const { projectId: other } = await makeProject(bench.ctx);
  // Also creates the partitions.
  const days = Array.from({ length: DAYS }, (_, day) => new Date(START + day * DAY_MS));
  const decisions = days.map((day) => decisionAt(other, day));
  const gaps = Array.from({ length: 2_000 }, (_, minute) => {
    return { projectId: other, minute, outcome: 'allowed', incarnation: 'i', leftOut: 1 } as const;
  });
  await writeDecisions(bench.db, { decisions, gaps });
  for (const id of [projectId, other]) await fill(id);
  await bench.db.sql`analyze`;
}, 240_000);

const partition = /^decisions_\d/;
const day = (n: number) => new Date(START + n * DAY_MS);

/** Filters, and the most rows that a page may read: itself, or the few that match. */
const FILTERS: [string, () => DecisionFilter, number][] = [
  ['nothing', () => ({}), 60],
  ['a time', () => ({ from: day(1), to: day(2) }), 60],
  ['allowed', () => ({ outcome: 'allowed' }), 250],
  ['denied', () => ({ outcome: 'denied' }), 60],
  ['a rare reason', () => ({ reason: 'rate_limited' }), 250],
  ['a reason that never occurred', () => ({ reason: 'quota_exceeded' }), 0],
  ['a status that is frequent and rare', () => ({ status: 403 }), 120],
  ['a rare status', () => ({ status: 429 }), 250],
  ['a status of one frequent reason', () => ({ status: 401 }), 120],
  ['several keys', () => ({ apiKeyIds: [KEY, randomUUID()] }), 60],
  ['several keys and a status', () => ({ apiKeyIds: [KEY, randomUUID()], status: 401 }), 60],
  ['a key', () => ({ apiKeyId: KEY }), 60],
  ['an unknown key', () => ({ apiKeyId: randomUUID() }), 0],
  ['a customer', () => ({ customerId: CUSTOMER }), 80],
  ['an unknown customer', () => ({ customerId: randomUUID() }), 0],
  ['a rare method', () => ({ method: 'DELETE' }), 250],
  ['a method that never occurred', () => ({ method: 'PATCH' }), 0],
  ['a rare path', () => ({ pathPrefix: '/v2/rare' }), 60],
  ['the path of every second', () => ({ pathPrefix: '/v1/reports' }), 110],
  ['a path that never occurred', () => ({ pathPrefix: '/v3' }), 0],
  ['a request', () => ({ requestId: 'request-4711' }), 1],
  ['a decision', () => ({ decisionId: idAt(day(1)) }), 0],
  [
    'the id of a decision or a request',
    () => ({ anyOf: { decisionId: idAt(day(1)), requestId: 'request-4711' } }),
    1,
  ],
  [
    'the id of a request, or a path that never occurred',
    () => ({ anyOf: { pathPrefix: '/v3', requestId: 'request-4711' } }),
    1,
  ],
  ['a rare path or an id', () => ({ anyOf: { pathPrefix: '/v2/rare', requestId: 'none' } }), 60],
  [
    'the path of every second or an id',
    () => ({ anyOf: { pathPrefix: '/v1/reports', requestId: 'none' } }),
    110,
  ],
  ['a key and a reason', () => ({ apiKeyId: KEY, reason: 'invalid_api_key' }), 60],
];

describe('a page of a log of 200,000 decisions', () => {
  test.each(FILTERS)('filtered by %s reads only rows of an index', async (_, filter, most) => {
    const nodes = await readsOf(bench.db, (db) =>
      listDecisions(db, { projectId, filter: filter(), limit: PAGE }),
    );
    expect(nodes).not.toEqual([]);
    expect(nodes.filter((node) => node['Node Type'].includes('Seq Scan'))).toEqual([]);
    expect(rowsRead(nodes, partition)).toBeLessThanOrEqual(most);
  });

  test('in the middle of the list reads only its own rows', async () => {
    const cursor = `after.${idAt(day(2))}`;
    const nodes = await readsOf(bench.db, (db) =>
      listDecisions(db, { projectId, limit: PAGE, cursor }),
    );
    expect(rowsRead(nodes, partition)).toBeLessThanOrEqual(PAGE + 1);
    // Later days are not even looked at.
    const names = nodes.map((node) => node['Relation Name']);
    expect(names).not.toContain('decisions_20261004');
  });
});

describe('of a log of 200,000 decisions', () => {
  test('a prefix of an unknown key is searched among the newest calls with one alone', async () => {
    const filter = { unknownKeyPrefix: 'ceiba_Nowhere0' };
    const nodes = await readsOf(bench.db, (db) =>
      listDecisions(db, { projectId, filter, limit: PAGE }),
    );
    const scans = nodes.filter((node) => node['Node Type'].includes('Seq Scan'));
    // Of the few projects, for what their keys begin with.
    expect(rowsRead(scans, partition)).toBe(0);
    // Once to find where the search ends, and once for itself.
    expect(rowsRead(nodes, partition)).toBeLessThan(2.1 * UNKNOWN_KEYS_SEARCHED_MAX);
  });

  test('one decision is read from one index of one day', async () => {
    const { items } = await listDecisions(bench.db, { projectId, limit: 1 });
    const { decisionId } = items[0]!;
    const nodes = await readsOf(bench.db, (db) => findDecision(db, { projectId, decisionId }));
    expect(rowsRead(nodes, partition)).toBe(1);
    expect(nodes.map((node) => node['Relation Name'])).toEqual(['decisions_20261004']);
  });

  test('the groups of a rare time are read from the index of denials', async () => {
    const range = { projectId, from: day(1), to: new Date(START + DAY_MS + 600_000) };
    const nodes = await readsOf(bench.db, (db) => groupDenials(db, range));
    expect(nodes.filter((node) => node['Node Type'].includes('Seq Scan'))).toEqual([]);
    expect(rowsRead(nodes, partition)).toBeLessThan(200);
  });

  test('the requests of a group are read from the time in which it was counted', async () => {
    const groups = await groupDenials(bench.db, { projectId, from: day(0), to: day(DAYS) });
    const rare = groups.find(
      ({ denialReason, pathShape }) =>
        denialReason === 'policy_no_match' && pathShape?.startsWith('/v1/orders'),
    )!;
    const { denialReason: reason, method, firstAt: from } = rare;
    // As the page links to it. Each is half of the log, and all three together are 20 rows.
    const filter = { reason, method, pathPrefix: '/v1/orders', from };
    const { items } = await listDecisions(bench.db, { projectId, filter, limit: PAGE });
    expect(items).toHaveLength(rare.count);
    const nodes = await readsOf(bench.db, (db) =>
      listDecisions(db, { projectId, filter, limit: PAGE }),
    );
    expect(rowsRead(nodes, partition)).toBeLessThanOrEqual(GROUPED_DENIALS_MAX);
  });

  test('the gaps of a project are read from its own rows', async () => {
    const range = { projectId, from: day(0), to: day(DAYS) };
    const nodes = await readsOf(bench.db, (db) => readDecisionGaps(db, range));
    expect(rowsRead(nodes, 'decision_gaps')).toBe(0);
  });
});

// Last, because it drops an index.
test('a page that reads what does not match is detected', async () => {
  await bench.db.sql`drop index decisions_method_idx`;
  const filter = { method: 'PATCH' };
  const nodes = await readsOf(bench.db, (db) =>
    listDecisions(db, { projectId, filter, limit: PAGE }),
  );
  expect(rowsRead(nodes, partition)).toBeGreaterThan(50_000);
});
