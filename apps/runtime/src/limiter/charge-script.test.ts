import { type ChargeRequest, DAY, eachLimit, type Scope } from '@ceiba/domain';
import { apiKeyScope, projectScope } from '@ceiba/domain/test-support';
import type { RedisClient } from '@ceiba/process/redis';
import { expect, it } from 'vitest';
import type { Seed } from './charge-arguments.ts';
import { runCharges } from './charge-script.ts';

const seedsOf = (period: number, total: number): Seed[] => [{ period, total }];

const PROJECT = projectScope(
  'p',
  eachLimit(() => null),
);

/** What charges with these seeds say of the counters of their scopes. */
async function sentFor(scopes: readonly Scope[], ...seeds: (readonly Seed[] | null)[]) {
  let sent: { keys: readonly string[]; counters: unknown } | undefined;
  const script = {
    async run(_client: RedisClient, keys: readonly string[], args: readonly unknown[]) {
      sent = { keys: keys.slice(1), counters: JSON.parse(`${args[1]}`) };
      return [1, 1, ...seeds.map(() => 'late')];
    },
  };
  const request = { projectId: 'p', apiKeyId: 'k', policyId: 'o', cost: 1, scopes };
  await runCharges(script, {} as RedisClient, {
    projectId: 'p',
    charges: seeds.map((each) => ({ request, redisDeadlineMs: 1, seeds: each })),
    freshId: 'x',
    seenOf: () => 'seen',
  });
  return sent;
}

it.each([
  [[null], [0, 0]],
  [
    [null, seedsOf(7, 3), null],
    [7, 3],
  ],
  [
    [seedsOf(7, 3), seedsOf(7, 5), seedsOf(7, 4)],
    [7, 5],
  ],
  [
    [seedsOf(7, 9), seedsOf(8, 2), seedsOf(7, 9)],
    [8, 2],
  ],
])(
  'a counter has the largest total of the latest period among its seeds: %j',
  async (seeds, sent) => {
    const { counters } = (await sentFor([PROJECT], ...seeds)) ?? {};
    expect(counters).toEqual(['project', 1, 'seen', ...sent]);
  },
);

it('scopes of one project with two periods are two counters', async () => {
  const fromThe15th = { ...PROJECT, period: 15 };
  expect(await sentFor([PROJECT, fromThe15th], null)).toEqual({
    keys: ['ceiba:{p}:counter:project', 'ceiba:{p}:counter:project@15'],
    counters: ['project', 1, 'seen', 0, 0, 'project@15', 15, 'seen', 0, 0],
  });
});

const scopesOf = (rateLimitPerMinute: number | null, monthlyQuota: number | null) => [
  projectScope('p', { rateLimitPerMinute: 60, monthlyQuota: 1000 }),
  apiKeyScope('k', { rateLimitPerMinute, monthlyQuota }, null),
];

const REQUEST: ChargeRequest = {
  projectId: 'p',
  apiKeyId: 'k',
  policyId: 'o',
  cost: 1,
  scopes: scopesOf(null, 9),
};

/** What a call of these requests sends as its charges, and what it makes of a reply. */
async function call(requests: readonly ChargeRequest[], reply: readonly (string | number)[]) {
  let sent: unknown;
  const script = {
    async run(_client: RedisClient, _keys: readonly string[], args: readonly unknown[]) {
      sent = JSON.parse(`${args[2]}`);
      return reply;
    },
  };
  const charges = requests.map((request) => ({ request, redisDeadlineMs: 7.9, seeds: null }));
  const given = { projectId: 'p', charges, freshId: 'x', seenOf: () => undefined };
  return { answer: await runCharges(script, {} as RedisClient, given), sent };
}

const OF_REQUEST = [1, 'k|o', 1, 60, 1000, 2, -1, 9];

it.each<[string, Partial<ChargeRequest>, (string | number)[]]>([
  ['policies', { policyId: 'other' }, [1, 'k|other', 1, 60, 1000, 2, -1, 9]],
  ['costs', { cost: 5 }, [5, 'k|o', 1, 60, 1000, 2, -1, 9]],
  ['rates', { scopes: scopesOf(3, 9) }, [1, 'k|o', 1, 60, 1000, 2, 3, 9]],
  ['quotas', { scopes: scopesOf(null, 8) }, [1, 'k|o', 1, 60, 1000, 2, -1, 8]],
  ['scopes', { scopes: scopesOf(null, 9).slice(0, 1) }, [1, 'k|o', 1, 60, 1000]],
  [
    'periods',
    { scopes: scopesOf(null, 9).map((scope) => ({ ...scope, period: 15 })) },
    [1, 'k|o', 3, 60, 1000, 4, -1, 9],
  ],
])(
  'charges of one key with other %s are another kind, and equal ones are one',
  async (_, change, kind) => {
    const requests = [REQUEST, { ...REQUEST, ...change }, { ...REQUEST }];
    const { sent } = await call(requests, [1, 1, 'late', 'late', 'late']);
    expect(sent).toEqual([
      [OF_REQUEST, kind],
      [7, 1, 7, 2, 7, 1],
    ]);
  },
);

it('the counts of each charge and the names of usage follow from the outcomes', async () => {
  const requests = [{ ...REQUEST, cost: 4 }, REQUEST, { ...REQUEST, policyId: 'other' }, REQUEST];
  const outcomes = ['allowed', 'late', 'quota_exceeded', 'allowed'];
  const counters = ['written', 12, 105, 'too', 2, 9];
  // Per name its outcomes, then per counter its period: 71 hours and 3 days after the start of 1970.
  const usage = [31, 41, 59, 26];
  const reply = [4_260_001, 71 * 60, ...outcomes, 'i', ...counters, ...usage];
  const { answer } = await call(requests, reply);
  const counted = (kind: string, ...counts: readonly [number, number][]) => ({
    kind,
    timeMs: 4_260_001,
    minute: 71 * 60,
    counters: counts.map(([minuteCount, periodCount]) => ({ minuteCount, periodCount })),
  });
  const month = 1970 * 12;
  expect(answer).toEqual({
    timeMs: 4_260_001,
    charges: [
      counted('allowed', [11, 104], [1, 8]),
      { kind: 'late' },
      counted('quota_exceeded', [11, 104], [1, 8]),
      counted('allowed', [12, 105], [2, 9]),
    ],
    counters: [
      { key: 'ceiba:{p}:counter:project', seen: 'written' },
      { key: 'ceiba:{p}:counter:key:k', seen: 'too' },
    ],
    usage: [
      { field: 'h|i|71|k|o|allowed', count: 31 },
      { field: 'h|i|71|k|other|quota_exceeded', count: 41 },
      { field: `m|i|${month}|project`, count: 59 },
      { field: `m|i|${month}|k`, count: 26 },
    ],
  });
});

it('a counter that was not written is not kept, and one that was not charged has no usage', async () => {
  const day = { ...REQUEST, scopes: REQUEST.scopes.map((scope) => ({ ...scope, period: DAY })) };
  const requests = [{ ...REQUEST, cost: 0 }, day];
  const counters = ['project', 1, 0, 'key', 1, 0, '', 0, 0, '', 0, 0];
  const { answer } = await call(requests, [1, 0, 'allowed', 'reseed', 'i', ...counters, 3]);
  expect(answer.charges).toMatchObject([{ kind: 'allowed' }, { kind: 'reseed', minute: 0 }]);
  expect(answer.counters.map(({ seen }) => seen)).toEqual(['project', 'key']);
  expect(answer.usage).toEqual([{ field: 'h|i|0|k|o|allowed', count: 3 }]);
});

it('usage of a day is named otherwise than that of a month', async () => {
  const [project] = REQUEST.scopes;
  if (!project) throw new Error('no scope');
  const scopes = [project, { ...project, period: DAY }];
  const reply = [1, 1440, 'allowed', 'i', 'a', 1, 1, 'b', 1, 1, 5, 6, 7];
  const { answer } = await call([{ ...REQUEST, scopes }], reply);
  expect(answer.usage.slice(1)).toEqual([
    { field: `m|i|${1970 * 12}|project`, count: 6 },
    { field: 'd|i|1|project@0', count: 7 },
  ]);
});

it.each([
  ['an outcome that it does not know', [1, 1, 'perhaps']],
  ['more than its usage', [1, 1, 'allowed', 'i', 'a', 1, 1, 'b', 1, 1, 1, 1, 1, 1]],
  ['less than its usage', [1, 1, 'allowed', 'i', 'a', 1, 1, 'b', 1, 1, 1]],
  ['an empty incarnation', [1, 1, 'allowed', '', 'a', 1, 1, 'b', 1, 1, 1, 1, 1]],
  ['a negative count', [1, -1, 'late']],
])('a reply with %s is an error', async (_, reply) => {
  await expect(call([REQUEST], reply)).rejects.toThrow('the charge returned');
});
