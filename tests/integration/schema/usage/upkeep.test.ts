import { waitFor } from '@ceiba/devstack/wait';
import { setRetention } from '@ceiba/schema';
import { describe, expect, test } from 'vitest';
import { type RunningRuntime, startRuntime } from '../../../support/runtime.ts';
import { flush, makeProject, useBench } from '../support.ts';

const bench = useBench();

function start(): Promise<RunningRuntime> {
  const redisUrl = process.env.REDIS_URL;
  if (!redisUrl) throw new Error('REDIS_URL is unset. Run the tests through `npm test`.');
  return startRuntime({ databaseUrl: bench.url, redisUrl });
}

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
const POLL = { timeoutMs: 20_000 };

describe('a Runtime that starts', () => {
  test('applies retention and adds up past days by itself', async () => {
    const { projectId } = await makeProject(bench.ctx);
    await flush(bench.db, projectId, [
      { at: daysAgo(100), count: 1 },
      { at: daysAgo(2), count: 2 },
    ]);
    await setRetention(bench.ctx, { usageDays: 45, auditDays: null });
    const runtime = await start();
    try {
      const counted = async () => {
        const [row] = await bench.db.sql`
          select (select count(*)::int from usage_hours where project_id = ${projectId}) as hours,
            (select sum(count)::int from usage_outcome_hours where project_id = ${projectId})
              as "addedUp"`;
        return row;
      };
      await waitFor(async () => (await counted())!.addedUp !== null, POLL);
      expect(await counted()).toEqual({ hours: 1, addedUp: 2 });
    } finally {
      expect(await runtime.stop()).toBe('exited with code 0');
    }
  });

  test('stops in time while its upkeep waits for a lock', async () => {
    const { projectId } = await makeProject(bench.ctx);
    await flush(bench.db, projectId, [{ at: daysAgo(3), count: 1 }]);
    const holder = bench.db.sql.begin(async (sql) => {
      // The transaction is idle for as long as the Runtime starts and stops.
      await sql`set local idle_in_transaction_session_timeout = 0`;
      await sql`lock table usage_key_days in share mode`;
      const runtime = await start();
      const waits = async () => {
        const [row] = await bench.db.sql`
          select count(*)::int as count from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'
            and application_name = 'ceiba-usage'`;
        return row!.count > 0;
      };
      expect(await waitFor(waits, POLL)).toBe(true);
      const startedAt = performance.now();
      expect(await runtime.stop()).toBe('exited with code 0');
      return performance.now() - startedAt;
    });
    expect(await holder).toBeLessThan(10_000);
  });
});
