import { randomUUID } from 'node:crypto';
import {
  type DecisionFilter,
  findDecision,
  groupDenials,
  listDecisions,
  type NewDecision,
  writeDecisions,
} from '@ceiba/schema';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeProject, useBench } from '../support.ts';
import { decisionAt, idAt } from './support.ts';

const bench = useBench();
const NOON = Date.parse('2026-11-20T12:00:00Z');
const DAY_MS = 86_400_000;
const KEY = randomUUID();
const OTHER_KEY = randomUUID();
const PREFIX = 'ceiba_Unknown0';
/** As the Runtime makes it where a call has none. */
const REQUEST_ID = idAt(new Date(NOON - DAY_MS - 1));

const CUSTOMER = randomUUID();
let projectId: string;
/** The decisions of the project by name, oldest first, with the same ones of another project. */
const MADE: [string, number, Partial<NewDecision>][] = [
  [
    'yesterday',
    NOON - DAY_MS,
    {
      outcome: 'policy_no_match',
      path: '/v1/users/1',
      keyPrefix: PREFIX,
      requestId: REQUEST_ID,
    },
  ],
  ['first of one ms', NOON, { outcome: 'allowed', apiKeyId: KEY, path: '/v1/reports' }],
  ['second of one ms', NOON, { outcome: 'rate_limited', apiKeyId: KEY, path: '/v1/reports/7' }],
  [
    'posted',
    NOON + 1,
    {
      outcome: 'invalid_api_key',
      method: 'POST',
      path: '/v1/Reports',
      requestId: 'request-9',
      keyPrefix: PREFIX,
    },
  ],
  ['without a path', NOON + 2, { path: null, apiKeyId: OTHER_KEY }],
  [
    'tomorrow',
    NOON + DAY_MS,
    { customerId: CUSTOMER, outcome: 'allowed', path: '/v10', requestId: 'request-10' },
  ],
];
const ids = new Map<string, string>();
const nameOf = (decisionId: string) => [...ids].find(([, id]) => id === decisionId)?.[0];

beforeAll(async () => {
  projectId = (await makeProject(bench.ctx)).projectId;
  const other = (await makeProject(bench.ctx)).projectId;
  const decisions = MADE.flatMap(([name, at, change], index) => {
    const decisionId = idAt(new Date(at), index);
    ids.set(name, decisionId);
    const one = decisionAt(projectId, new Date(at), { ...change, decisionId });
    return [one, { ...one, projectId: other, decisionId: idAt(new Date(at), index) }];
  });
  await writeDecisions(bench.db, { decisions, gaps: [] });
});

async function namesOf(filter: DecisionFilter): Promise<(string | undefined)[]> {
  const { items } = await listDecisions(bench.db, { projectId, filter, limit: 50 });
  return items.map(({ decisionId }) => nameOf(decisionId));
}

describe('the list of decisions', () => {
  test('is newest first and has those of the project only', async () => {
    expect(await namesOf({})).toEqual(MADE.map(([name]) => name).reverse());
  });

  test.each<[string, () => DecisionFilter, string[]]>([
    ['outcome allowed', () => ({ outcome: 'allowed' }), ['tomorrow', 'first of one ms']],
    [
      'outcome denied',
      () => ({ outcome: 'denied' }),
      ['without a path', 'posted', 'second of one ms', 'yesterday'],
    ],
    ['reason', () => ({ reason: 'rate_limited' }), ['second of one ms']],
    ['status', () => ({ status: 429 }), ['second of one ms']],
    ['status of several reasons', () => ({ status: 401 }), ['without a path', 'posted']],
    ['status of a reason', () => ({ status: 401, reason: 'invalid_api_key' }), ['posted']],
    ['status of another reason', () => ({ status: 401, reason: 'rate_limited' }), []],
    [
      'several keys',
      () => ({ apiKeyIds: [KEY, OTHER_KEY] }),
      ['without a path', 'second of one ms', 'first of one ms'],
    ],
    [
      'several keys and a status',
      () => ({ apiKeyIds: [KEY, OTHER_KEY], status: 401 }),
      ['without a path'],
    ],
    ['no key of several', () => ({ apiKeyIds: [] }), []],
    ['reason and another outcome', () => ({ reason: 'rate_limited', outcome: 'allowed' }), []],
    ['key', () => ({ apiKeyId: KEY }), ['second of one ms', 'first of one ms']],
    ['customer', () => ({ customerId: CUSTOMER }), ['tomorrow']],
    ['unknown customer', () => ({ customerId: randomUUID() }), []],
    ['unknown key', () => ({ apiKeyId: randomUUID() }), []],
    ['prefix of an unknown key', () => ({ unknownKeyPrefix: PREFIX }), ['posted']],
    ['part of such a prefix', () => ({ unknownKeyPrefix: PREFIX.slice(0, 9) }), ['posted']],
    ['such a part without what keys begin with', () => ({ unknownKeyPrefix: 'Unkno' }), ['posted']],
    ['part in another letter case', () => ({ unknownKeyPrefix: 'ceiba_unk' }), []],
    [
      'prefix of an unknown key, in a time',
      () => ({ unknownKeyPrefix: PREFIX, to: new Date(NOON) }),
      [],
    ],
    ['method', () => ({ method: 'POST' }), ['posted']],
    ['method in lower case', () => ({ method: 'post' }), []],
    [
      'path prefix, in its letter case',
      () => ({ pathPrefix: '/v1/r' }),
      ['second of one ms', 'first of one ms'],
    ],
    ['whole path as prefix', () => ({ pathPrefix: '/v1/reports/7' }), ['second of one ms']],
    ['path prefix with a wildcard of LIKE', () => ({ pathPrefix: '/v1/%' }), []],
    ['path prefix with NUL', () => ({ pathPrefix: '/v1\0' }), []],
    ['request id', () => ({ requestId: 'request-9' }), ['posted']],
    ['decision', () => ({ decisionId: ids.get('posted')! }), ['posted']],
    [
      'an id of a decision or a request',
      () => ({ anyOf: { decisionId: REQUEST_ID, requestId: REQUEST_ID } }),
      ['yesterday'],
    ],
    [
      'an id of a request or a decision',
      () => ({ anyOf: { decisionId: ids.get('posted')!, requestId: ids.get('posted')! } }),
      ['posted'],
    ],
    [
      'a path or a request id, and another condition',
      () => ({ anyOf: { pathPrefix: '/v1', requestId: 'request-9' }, method: 'POST' }),
      ['posted'],
    ],
    [
      'a path or a request id',
      () => ({ anyOf: { pathPrefix: '/v10', requestId: 'request-9' } }),
      ['tomorrow', 'posted'],
    ],
    ['id without a time', () => ({ decisionId: randomUUID() }), []],
    [
      'time, the end excluded',
      () => ({ from: new Date(NOON), to: new Date(NOON + 2) }),
      ['posted', 'second of one ms', 'first of one ms'],
    ],
    [
      'all at once',
      () => ({ outcome: 'denied', apiKeyId: KEY, pathPrefix: '/v1' }),
      ['second of one ms'],
    ],
  ])('filters by %s', async (_, filter, names) => {
    expect(await namesOf(filter())).toEqual(names);
  });

  test.each([1, 2, 4])('has the same decisions in pages of %d, there and back', async (limit) => {
    const forward: (string | undefined)[] = [];
    let cursor: string | null = null;
    let last: string | null = null;
    do {
      const page = await listDecisions(bench.db, { projectId, limit, cursor });
      forward.push(...page.items.map(({ decisionId }) => nameOf(decisionId)));
      last = page.previous;
      cursor = page.next;
    } while (cursor !== null);
    expect(forward).toEqual(MADE.map(([name]) => name).reverse());
    const backward: (string | undefined)[] = [];
    while (last !== null) {
      const page = await listDecisions(bench.db, { projectId, limit, cursor: last });
      backward.unshift(...page.items.map(({ decisionId }) => nameOf(decisionId)));
      last = page.previous;
    }
    expect(backward).toEqual(forward.slice(0, backward.length));
    expect(backward.length).toBeGreaterThanOrEqual(forward.length - limit);
  });

  test('goes on behind a decision that was removed, and never starts again', async () => {
    const after = (name: string) =>
      listDecisions(bench.db, { projectId, limit: 50, cursor: `after.${ids.get(name)}` });
    expect((await after('yesterday')).items).toEqual([]);
    const nowhere = idAt(new Date(NOON - DAY_MS + 1));
    const page = await listDecisions(bench.db, {
      projectId,
      limit: 50,
      cursor: `after.${nowhere}`,
    });
    expect(page.items.map(({ decisionId }) => nameOf(decisionId))).toEqual(['yesterday']);
  });
});

describe('one decision', () => {
  test('is found by its id in its project only', async () => {
    const decisionId = ids.get('posted')!;
    expect(await findDecision(bench.db, { projectId, decisionId })).toMatchObject({
      decisionId,
      at: new Date(NOON + 1),
      requestId: 'request-9',
    });
    const { projectId: stranger } = await makeProject(bench.ctx);
    expect(await findDecision(bench.db, { projectId: stranger, decisionId })).toBeNull();
    for (const unknown of [idAt(new Date(NOON)), idAt(new Date(0)), randomUUID()]) {
      expect(await findDecision(bench.db, { projectId, decisionId: unknown })).toBeNull();
    }
  });
});

describe('the groups of denials', () => {
  test('have one reason, method and path without its ids, most frequent first', async () => {
    const made = await makeProject(bench.ctx);
    const deny = (path: string | null, ms: number, change: Partial<NewDecision> = {}) =>
      decisionAt(made.projectId, new Date(NOON + ms), {
        outcome: 'policy_no_match',
        path,
        ...change,
      });
    const newest = deny('/v1/users/3/orders', 30, { denialDetail: 'scope' });
    await writeDecisions(bench.db, {
      decisions: [
        deny('/v1/users/1/orders', 10),
        deny(`/v1/users/${randomUUID()}/orders`, 20),
        newest,
        deny('/v1/users/abc_DEF-0123456789/orders', 5),
        deny('/v1/users/internationalisation/orders', 6),
        deny('/v1/users/1/orders', 7, { method: 'POST' }),
        deny('/v1/users/1/orders', 8, { outcome: 'allowed' }),
        deny(null, 1, { outcome: 'invalid_api_key' }),
        deny(null, 2, { outcome: 'invalid_api_key' }),
        deny('/v1/2fa', 3, { outcome: 'rate_limited' }),
        deny('/too/late', 1_000),
      ],
      gaps: [],
    });
    const range = { projectId: made.projectId, from: new Date(NOON), to: new Date(NOON + 1_000) };
    const groups = await groupDenials(bench.db, range);
    expect(
      groups.map(({ denialReason, method, pathShape, count }) =>
        [denialReason, method, pathShape, count].join(' '),
      ),
    ).toEqual([
      'policy_no_match GET /v1/users/{id}/orders 4',
      'invalid_api_key GET  2',
      'policy_no_match POST /v1/users/{id}/orders 1',
      'policy_no_match GET /v1/users/internationalisation/orders 1',
      'rate_limited GET /v1/2fa 1',
    ]);
    expect(groups[0]).toMatchObject({
      samplePath: '/v1/users/3/orders',
      firstAt: new Date(NOON + 5),
      lastAt: new Date(NOON + 30),
      lastDecisionId: newest.decisionId,
      hasPlain: true,
    });
    expect(await groupDenials(bench.db, { ...range, limit: 1 })).toHaveLength(1);
  });
});
