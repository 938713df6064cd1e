import { expect, it, vi } from 'vitest';
import type { RedisLink } from '../redis/link.ts';
import { UsageSweep } from './sweep.ts';

const PROJECT = '11111111-1111-4111-8111-111111111111';

const KEY = `ceiba:{${PROJECT}}:usage`;

/** Answers each scan with the same cursor and items; it ends with '0' alone. */
function redisOf(cursor: '0' | '1', keys: string[], fields: string[] = []) {
  const scan = vi.fn(async () => [cursor, keys]);
  const hscan = vi.fn(async () => [cursor, fields]);
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
  ['of the usage of one project', [KEY], 'hscan'],
] as const)('a stop ends a scan %s at its next step', async (_, keys, command) => {
  const redis = redisOf('1', [...keys]);
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

it('sweeps no more often while Postgres refuses rows', async () => {
  const redis = redisOf('0', [KEY], ['m|i|1|project', '1']);
  const sweep = new UsageSweep({
    link: redis.link,
    clock: { estimateMs: () => 0 },
    trimScript: { run: vi.fn() } as never,
    compareUsage: () => Promise.reject(new Error('refused')),
    recordUsage: () => Promise.reject(new Error('refused')),
    log: { info: vi.fn(), warn: vi.fn() },
    intervalMs: 1,
  });
  // After another failure, the pause is five seconds.
  await vi.waitUntil(() => redis.scan.mock.calls.length > 2);
  await sweep.task.stop();
});
