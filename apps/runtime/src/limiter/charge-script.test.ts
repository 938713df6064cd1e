import { eachLimit, projectScope, type Scope } from '@ceiba/domain';
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
