import { expect, it, vi } from 'vitest';
import type { RedisLink } from '../redis/link.ts';
import { UsageSweep } from './sweep.ts';

const PROJECT = '11111111-1111-4111-8111-111111111111';

/** Answers each command as a Redis whose scans never end. */
function endless(answers: { scan: string[]; hscan: string[] }) {
  const scan = vi.fn(async () => ['1', answers.scan]);
  const hscan = vi.fn(async () => ['1', answers.hscan]);
  const client = { options: { host: 'redis', port: 6379 }, scan, hscan };
  const link = {
    isUp: true,
    async send(_budgetMs: number, work: (of: typeof client) => Promise<unknown>) {
      await new Promise((resolve) => setImmediate(resolve));
      return work(client);
    },
  };
  return { link: link as unknown as RedisLink, scan, hscan };
}

it.each([
  ['of the keys of Redis', [], 'scan'],
  ['of the usage of one project', [`ceiba:{${PROJECT}}:usage`], 'hscan'],
] as const)('a stop ends a scan %s at its next step', async (_, keys, command) => {
  const redis = endless({ scan: [...keys], hscan: [] });
  const log = { info: vi.fn(), warn: vi.fn() };
  const sweep = new UsageSweep({
    link: redis.link,
    clock: { estimateMs: () => 0 },
    trimScript: { run: vi.fn() } as never,
    compareUsage: vi.fn(),
    recordUsage: vi.fn(),
    log,
  });
  await vi.waitUntil(() => redis[command].mock.calls.length > 2);
  await sweep.task.stop();
  expect(log.warn).not.toHaveBeenCalled();
});
