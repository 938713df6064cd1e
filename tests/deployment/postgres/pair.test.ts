import { withConnection } from '@ceiba/devstack/databases';
import { afterEach, expect, it } from 'vitest';
import { type PostgresPair, startPostgresPair } from '../../support/postgres-pair.ts';
import { until } from '../../support/until.ts';

let pair: PostgresPair;
afterEach(() => pair.dispose());

const write = (url: string, value: number) =>
  withConnection(url, (sql) => sql`insert into numbers values (${value})`);

const read = (url: string) =>
  withConnection(url, async (sql) => {
    const rows = await sql<{ value: number }[]>`select value from numbers order by value`;
    return rows.map(({ value }) => value);
  });

it('a pair streams, lags while replay is paused, and diverges after the standby is promoted', async () => {
  pair = await startPostgresPair();
  const { primary, standby, replication } = pair;
  await withConnection(primary.url, (sql) => sql`create table numbers (value int)`);
  await write(primary.url, 1);
  await pair.caughtUp();
  expect(await read(standby.url)).toEqual([1]);
  await expect(write(standby.url, 0)).rejects.toMatchObject({ code: '25006' });

  await pair.pauseReplay();
  await write(primary.url, 2);
  expect(await read(standby.url)).toEqual([1]);
  await pair.resumeReplay();
  await pair.caughtUp();
  expect(await read(standby.url)).toEqual([1, 2]);

  replication.refuse();
  await pair.promote();
  await write(standby.url, 3);
  await write(primary.url, 4);
  expect(await read(standby.url)).toEqual([1, 2, 3]);
  expect(await read(primary.url)).toEqual([1, 2, 4]);
});

it('a synchronous primary without its standby answers reads and commits nothing', async () => {
  pair = await startPostgresPair({ isSynchronous: true });
  const { primary, standby, replication } = pair;
  await withConnection(primary.url, (sql) => sql`create table numbers (value int)`);
  await write(primary.url, 1);
  replication.refuse();
  await withConnection(primary.url, async (sql) => {
    const [{ pid } = { pid: 0 }] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
    const written = sql`insert into numbers values (2)`.then(() => 'acknowledged');
    await until('the commit waits for the standby', () => waitsForStandby(primary.url, pid));
    expect(await read(primary.url)).toEqual([1]);
    replication.heal();
    expect(await written).toBe('acknowledged');
  });
  await pair.caughtUp();
  expect(await read(standby.url)).toEqual([1, 2]);
});

const waitsForStandby = (url: string, pid: number) =>
  withConnection(url, async (sql) => {
    const [row] = await sql`select wait_event from pg_stat_activity where pid = ${pid}`;
    return row?.wait_event === 'SyncRep';
  });
