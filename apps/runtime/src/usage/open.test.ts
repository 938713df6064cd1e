import { createLogger } from '@ceiba/process/log';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { DatabasePool } from '../database/pool.ts';
import type { RuntimeRedis } from '../redis/open.ts';
import { openUsage } from './open.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

it('writes what is left at a stop while the sweep still waits for Redis', async () => {
  const database = { run: async () => ({ isComplete: true, knownProjectIds: new Set() }) };
  let answer = (_servers: never[]) => {};
  const send = () =>
    new Promise((resolve) => {
      answer = resolve;
    });
  const usage = openUsage(
    database as unknown as DatabasePool,
    { link: { send, isUp: true }, clock: {} } as unknown as RuntimeRedis,
    createLogger({ service: 'test', level: 'silent' }),
  );
  usage.stopUpkeep();
  await vi.advanceTimersByTimeAsync(0);
  usage.denials.countDenial({
    projectId: 'p',
    apiKeyId: null,
    policyId: null,
    outcome: 'invalid_api_key',
  });
  const stopped = usage.stop();
  await vi.advanceTimersByTimeAsync(0);
  expect(usage.ledger.size).toBe(0);
  answer([]);
  await stopped;
});
