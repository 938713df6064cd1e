import { FairShare } from '@ceiba/process/fair-share';
import { DatabaseClient } from '@ceiba/schema';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { prove } from './support/prove.ts';

const CONNECTIONS = 8;
const CALLS_PER_USER = 3;
const BUDGET_MS = 3_000;
const FLOOD = 60;

test('the slow calls of one user leave the calls of another their connections', () =>
  prove('the console among users', async () => {
    const database = await createTestDatabase();
    const client = new DatabaseClient(database.url, {
      maxConnections: CONNECTIONS,
      statementTimeoutMs: BUDGET_MS * 0.8,
      isPatient: true,
      isLateAlone: true,
    });
    const shares = new FairShare(CALLS_PER_USER, BUDGET_MS, () => new Error('too many calls'));
    const call = async (user: string, seconds: number) => {
      const leave = await shares.enter(user);
      try {
        await client.run(BUDGET_MS, ({ sql }) =>
          Promise.all([sql`select pg_sleep(${seconds})`, sql`select pg_sleep(${seconds})`]),
        );
      } finally {
        leave();
      }
    };
    try {
      await call('neighbour', 0);
      let ended = 0;
      const flood = Array.from({ length: FLOOD }, () =>
        call('flood', 0.5).finally(() => {
          ended += 1;
        }),
      );
      const before = ended;
      for (let asked = 0; asked < 20; asked += 1) await call('neighbour', 0);
      const endedMeanwhile = ended - before;
      await Promise.allSettled(flood);
      // No call of the neighbour failed, and together they waited for less than a turn of the flood.
      expect(endedMeanwhile).toBeLessThan(FLOOD / 4);
      return { flood: FLOOD, endedMeanwhile };
    } finally {
      await client.close();
      await database.drop();
    }
  }));
