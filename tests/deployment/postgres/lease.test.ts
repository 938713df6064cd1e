import { withConnection } from '@ceiba/devstack/databases';
import { createDatabase, renewRuntimeLease } from '@ceiba/schema';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { type PostgresPair, startPostgresPair } from '../../support/postgres-pair.ts';
import { until } from '../../support/until.ts';

let pair: PostgresPair;
let database: TestDatabase;
beforeAll(async () => {
  pair = await startPostgresPair({ isSynchronous: true });
  database = await createTestDatabase(pair.primary.url);
}, 120_000);
afterAll(() => pair?.dispose());

const WAITING = "application_name = 'ceiba-lease-test' and wait_event = 'SyncRep'";

it('a renewal waits for the standby, and comes with a notice if the wait is cancelled', async () => {
  await withConnection(database.url, async (sql) => {
    const [row] = await sql`select current_database() as name`;
    await sql`alter database ${sql(row?.name)} set synchronous_commit = local`;
  });
  let notices = 0;
  const db = createDatabase(database.url, {
    maxConnections: 1,
    applicationName: 'ceiba-lease-test',
    onNotice: () => {
      notices += 1;
    },
  });
  const renew = () => renewRuntimeLease(db, { id: 'a1', always: false });
  const granted = await renew();
  expect(granted).toMatchObject({
    isWritten: true,
    evidence: { inRecovery: false, isSynchronous: true },
  });
  expect(notices).toBe(0);

  pair.replication.refuse();
  const cancelled = renew();
  await withConnection(pair.primary.url, async (sql) => {
    await until('the renewal waits for the standby', async () => {
      const rows = await sql.unsafe(`select 1 from pg_stat_activity where ${WAITING}`);
      return rows.length === 1;
    });
    await sql.unsafe(`select pg_cancel_backend(pid) from pg_stat_activity where ${WAITING}`);
  });
  expect(await cancelled).toMatchObject({ isWritten: true });
  expect(notices).toBe(1);
  await db.close();
});

it('a renewal without a standby writes nothing unless it has to', async () => {
  const alone = await createTestDatabase();
  const db = createDatabase(alone.url, { maxConnections: 1 });
  const idle = await renewRuntimeLease(db, { id: 'a1', always: false });
  expect(idle).toMatchObject({ isWritten: false, evidence: { isSynchronous: false } });
  expect(await db.sql`select * from runtime_leases`).toHaveLength(0);
  const asked = await renewRuntimeLease(db, { id: 'a1', always: true });
  expect(asked).toMatchObject({ isWritten: true, evidence: idle.evidence });
  await db.close();
  await alone.drop();
});
