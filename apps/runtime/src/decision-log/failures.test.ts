import type { DecisionFailureCount } from '@ceiba/schema';
import { afterEach, describe, expect, it } from 'vitest';
import { UnavailableError } from '../unavailable.ts';
import { FailureCounter } from './failures.ts';

const PROJECT = '01234567-89ab-4cde-8f01-23456789abcd';
const OUTAGE = new UnavailableError('database', 'away');

describe('the counter of failed decisions', () => {
  const counters: FailureCounter[] = [];
  afterEach(async () => {
    for (const counter of counters.splice(0)) await counter.task.stop();
  });

  const setUp = (most?: number) => {
    const clock = { ms: 0 };
    const written: DecisionFailureCount[][] = [];
    const database = { isUp: true };
    const warnings: unknown[] = [];
    const counter = new FailureCounter({
      write: async (rows) => {
        if (!database.isUp) throw OUTAGE;
        written.push(rows.map(({ ...row }) => row));
      },
      incarnation: 'i',
      wallClockMs: () => clock.ms,
      log: { info: () => {}, warn: (...args: unknown[]) => void warnings.push(args) },
      intervalMs: 60_000,
      ...(most === undefined ? {} : { most }),
    });
    counters.push(counter);
    return { clock, written, database, warnings, counter };
  };

  it('writes the total of each project, minute and cause', async () => {
    const { written, counter, clock } = setUp();
    counter.count(PROJECT, OUTAGE);
    counter.count(PROJECT, OUTAGE);
    counter.count(PROJECT, new UnavailableError('redis', 'away'));
    clock.ms = 60_000;
    counter.count(PROJECT, OUTAGE);
    await counter.task.stop();
    const counts = written.at(-1)?.map(({ minute, cause, failed }) => [minute, cause, failed]);
    expect(counts).toEqual([
      [0, 'database', 2],
      [0, 'redis', 1],
      [1, 'database', 1],
    ]);
  });

  it('keeps the numbers of an outage of Postgres, and logs no second line about it', async () => {
    const { written, counter, database, warnings } = setUp();
    database.isUp = false;
    counter.count(PROJECT, OUTAGE);
    await counter.task.runNow();
    expect(written).toEqual([]);
    database.isUp = true;
    await counter.task.runNow();
    expect(written.at(-1)).toMatchObject([{ projectId: PROJECT, failed: 1 }]);
    expect(warnings).toEqual([]);
  });

  it('logs at a stop how many numbers are lost in an outage of Postgres', async () => {
    const { counter, database, warnings } = setUp();
    database.isUp = false;
    counter.count(PROJECT, OUTAGE);
    await counter.task.stop();
    expect(warnings).toEqual([
      [{ err: OUTAGE, left: 1 }, 'writing the numbers of failed decisions did not finish'],
    ]);
    database.isUp = true;
  });

  it('forgets a number once it is written and its minute is over', async () => {
    const { written, counter, clock } = setUp();
    counter.count(PROJECT, OUTAGE);
    clock.ms = 60_000;
    await counter.task.stop();
    const writes = written.length;
    await counter.task.stop();
    expect(written).toHaveLength(writes);
  });

  it('counts neither bugs nor bodies that did not arrive', async () => {
    const { written, counter } = setUp();
    counter.count(PROJECT, new Error('a bug'));
    counter.count(PROJECT, new UnavailableError('caller', 'too slow'));
    await counter.task.stop();
    expect(written).toEqual([]);
  });

  it('keeps a bounded number of numbers', async () => {
    const { written, counter } = setUp(2);
    for (const digit of ['1', '2', '3']) {
      counter.count(PROJECT.replace(/^0/, digit), OUTAGE);
      counter.count(PROJECT.replace(/^0/, digit), OUTAGE);
    }
    await counter.task.stop();
    expect(written.at(-1)?.map(({ failed }) => failed)).toEqual([2, 2]);
  });
});
