import { eachLimit, projectScope } from '@ceiba/domain';
import type { RedisClient } from '@ceiba/process/redis';
import { expect, it } from 'vitest';
import type { Seed } from './charge-arguments.ts';
import { runCharges } from './charge-script.ts';

const seedsOf = (period: number, total: number): Seed[] => [{ period, total }];

/** What charges with these seeds say of the counter that they share. */
async function seedSent(...seeds: (readonly Seed[] | null)[]): Promise<unknown> {
  let sent: readonly unknown[] = [];
  const script = {
    async run(_client: RedisClient, _keys: readonly string[], args: readonly unknown[]) {
      sent = args;
      return [1, 1, ...seeds.map(() => 'late')];
    },
  };
  const none = eachLimit(() => null);
  const scopes = [projectScope('p', none)];
  const request = { projectId: 'p', apiKeyId: 'k', policyId: 'o', cost: 1, scopes };
  await runCharges(script, {} as RedisClient, {
    projectId: 'p',
    charges: seeds.map((each) => ({ request, redisDeadlineMs: 1, seeds: each })),
    freshId: 'x',
    seenOf: () => 'seen',
  });
  return JSON.parse(`${sent[1]}`);
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
    expect(await seedSent(...seeds)).toEqual(['project', 1, 'seen', ...sent]);
  },
);
