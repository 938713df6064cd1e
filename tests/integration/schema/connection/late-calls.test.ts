import {
  type Database,
  DatabaseClient,
  DatabaseUnavailableError,
  pingDatabase,
} from '@ceiba/schema';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startTestNetwork, type TestNetwork } from '../../../chaos/support/proxy.ts';
import { until } from '../../../support/until.ts';
import { useBench } from '../support.ts';

const bench = useBench();

describe('a client whose late calls fail alone', () => {
  const STATEMENT_MS = 400;
  let states: string[] = [];
  let client: DatabaseClient;
  let network: TestNetwork;
  beforeEach(async () => {
    states = [];
    network = await startTestNetwork(bench.url);
    client = new DatabaseClient(network.url, {
      maxConnections: 4,
      statementTimeoutMs: STATEMENT_MS,
      isLateAlone: true,
      onStateChange: (state) => states.push(state),
    });
    await client.run(5_000, pingDatabase);
  });
  afterEach(async () => {
    await client.close();
    await network.close();
  });

  /** Reads for ever, in statements that each end in time. */
  const busy = async ({ sql }: Database) => {
    for (;;) await sql`select pg_sleep(0.1)`;
  };

  test('keeps the connections of others, and sends no further statement of the late one', async () => {
    let work: Promise<never> | undefined;
    const late = client.run(300, (db) => {
      work = busy(db);
      return work;
    });
    const other = client.run(10_000, async ({ sql }) => {
      await late.catch(() => {});
      return sql`select 1`;
    });
    await expect(late).rejects.toThrow('no answer within 300 ms');
    await expect(work).rejects.toThrow(TypeError);
    expect(await other).toHaveLength(1);
    expect(states).toEqual(['up']);
  });

  test('replaces its connections when a statement of the late call is never answered', async () => {
    network.darken();
    await expect(client.run(100, pingDatabase)).rejects.toThrow(DatabaseUnavailableError);
    await until('the pool is dropped', () => states.includes('down'));
    network.heal();
    await until('the client is up again', () => client.isUp);
  });

  test('ends all work of late calls with the connections that it replaces, also what was not sent', async () => {
    const works: Promise<unknown>[] = [];
    const call = () =>
      client.run(100, ({ orm }) => {
        const work = orm.transaction((tx) => tx.execute('select pg_sleep(0.05)'));
        works.push(work);
        return work;
      });
    const calls = Array.from({ length: 4 }, call);
    network.darken();
    calls.push(...Array.from({ length: 8 }, call));
    await Promise.allSettled(calls);
    const ends = await Promise.allSettled(works);
    expect(ends.map(({ status }) => status)).toEqual(calls.map(() => 'rejected'));
  });
});
