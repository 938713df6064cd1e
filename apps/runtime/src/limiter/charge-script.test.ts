import { eachLimit, projectScope } from '@ceiba/domain';
import type { RedisClient } from '@ceiba/process/redis';
import { expect, it } from 'vitest';
import { runCharges, type Seeds } from './charge-script.ts';

const seedsOf = (month: number, total: number): Seeds => ({ month, totals: [total] });

/** The argument of a counter that charges with these seeds share. */
async function counterArgument(...seeds: (Seeds | null)[]): Promise<unknown> {
  let sent: readonly unknown[] = [];
  const script = {
    async run(_client: RedisClient, _keys: readonly string[], args: readonly unknown[]) {
      sent = args;
      return [1, 1, 1, ...seeds.map(() => 'late')];
    },
  };
  const none = eachLimit(() => null);
  const scopes = [projectScope('p', none)];
  const request = { projectId: 'p', apiKeyId: 'k', policyId: 'o', scopes };
  await runCharges(script, {} as RedisClient, {
    projectId: 'p',
    charges: seeds.map((each) => ({ request, redisDeadlineMs: 1, seeds: each })),
    freshId: 'x',
    seenOf: () => ({ lineage: '-', minute: 0, minuteCount: 0, monthCount: 0 }),
  });
  return sent[1];
}

it.each([
  [[null], '0 0'],
  [[null, seedsOf(7, 3), null], '7 3'],
  [[seedsOf(7, 3), seedsOf(7, 5), seedsOf(7, 4)], '7 5'],
  [[seedsOf(7, 9), seedsOf(8, 2), seedsOf(7, 9)], '8 2'],
])(
  'a counter has the largest total of the latest month among its seeds: %j',
  async (seeds, words) => {
    expect(await counterArgument(...seeds)).toBe(`project ${words} - 0 0 0`);
  },
);
